// Statements over the column master_keys of ops.process.
#include "workers/cluster/master_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/logging.hpp"
#include "events/master_key_table.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kTell{"tell_master_keys",
                                "UPDATE ops.process SET master_keys = $2::text[]"
                                " WHERE owner = $1 AND master_keys IS DISTINCT FROM $2::text[]"};
constexpr core::Statement kDoNotKnow{"do_not_know_master_key",
                                     "SELECT owner FROM ops.process WHERE (expires_at > now() OR master_keys IS NULL)"
                                     " AND $1 <> ALL (coalesce(master_keys, '{}')) ORDER BY owner"};
constexpr core::Statement kDoNotUse{
    "do_not_use_master_key",
    "SELECT owner FROM ops.process WHERE expires_at > now() AND master_keys[1] IS DISTINCT FROM $1 ORDER BY owner"};

std::vector<std::string> owners(pqxx::result const& rows) {
    std::vector<std::string> all;
    for (auto const& row : rows) all.push_back(core::read<std::string>(row[0]));
    return all;
}

}  // namespace

void require_master_key_known(core::Connection& connection, std::span<std::string const> ids) {
    auto const in_use = events::read_master_key_ids(connection).in_use;
    if (in_use.empty() || std::ranges::find(ids, in_use) != ids.end()) return;
    throw std::runtime_error(fmt::format("the master key was replaced by {} just now: configure the new one", in_use));
}

boost::asio::awaitable<void> follow_master_key(core::Database& writes, events::MasterKeys keys, std::string owner) {
    co_await writes.run([keys = std::move(keys), owner = std::move(owner)](core::Connection& connection) {
        auto const before = keys.ids().front();
        if (!events::follow_master_key(connection, keys)) {
            throw std::runtime_error(
                "the master key was replaced by one that this process does not know: restart it with the new one");
        }
        auto const ids = keys.ids();
        connection.execute(kTell, owner, ids);
        if (ids.front() == before) return;
        core::log(core::Level::info, "another master key is in use", {{"id", ids.front()}, {"former", before}});
    });
}

std::vector<std::string> who_does_not_know(core::Connection& connection, std::string const& id) {
    return owners(connection.execute(kDoNotKnow, id));
}

std::vector<std::string> who_does_not_use(core::Connection& connection, std::string const& id) {
    return owners(connection.execute(kDoNotUse, id));
}

}  // namespace workforce::workers
