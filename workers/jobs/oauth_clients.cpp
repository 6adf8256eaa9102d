// Statements on auth.oauth_client.
#include "workers/jobs/oauth_clients.hpp"

#include <string>
#include <utility>
#include <vector>

namespace workforce::workers {
namespace {

constexpr core::Id kClientsOrganization = 1;  // the internal one

constexpr core::Statement kUnusedClients{"oauth_unused_clients", R"(
SELECT c.client_id, c.id FROM auth.oauth_client c
WHERE c.id IS NOT NULL AND (c.last_used_at < now() - interval '90 days'
        OR (c.last_used_at IS NULL AND c.created_at < now() - interval '7 days'))
    AND NOT EXISTS (SELECT FROM auth.oauth_chain t WHERE t.client_id = c.client_id AND t.ended_at IS NULL AND t.ends_at > now())
ORDER BY c.id LIMIT 200)"};
constexpr core::Statement kForgetClient{"oauth_forget_client", "DELETE FROM auth.oauth_client WHERE client_id = $1"};

}  // namespace

void remove_unused_clients(core::SessionPool& sessions, SubmitOperation const& submit) {
    auto const unused = sessions.run([](core::Connection& connection) {
        std::vector<std::pair<std::string, core::Id>> clients;
        for (auto const& row : connection.execute(kUnusedClients)) {
            clients.emplace_back(core::read<std::string>(row[0]), core::read<core::Id>(row[1]));
        }
        return clients;
    });
    for (auto const& [name, id] : unused) {
        auto const removed = submit({.verb = "oauth.remove_client",
                                     .organization = kClientsOrganization,
                                     .id = id,
                                     .body = R"({"reason":"unused"})",
                                     .key = "remove " + name});
        if (!removed || removed->status >= 300) return;  // the next round tries again
        sessions.run([&](core::Connection& connection) { connection.execute(kForgetClient, name); });
    }
}

}  // namespace workforce::workers
