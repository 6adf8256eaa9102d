// What commands need from tables beside the log: ids in blocks, and the home partitions of organizations.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/database.hpp"
#include "events/aggregate.hpp"

namespace workforce::commands {

/// Hands out ids from Postgres sequences, a block a round trip. Thread-safe. Ids of a block are lost with the process:
/// they are never reused, not gapless.
class IdBlocks {
   public:
    explicit IdBlocks(core::Database& database) : database_(database) {}

    /// `count` new ids of the kind, at most 100. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<std::vector<core::Id>> take(events::Kind kind, std::size_t count);

   private:
    struct Block {
        core::Id next = 0;
        core::Id end = 0;
    };
    std::vector<core::Id> take_from_block(Block& block, std::size_t count);

    core::Database& database_;
    std::mutex mutex_;
    std::array<Block, events::kKinds> blocks_{};  // by Kind
};

/// Which partition an organization lives in, chosen once and stored. Thread-safe.
class Homes {
   public:
    Homes(core::Database& database, int partitions) : database_(database), partitions_(partitions) {}

    /// The partition, or -1 for an organization that has none. Asks the database only for one not seen before.
    boost::asio::awaitable<int> find(core::Id organization);
    /// Gives an organization its home, the emptiest partition; a repeat finds the one given before.
    boost::asio::awaitable<int> reserve(core::Id organization);
    /// The id of a new organization, which has its home from then on. The same request, named by the digest of its
    /// idempotency key, finds the same organization for a day. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<core::Id> take_new(std::optional<std::string> request);

   private:
    void remember(core::Id organization, int partition);

    core::Database& database_;
    int const partitions_;
    std::mutex mutex_;
    std::unordered_map<core::Id, int> known_;
};

}  // namespace workforce::commands
