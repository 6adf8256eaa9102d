// How much a partition keeps in memory of what its process may: what it evicts, and when commands are refused for want
// of memory.
#pragma once

#include <chrono>

#include "commands/engine/memory.hpp"
#include "commands/engine/partition_context.hpp"

namespace workforce::commands {

/// A share of the process's limits, or what other partitions leave. Without a store to look things up in again, nothing
/// is evicted or refused. Not thread-safe.
class MemoryBudget {
   public:
    /// All that is referred to outlives this. The memory may be replaced meanwhile; show() tells of that.
    MemoryBudget(int partition, PartitionContext const& context, Memory& memory, PartitionStats& stats)
        : number_(partition), context_(context), memory_(memory), stats_(stats) {}

    /// Evicts what a batch of commands has no room beside. False: there is too much in memory for any command.
    boost::asio::awaitable<bool> admits_commands();
    /// Whether memory takes the events, and the answer of a command with a key. While it is full it takes from
    /// organizations that hold much of it only what leaves soon: of kinds of which little waits for its read model.
    [[nodiscard]] bool has_room(Submission const& submission, std::vector<NewEvent> const& events) const;
    /// Counts commands that are refused for want of memory, and says why they are.
    core::Problem refuse(std::size_t commands);

    enum class Bound : std::uint8_t {
        usual,
        further,  ///< a quarter more
    };
    /// Whether there is more in memory than there may be, even for a moment.
    [[nodiscard]] bool overflows(Bound bound = Bound::usual) const;
    /// Evicts what is beyond what the partition may keep, as far as it is stored up to `through`. Returns how many
    /// aggregates were.
    std::size_t evict(Positions const& through);

    enum class Sweep : std::uint8_t { when_worth_it, at_once };
    /// Asks how much is stored, and evicts.
    boost::asio::awaitable<void> sweep(Sweep how = Sweep::when_worth_it);
    /// Has the process and the metrics count what is in memory now.
    void show();

   private:
    /// This partition's part of what the process may keep.
    [[nodiscard]] std::size_t share_of(std::size_t all) const;
    /// Whether another partition lately evicted for its own sake.
    [[nodiscard]] bool others_evict() const;
    struct Room {
        std::size_t keep;  ///< what a sweep leaves in memory
        std::size_t most;  ///< past that a sweep is worth its question
    };
    /// What the partition may keep of the process's limit: its share, or what the others leave while none of them
    /// evicts. An organization is kept whole, and one that is larger than a share would be read again for each command.
    [[nodiscard]] Room room(std::size_t limit, std::size_t used, std::size_t shown) const;
    [[nodiscard]] Room room_for_aggregates() const;
    [[nodiscard]] Room room_for_answers() const;
    /// Says once that some commands are refused for want of memory, and why, and once that they no longer are.
    boost::asio::awaitable<void> note_full(bool full);

    int const number_;
    PartitionContext const& context_;
    Memory& memory_;
    PartitionStats& stats_;
    std::chrono::steady_clock::time_point next_sweep_;
    std::int64_t evicted_at_ = 0;  // as the process was told
    std::size_t shown_bytes_ = 0;  // as the process counts them
    std::size_t shown_answer_bytes_ = 0;
    bool full_ = false;   // some commands are refused, since too little can be evicted from memory
    KindBytes unstored_;  // while it is full, as of the last sweep
};

}  // namespace workforce::commands
