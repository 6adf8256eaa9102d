// Statements on auth.api_key_use.
#include "api/credentials/key_uses.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "api/sql.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/row_columns.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::api {
namespace {

constexpr core::Statement kWrite{"write_key_uses", sql::credentials_write_key_uses};

}  // namespace

void KeyUses::note(operations::Caller const& caller, std::string_view address) {
    if (caller.credential_type != events::ActorType::api_key) return;
    auto const now = core::now();
    auto& shard = shard_of(caller.credential_id);
    std::lock_guard const lock(shard.mutex);
    auto found = shard.uses.find(caller.credential_id);
    if (found == shard.uses.end()) {
        if (!take_room()) return;
        found = shard.uses.try_emplace(caller.credential_id).first;
        found->second.organization = caller.organization;
        found->second.user = caller.user.id;
    }
    found->second.at = now;
    found->second.address.assign(address);
}

KeyUses::Shard& KeyUses::shard_of(core::Id key) {
    // Ids come in blocks, evenly spaced: they differ in no low bit, but in the product's high ones.
    constexpr std::uint64_t kMix = 0x9E37'79B9'7F4A'7C15;
    return shards_.at(static_cast<std::uint64_t>(key) * kMix >> (64 - kShardBits));
}

bool KeyUses::take_room() {
    if (keys_.fetch_add(1, std::memory_order_relaxed) < kMostKeys) return true;
    keys_.fetch_sub(1, std::memory_order_relaxed);
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
}

KeyUses::Uses KeyUses::take_all() {
    Uses all;
    for (auto& shard : shards_) {
        std::lock_guard const lock(shard.mutex);
        all.merge(std::exchange(shard.uses, {}));
    }
    keys_.fetch_sub(all.size(), std::memory_order_relaxed);
    return all;
}

void KeyUses::put_back(Uses uses) {
    for (auto& [key, use] : uses) {
        auto& shard = shard_of(key);
        std::lock_guard const lock(shard.mutex);
        if (shard.uses.contains(key)) continue;  // a later use stays
        if (take_room()) shard.uses.try_emplace(key, std::move(use));
    }
}

boost::asio::awaitable<void> KeyUses::write() {
    auto uses = take_all();
    if (uses.empty()) co_return;
    try {
        co_await writes_.transact([&](core::Connection& connection) {
            workers::hold_addresses(connection);
            core::execute_rows(connection, kWrite, uses, [](auto const& each) {
                auto const& [key, use] = each;
                return std::tuple(use.organization, key, use.user, use.at, std::string_view(use.address));
            });
        });
        late_ = false;
    } catch (...) {
        late_ = true;
        put_back(std::move(uses));
        throw;
    }
}

boost::asio::awaitable<void> KeyUses::write_rest() {
    try {
        co_await write();
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn), "the last uses of API keys were not written",
                  {{"error", error.what()}});
    }
}

}  // namespace workforce::api
