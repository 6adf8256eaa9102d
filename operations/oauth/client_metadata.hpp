// What clients say of themselves (RFC 7591 2), when they register or in a document of their own.
#pragma once

#include <tl/expected.hpp>

#include "core/json.hpp"
#include "events/oauth_client.hpp"
#include "operations/oauth/oauth.hpp"

namespace workforce::operations {

/// The client that the metadata describes, without its id. What most clients need stands for what is not said, and
/// scopes and grant types that there are not are left out. Errors: invalid_redirect_uri, invalid_client_metadata. Pure.
tl::expected<events::OAuthClientDetails, OAuthError> read_client_metadata(core::JsonValue const& body);

/// The client whose id is the address of a document, by the document; nothing where it is not of that client, or wants
/// to authenticate itself, which such clients can't here. Pure.
std::optional<events::OAuthClient> read_client_document(std::string_view text, std::string const& client_id);

/// Whether the text can be the address of such a document: https, with a path and neither user, fragment nor dot
/// segments. Pure.
bool is_client_document(std::string_view client_id);

}  // namespace workforce::operations
