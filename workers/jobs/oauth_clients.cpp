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
        OR (c.last_used_at IS NULL AND c.created_at < now() - CASE
            WHEN (SELECT count(*) FROM auth.oauth_client u WHERE u.last_used_at IS NULL) < 5000 THEN interval '7 days'
            ELSE interval '1 hour' END))
    AND NOT EXISTS (SELECT FROM auth.oauth_chain t WHERE t.client_id = c.client_id AND t.ended_at IS NULL AND t.ends_at > now())
ORDER BY c.id LIMIT 200)"};
constexpr core::Statement kForgetClient{"oauth_forget_client", "DELETE FROM auth.oauth_client WHERE client_id = $1"};

constexpr core::Statement kIdOfClient{"oauth_id_of_client",
                                      "SELECT id FROM auth.oauth_client WHERE client_id = $1 AND id IS NOT NULL"};

using UnusedClients = std::vector<std::pair<std::string, core::Id>>;

/// Some of them: name and id.
UnusedClients find_unused(core::SessionPool& sessions) {
    return sessions.run([](core::Connection& connection) {
        UnusedClients clients;
        for (auto const& row : connection.execute(kUnusedClients)) {
            clients.emplace_back(core::read<std::string>(row[0]), core::read<core::Id>(row[1]));
        }
        return clients;
    });
}

/// Whether all of them are removed.
bool remove_all(UnusedClients const& clients, core::SessionPool& sessions, SubmitOperation const& submit) {
    for (auto const& [name, id] : clients) {
        auto const removed = submit({.verb = "oauth.remove_client",
                                     .organization = kClientsOrganization,
                                     .id = id,
                                     .body = R"({"reason":"unused"})",
                                     .key = "remove " + name});
        if (!removed || removed->status >= 300) return false;
        sessions.run([&](core::Connection& connection) { forget_oauth_client(connection, name); });
    }
    return true;
}

}  // namespace

void remove_unused_clients(core::SessionPool& sessions, SubmitOperation const& submit) {
    auto unused = find_unused(sessions);
    for (; !unused.empty(); unused = find_unused(sessions)) {
        if (!remove_all(unused, sessions, submit)) return;  // the next round tries again
    }
}

std::optional<core::Id> find_oauth_client(core::Connection& connection, std::string const& client_id) {
    auto const rows = connection.execute(kIdOfClient, client_id);
    return rows.empty() ? std::nullopt : std::optional(core::read<core::Id>(rows[0][0]));
}

void forget_oauth_client(core::Connection& connection, std::string const& client_id) {
    connection.execute(kForgetClient, client_id);
}

}  // namespace workforce::workers
