// The declaration of read.oauth_grant, and what a user is shown of it.
#include "projections/oauth_grants/oauth_grants.hpp"

namespace workforce::projections {
namespace {

// Of user $2 of organization $1, with when a token was issued by them last.
constexpr core::Statement kConnected{"oauth_connected_clients", R"(
SELECT g.doc, (SELECT max(c.used_at) FROM auth.oauth_chain c WHERE c.grant_id = g.id) AS used_at
FROM read.oauth_grant g
WHERE g.organization_id = $1 AND NOT g.is_sandbox AND g.user_id = $2 AND g.status = 'active'
ORDER BY g.id DESC
LIMIT 200)"};

}  // namespace

OAuthGrantRows const& oauth_grants() {
    static OAuthGrantRows const model = OAuthGrantRows::declare("oauth_grant")
                                            .called("OAuth grant")
                                            .column("user_id", [](auto const& grant) { return grant.userId; })
                                            .column("status", [](auto const& grant) { return grant.status; })
                                            .filter<&OAuthGrantFilter::userId>("t.user_id = $userId")
                                            .stamped()
                                            .sort("createdAt", "created_at");
    return model;
}

boost::asio::awaitable<std::vector<ConnectedClient>> connected_clients(core::Database& operators, Id organization,
                                                                       Id user) {
    co_return co_await operators.run([organization, user](core::Connection& connection) {
        connection.use({.operator_access = true});
        std::vector<ConnectedClient> all;
        for (auto const& row : connection.execute(kConnected, organization, user)) {
            auto const grant = core::from_stored_json<events::OAuthGrant>(core::read_view(row["doc"]));
            auto& shown = all.emplace_back();
            shown.id = grant.id;
            shown.client_id = grant.clientId;
            shown.client_name = grant.clientName;
            shown.scopes = grant.scopes;
            shown.createdAt = grant.createdAt;
            shown.lastUsedAt.value = core::read<std::optional<core::Timestamp>>(row["used_at"]);
        }
        return all;
    });
}

}  // namespace workforce::projections
