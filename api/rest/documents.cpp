// Documents: what the service says of itself.
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

std::string health(Installation const&) { return core::to_json(Health{}); }

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

std::string scopes_document(Installation const&) {
    static std::string const document = make_scopes_document();
    return document;
}

std::string versions_document(Installation const& installation) { return installation.versions.document(); }

std::string own_description(Installation const&) { return openapi_document(); }

/// RFC 9728 3.2. Authorization servers are named once there is one.
struct ProtectedResource {
    std::string resource;
    std::string resource_name = "Workforce platform";
    std::vector<std::string> bearer_methods_supported{"header"};
    std::vector<std::string> scopes_supported;
};
BOOST_DESCRIBE_STRUCT(ProtectedResource, (), (resource, resource_name, bearer_methods_supported, scopes_supported))

std::string metadata_of(std::string resource) {
    ProtectedResource metadata;
    metadata.resource = std::move(resource);
    for (auto const& scope : core::scope_catalogue()) metadata.scopes_supported.emplace_back(scope.name);
    return core::to_json(metadata);
}

/// Of the host that was asked.
std::string host_metadata(Installation const& installation) {
    auto const& config = installation.config;
    bool const mcp = core::names_host(installation.host, config.mcp_url, core::authority_of(config.mcp_url));
    return metadata_of(mcp ? config.mcp_url : config.base_url);
}

std::string mcp_metadata(Installation const& installation) { return metadata_of(installation.config.mcp_url + "/mcp"); }

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
    std::string (*text)(Installation const&);
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
        {"/api/scopes", scopes_document,
         query<ScopeList>("scopes", "Scopes that credentials can be given", nullptr)
             .says("Returns all scopes that keys can have, with what each grants.")},
    };
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
