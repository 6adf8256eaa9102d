// Documents: what the service says of itself.
#include <array>
#include <deque>

#include "api/rest/route.hpp"
#include "api/versions.hpp"
#include "core/scopes.hpp"
#include "core/web_origin.hpp"
#include "operations/declare.hpp"

namespace workforce::api {
namespace {

using operations::Access;
using operations::Operation;

struct Health {
    std::string status = "ok";
};
BOOST_DESCRIBE_STRUCT(Health, (), (status))

DocumentText health(Installation const&) { return {.made = core::to_json(Health{})}; }

struct ScopeRow {
    std::string scope;
    bool inDefaultGrant = false;
    std::vector<std::string> permissions;
};
BOOST_DESCRIBE_STRUCT(ScopeRow, (), (scope, inDefaultGrant, permissions))

struct ScopeList {
    std::vector<ScopeRow> data;
};
BOOST_DESCRIBE_STRUCT(ScopeList, (), (data))

std::string make_scopes_document() {
    ScopeList list;
    for (auto const& scope : core::scope_catalogue()) {
        std::vector const alone{std::string(scope.name)};
        auto const granted = core::permissions_of(alone);
        auto& row = list.data.emplace_back(ScopeRow{alone.front(), scope.in_default_grant, {}});
        for (std::size_t i = 0; i < core::kPermissions.size(); ++i) {
            if (granted[i]) row.permissions.emplace_back(core::kPermissions[i]);
        }
    }
    return core::to_json(list);
}

DocumentText scopes_document(Installation const&) {
    static std::string const document = make_scopes_document();
    return {.lasting = document};
}

DocumentText versions_document(Installation const& installation) { return {.made = installation.versions.document()}; }

DocumentText own_description(Installation const&) { return {.lasting = openapi_document()}; }

/// RFC 9728 3.2.
struct ProtectedResource {
    std::string resource;
    std::vector<std::string> authorization_servers;
    std::string resource_name = "Workforce platform";
    std::vector<std::string> bearer_methods_supported{"header"};
    std::vector<std::string> scopes_supported;
};
BOOST_DESCRIBE_STRUCT(ProtectedResource, (),
                      (resource, authorization_servers, resource_name, bearer_methods_supported, scopes_supported))

std::vector<std::string> scope_names() {
    std::vector<std::string> names;
    for (auto const& scope : core::scope_catalogue()) names.emplace_back(scope.name);
    return names;
}

DocumentText metadata_of(std::string resource, std::string const& issuer) {
    ProtectedResource metadata;
    metadata.resource = std::move(resource);
    metadata.authorization_servers = {issuer};
    metadata.scopes_supported = scope_names();
    return {.made = core::to_json(metadata)};
}

/// RFC 8414 2. The last two members are what OpenID's clients want besides, who look for the same document.
struct AuthorizationServer {
    std::string issuer;
    std::string authorization_endpoint;
    std::string token_endpoint;
    std::string registration_endpoint;
    std::string device_authorization_endpoint;
    std::string introspection_endpoint;
    std::string revocation_endpoint;
    std::string jwks_uri;
    std::vector<std::string> scopes_supported;
    std::vector<std::string> response_types_supported{"code"};
    std::vector<std::string> response_modes_supported{"query"};
    std::vector<std::string> grant_types_supported{"authorization_code", "refresh_token",
                                                   "urn:ietf:params:oauth:grant-type:device_code"};
    std::vector<std::string> token_endpoint_auth_methods_supported{"none", "client_secret_basic", "client_secret_post"};
    std::vector<std::string> introspection_endpoint_auth_methods_supported = token_endpoint_auth_methods_supported;
    std::vector<std::string> revocation_endpoint_auth_methods_supported = token_endpoint_auth_methods_supported;
    std::vector<std::string> code_challenge_methods_supported{"S256"};
    bool authorization_response_iss_parameter_supported = true;
    bool client_id_metadata_document_supported = true;
    std::vector<std::string> subject_types_supported{"public"};
    std::vector<std::string> id_token_signing_alg_values_supported{"ES256"};
};
BOOST_DESCRIBE_STRUCT(AuthorizationServer, (),
                      (issuer, authorization_endpoint, token_endpoint, registration_endpoint,
                       device_authorization_endpoint, introspection_endpoint, revocation_endpoint, jwks_uri,
                       scopes_supported, response_types_supported, response_modes_supported, grant_types_supported,
                       token_endpoint_auth_methods_supported, introspection_endpoint_auth_methods_supported,
                       revocation_endpoint_auth_methods_supported, code_challenge_methods_supported,
                       authorization_response_iss_parameter_supported, client_id_metadata_document_supported,
                       subject_types_supported, id_token_signing_alg_values_supported))

DocumentText server_metadata(Installation const& installation) {
    auto const& base = installation.config.base_url;
    AuthorizationServer metadata;
    metadata.issuer = base;
    metadata.authorization_endpoint = base + "/oauth/authorize";
    metadata.token_endpoint = base + "/oauth/token";
    metadata.registration_endpoint = base + "/oauth/register";
    metadata.device_authorization_endpoint = base + "/oauth/device/code";
    metadata.introspection_endpoint = base + "/oauth/introspect";
    metadata.revocation_endpoint = base + "/oauth/revoke";
    metadata.jwks_uri = base + "/.well-known/jwks.json";
    metadata.scopes_supported = scope_names();
    return {.made = core::to_json(metadata)};
}

/// Of the host that was asked.
DocumentText host_metadata(Installation const& installation) {
    auto const& config = installation.config;
    bool const mcp = core::names_host(installation.host, config.mcp_url, core::authority_of(config.mcp_url));
    return metadata_of(mcp ? config.mcp_url : config.base_url, config.base_url);
}

DocumentText mcp_metadata(Installation const& installation) {
    return metadata_of(installation.config.mcp_url + "/mcp", installation.config.base_url);
}

void any_object(core::JsonWriter& w, operations::Components&) {
    w.member("type", "object");
    w.member("additionalProperties", true);
}

Operation of_no_type(std::string_view name, std::string_view summary) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.answer = any_object;
    return row;
}

struct Document {
    std::string_view path;
    DocumentText (*text)(Installation const&);
    Operation about;
};

std::deque<Document> all_documents() {
    using operations::query;
    constexpr auto kOpenApi = "This API, as OpenAPI 3.1";
    std::deque<Document> all{
        {"/healthz", health,
         query<Health>("health", "Whether the process is up", nullptr)
             .says("Answers while the process is up, whatever it depends on. For load balancers; /readyz of the admin "
                   "listener tells more.")},
        {"/openapi.json", own_description, of_no_type("openapi", kOpenApi).says("Returns this description.")},
        {"/api/openapi.json", own_description,
         of_no_type("openapi.api", kOpenApi).says("Returns this description, below /api as well.")},
        {"/.well-known/api-versions", versions_document,
         query<VersionList>("versions", "The API's versions", nullptr)
             .says(
                 "Returns all versions of the API, and until when they hold. Pin one by the header Service-Version.")},
        {"/.well-known/oauth-protected-resource", host_metadata,
         query<ProtectedResource>("protected_resource", "What clients have to know to ask for a token", nullptr)
             .says("Returns the metadata by which OAuth clients find out how to get a token (RFC 9728), for the host "
                   "that is asked.")},
        {"/.well-known/oauth-protected-resource/mcp", mcp_metadata,
         query<ProtectedResource>("protected_resource.mcp", "The same of MCP", nullptr)
             .says("Returns the same metadata for the MCP endpoint.")},
        {"/.well-known/oauth-authorization-server", server_metadata,
         query<AuthorizationServer>("authorization_server", "How clients get tokens", nullptr)
             .says("Returns the metadata of the OAuth 2.1 authorization server (RFC 8414).")},
        {"/api/scopes", scopes_document,
         query<ScopeList>("scopes", "Scopes that credentials can be given", nullptr)
             .says("Returns all scopes that keys can have, with what each grants.")},
    };
    // Forms of the address that clients try besides (RFC 8414 5).
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherForms{
        {{"/.well-known/oauth-authorization-server/mcp", "authorization_server.mcp"},
         {"/.well-known/openid-configuration", "authorization_server.openid"},
         {"/.well-known/openid-configuration/mcp", "authorization_server.openid_mcp"}}};
    for (auto const& [path, name] : kOtherForms) {
        all.push_back(
            {path, server_metadata, query<AuthorizationServer>(name, "How clients get tokens", nullptr).undescribed()});
    }
    for (auto& document : all) {
        document.about.access = Access::open;
        document.about.http.cors = true;  // nothing in them is secret, and pages that show an API read them
    }
    return all;
}

}  // namespace

std::vector<Route> document_routes() {
    static auto const documents = all_documents();
    std::vector<Route> all;
    for (auto const& document : documents) {
        all.push_back({net::Method::get, document.path, document.about.name, &document.about, document.text});
    }
    return all;
}

}  // namespace workforce::api
