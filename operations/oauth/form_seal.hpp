// What a form must have that this service made for this user's session and this matter, and for nobody else: so no
// other site has a user's browser send one (CSRF), and people agree to what they were shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operations/oauth/oauth.hpp"

namespace workforce::operations {

/// A hidden field, as templates list them.
struct HiddenField {
    std::string name;
    std::string value;
};
BOOST_DESCRIBE_STRUCT(HiddenField, (), (name, value))
using HiddenFields = std::vector<HiddenField>;

/// A box to be unticked, and those of one weight.
struct ScopeChoice {
    std::string scope;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ScopeChoice, (), (scope, text))
struct ScopeGroup {
    std::string legend;
    std::vector<ScopeChoice> scopes;
};
BOOST_DESCRIBE_STRUCT(ScopeGroup, (), (legend, scopes))

/// Adds the hidden fields by which is_sealed() knows a form about the matter. The call has a caller.
void add_seal(Call const& call, std::string_view matter, HiddenFields& hidden);
/// Whether the form was made for the caller's session about the matter, within the last hour.
bool is_sealed(Call const& call, std::string_view matter, FormFields const& fields);
/// The refusal of one that was not.
core::Problem unsealed_form();

/// The name of a user in forms.
std::string person_name(events::User const& user);

/// The scopes as a consent's groups of boxes.
std::vector<ScopeGroup> scope_groups(std::vector<std::string> const& scopes);
/// The sentence by which a person who decides about approvals hears that the client, which asks for `scopes`, can
/// decide, too; "" for others.
std::string approval_note(Caller const& person, std::string_view client, std::vector<std::string> const& scopes);
/// Those of the scopes that were left ticked, where the user allows it.
std::vector<std::string> allowed_scopes(std::vector<std::string> const& asked, FormFields const& fields);

/// Has the caller let the client have the scopes, and returns the grant; else what the caller is told. Nothing is
/// recorded of one whose session has ended, by what the database says now: what opened the request may be a second old.
/// What is handed out for the grant asks that again, as it is written.
boost::asio::awaitable<tl::expected<Id, Outcome>> approve(Call& call, events::OAuthClient const& client,
                                                          std::vector<std::string> const& scopes);
/// Records that the caller does not let the client have them; nothing, or what the caller is told, as there.
boost::asio::awaitable<std::optional<Outcome>> deny(Call& call, events::OAuthClient const& client,
                                                    std::vector<std::string> const& scopes);
/// The refusal of a caller whose session has ended.
Outcome refuse_ended(Call const& call);

}  // namespace workforce::operations
