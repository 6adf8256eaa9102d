// Looks up what commands need and a partition's memory lacks, and reserves what must be unique.
#pragma once

#include "commands/engine/command_queue.hpp"
#include "commands/engine/memory.hpp"
#include "core/log_throttle.hpp"

namespace workforce::commands {

/// Not thread-safe; what blocks is done on the threads of the context.
class Loader {
   public:
    enum class Outcome : std::uint8_t {
        done,
        failed,   ///< what is stored of these needs can't be used
        nothing,  ///< nothing can be looked up now
    };

    /// All that is referred to outlives this.
    Loader(int partition, PartitionContext const& context, Memory& memory, PartitionStats& stats)
        : number_(partition), context_(context), memory_(memory), stats_(stats) {}

    /// Brings into memory what the first command needs, and with it `all`, which has these needs and those of others.
    /// What is reserved is so for the first, under the epoch. Never throws.
    boost::asio::awaitable<Outcome> bring_in(Pending& first, Needs needs, Needs all, Timestamp now, std::int64_t epoch);
    /// Frees what was reserved for a command that appends nothing of it. Where that fails, settling frees it.
    boost::asio::awaitable<void> release(Reserved unused);

   private:
    boost::asio::awaitable<Outcome> try_look_up(Pending& first, Needs needs, Timestamp now, std::int64_t epoch);
    boost::asio::awaitable<void> look_up(Pending& first, Needs needs, Timestamp now, std::int64_t epoch);

    int const number_;
    PartitionContext const& context_;
    Memory& memory_;
    PartitionStats& stats_;
    core::LogThrottle unfound_{"the state that commands need could not be looked up"};
};

}  // namespace workforce::commands
