// When and from where each API key was used last (domain 1.13).
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/database.hpp"
#include "operations/caller.hpp"

namespace workforce::api {

/// Remembers the last use of keys until it is written, for many keys by one statement, so that no request writes. What
/// a killed process remembered is lost. Thread-safe.
class KeyUses {
   public:
    /// Keys that are remembered at a time; uses of others are dropped until the next write.
    static constexpr std::size_t kMostKeys = 16'384;

    /// `writes` has sessions of role workforce_writer.
    explicit KeyUses(core::Database& writes) : writes_(writes) {}
    KeyUses(KeyUses const&) = delete;
    KeyUses& operator=(KeyUses const&) = delete;

    /// A request of the caller came from the address, now; of callers that are no keys nothing is remembered.
    void note(operations::Caller const& caller, std::string_view address);

    /// Writes what is remembered. What is later of a key stays, whichever process writes first; uses of users who were
    /// erased are left out. Errors: core::DatabaseUnavailable, core::DatabaseBusy; then it is remembered
    /// still.
    boost::asio::awaitable<void> write();
    /// As write(), once no request comes any more. Trouble is logged: then the last uses are lost.
    boost::asio::awaitable<void> write_rest();

    /// Whether the last attempt to write failed.
    [[nodiscard]] bool late() const { return late_.load(std::memory_order_relaxed); }
    /// Uses since the start that were not remembered: of too many keys at a time.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

   private:
    struct Use {
        core::Id organization = 0;
        core::Id user = 0;  ///< who is bound to the key; 0: nobody
        core::Timestamp at;
        std::string address;
    };
    using Uses = std::unordered_map<core::Id, Use>;  // by key
    /// Requests of different keys rarely meet at a lock.
    struct alignas(64) Shard {
        std::mutex mutex;
        Uses uses;
    };
    static constexpr unsigned kShardBits = 4;
    static constexpr std::size_t kShards = 1U << kShardBits;

    Shard& shard_of(core::Id key);
    /// Takes room for one more key; counts the use that is dropped where there is none.
    bool take_room();
    Uses take_all();
    void put_back(Uses uses);

    core::Database& writes_;
    std::array<Shard, kShards> shards_;
    std::atomic<std::size_t> keys_{0};  // in all shards
    std::atomic<std::uint64_t> dropped_{0};
    std::atomic<bool> late_{false};
};

}  // namespace workforce::api
