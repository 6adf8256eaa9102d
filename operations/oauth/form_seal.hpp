// What a form must have that this service made for this user and this matter, and for nobody else: so no other site has
// a user's browser send one (CSRF), and people agree to what they were shown.
#pragma once

#include <string>
#include <string_view>

#include "operations/oauth/oauth.hpp"
#include "operations/pages/page.hpp"

namespace workforce::operations {

/// A hidden field, as templates list them.
PageData hidden_field(std::string_view name, std::string_view value);

/// Adds the hidden fields by which is_sealed() knows a form about the matter. The call has a caller.
void add_seal(Call const& call, std::string_view matter, PageData& hidden_fields);
/// Whether the form was made for the caller about the matter, within the last hour.
bool is_sealed(Call const& call, std::string_view matter, FormFields const& fields);
/// The refusal of one that was not.
core::Problem unsealed_form();

/// The name of a user in forms.
std::string person_name(events::User const& user);

/// The scopes as a consent's groups of boxes.
PageData scope_groups(std::vector<std::string> const& scopes);
/// Those of the scopes that were left ticked, where the user allows it.
std::vector<std::string> allowed_scopes(std::vector<std::string> const& asked, FormFields const& fields);

/// Has the caller let the client have the scopes, and returns the grant; else what the caller is told.
boost::asio::awaitable<tl::expected<Id, Outcome>> approve(Call& call, events::OAuthClient const& client,
                                                          std::vector<std::string> const& scopes);

}  // namespace workforce::operations
