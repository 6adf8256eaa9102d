// Reading RFC 7591's members.
#include "operations/oauth/client_metadata.hpp"

#include <algorithm>
#include <array>

#include "core/json_duplicates.hpp"
#include "core/json_values.hpp"
#include "core/scopes.hpp"
#include "net/outbound_url.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/oauth/scope_words.hpp"

namespace workforce::operations {
namespace {

using events::ClientAuthentication;

constexpr std::size_t kMostUris = 10;
constexpr std::array<std::string_view, 3> kGrantTypes{"authorization_code", "refresh_token",
                                                      "urn:ietf:params:oauth:grant-type:device_code"};

using BadMetadata = tl::unexpected<OAuthError>;

BadMetadata bad_metadata(std::string description) {
    return BadMetadata(OAuthError{400, "invalid_client_metadata", std::move(description)});
}

std::string text_member(core::JsonValue const& body, std::string_view name) {
    auto const* const found = core::find_member(&body, name);
    return found != nullptr && found->IsString() ? std::string(found->GetString(), found->GetStringLength()) : "";
}

/// The texts of a list; nothing where the member is there and no list of texts.
std::optional<std::vector<std::string>> texts_member(core::JsonValue const& body, std::string_view name) {
    std::vector<std::string> all;
    auto const* const found = core::find_member(&body, name);
    if (found == nullptr || found->IsNull()) return all;
    if (!found->IsArray()) return std::nullopt;
    for (auto const& each : found->GetArray()) {
        if (!each.IsString()) return std::nullopt;
        all.emplace_back(each.GetString(), each.GetStringLength());
    }
    return all;
}

/// Those of the asked-for that there are here; all where none is asked for, as clients are that register with a name,
/// addresses and scopes alone (spec 5.3).
tl::expected<std::vector<core::ShortText>, OAuthError> grant_types_of(core::JsonValue const& body) {
    auto const asked = texts_member(body, "grant_types");
    if (!asked) return bad_metadata("grant_types is a list of texts.");
    std::vector<core::ShortText> types;
    for (auto const type : kGrantTypes) {
        if (asked->empty() || std::ranges::count(*asked, type) > 0) types.emplace_back(std::string(type));
    }
    if (types.empty()) return bad_metadata("None of the grant_types is there.");
    return types;
}

tl::expected<std::vector<events::ClientUrl>, OAuthError> redirect_uris_of(core::JsonValue const& body, bool required) {
    auto const uris = texts_member(body, "redirect_uris");
    auto const refuse_uri = [](std::string description) {
        return BadMetadata(OAuthError{400, "invalid_redirect_uri", std::move(description)});
    };
    if (!uris || (uris->empty() && required)) return refuse_uri("redirect_uris is a list of one to ten URIs.");
    if (uris->size() > kMostUris) return refuse_uri("redirect_uris has more than ten URIs.");
    std::vector<events::ClientUrl> all;
    for (std::size_t i = 0; i < uris->size(); ++i) {
        if (auto const fault = fault_of_redirect_uri((*uris)[i])) {
            return refuse_uri("redirect_uris[" + std::to_string(i) + "] " + *fault + ".");
        }
        all.emplace_back((*uris)[i]);
    }
    return all;
}

/// A link that people may be shown; "" for what is none.
std::string link_of(core::JsonValue const& body, std::string_view name) {
    auto link = text_member(body, name);
    return core::is_https_url(link) ? link : "";
}

core::Name client_name_of(core::JsonValue const& body, std::vector<events::ClientUrl> const& uris) {
    auto name = text_member(body, "client_name");
    bool const clean = !core::clean_text(name, false) && !name.empty() && core::count_code_points(name) <= 200;
    if (clean) return name;
    if (uris.empty()) return "Unnamed";
    auto const& first = uris.front().value;
    return is_on_this_machine(first) ? "A program on this machine" : shown_host(first).substr(0, 200);
}

}  // namespace

tl::expected<events::OAuthClientDetails, OAuthError> read_client_metadata(core::JsonValue const& body) {
    if (!body.IsObject()) return bad_metadata("The body is a JSON object.");
    events::OAuthClientDetails client;
    auto types = grant_types_of(body);
    if (!types) return tl::unexpected(types.error());
    client.grantTypes = *std::move(types);
    bool const redirects = std::ranges::count(client.grantTypes, core::ShortText(std::string(kGrantTypes[0]))) > 0;
    auto uris = redirect_uris_of(body, redirects);
    if (!uris) return tl::unexpected(uris.error());
    client.redirectUris = *std::move(uris);
    auto const responses = texts_member(body, "response_types");
    if (!responses || (!responses->empty() && std::ranges::count(*responses, "code") == 0)) {
        return bad_metadata("response_types must have code.");
    }
    auto const how = text_member(body, "token_endpoint_auth_method");
    auto const method = how.empty() ? ClientAuthentication::none : core::parse_enum<ClientAuthentication>(how);
    if (!method) return bad_metadata("token_endpoint_auth_method is not one of those that the metadata names.");
    client.authentication = *method;
    for (auto const& scope : scopes_of_text(text_member(body, "scope"))) {
        if (core::is_grantable_scope(scope)) client.scopes.emplace_back(scope);
    }
    client.clientName = client_name_of(body, client.redirectUris);
    client.clientUri = link_of(body, "client_uri");
    client.logoUri = link_of(body, "logo_uri");
    return client;
}

std::optional<events::OAuthClient> read_client_document(std::string_view text, std::string const& client_id) {
    auto const document = core::parse_json(text);
    if (!document || core::has_duplicate_members(*document) || text_member(*document, "client_id") != client_id) {
        return std::nullopt;
    }
    auto details = read_client_metadata(*document);
    if (!details || details->authentication != ClientAuthentication::none) return std::nullopt;
    events::OAuthClient client;
    static_cast<events::OAuthClientDetails&>(client) = *std::move(details);
    client.clientId = client_id;
    return client;
}

bool is_client_document(std::string_view client_id) {
    if (!client_id.starts_with("https://") && !client_id.starts_with("http://")) return false;
    auto const url = net::parse_outbound_url(client_id, true);
    if (!url || url->target == "/" || url->target.starts_with("/?")) return false;
    auto const path = std::string_view(url->target).substr(0, url->target.find('?'));
    auto const has = [&](std::string_view part) { return path.find(part) != std::string_view::npos; };
    return !has("/./") && !has("/../") && !path.ends_with("/.") && !path.ends_with("/..");
}

}  // namespace workforce::operations
