// What the parts of a partition's writer share with those of the others, and what they count.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>

#include "commands/engine/answer_key.hpp"
#include "commands/engine/reservations.hpp"
#include "commands/engine/state_store.hpp"
#include "core/checked_clock.hpp"
#include "core/metrics.hpp"
#include "events/codec.hpp"
#include "events/log/log.hpp"

namespace workforce::commands {

/// What partitions share. All referenced objects outlive them.
struct PartitionContext {
    events::EventLog& log;
    events::Encoder const& encoder;
    events::Keyring& keyring;
    core::CheckedClock const& clock;    ///< tells the events' times; while it is not to be believed nothing is decided
    boost::asio::thread_pool& folding;  ///< for take-overs, which may take long
    boost::asio::thread_pool& storing;  ///< for storing keys, which commands wait for
    boost::asio::thread_pool& loading;  ///< for look-ups
    StateStore* store = nullptr;        ///< where to find what is not in memory; null: all is kept there
    Reservations* reservations = nullptr;  ///< null: a command that reserves fails
    MemoryLimits limits{};                 ///< of the process
    MemoryUse& use;                        ///< by the partitions that share these limits
    std::string owner;                     ///< names this process to people
    /// Whether this process may claim a partition that it lost, asked at that moment; may throw. Empty: the process
    /// serves every partition from the start and claims it whenever a command needs it.
    std::function<boost::asio::awaitable<bool>(int partition)> may_claim{};
    /// Asked before each claim and after it, before anything comes of it: throws when the log is not to be written.
    /// Where nobody else does, it compares the clock.
    std::function<boost::asio::awaitable<void>()> require_writable{};
    AnswerKeyUse answer_keys{};
    std::size_t queue_limit = 4096;  ///< commands that may wait; more get 503
    std::size_t batch_limit = 512;   ///< commands decided for one append
};

/// Counters of a partition, readable from any thread.
struct PartitionStats {
    std::atomic<std::uint64_t> queued_ever{0};
    std::atomic<std::uint64_t> commands{0};
    std::atomic<std::uint64_t> events{0};
    std::atomic<std::uint64_t> appends{0};
    std::atomic<std::uint64_t> faults{0};  ///< appends fenced or of unknown outcome
    core::Latency append_seconds;          ///< of appends to the log, whatever their outcome
    std::atomic<std::uint64_t> claims{0};
    std::atomic<std::size_t> queued{0};
    std::atomic<std::int64_t> epoch{0};
    std::atomic<std::int64_t> head{-1};
    std::atomic<std::int64_t> base{-1};        ///< position from which on the log was folded at the last take-over
    std::atomic<std::size_t> aggregates{0};    ///< in memory
    std::atomic<std::size_t> bytes{0};         ///< that these take
    std::atomic<std::uint64_t> refused{0};     ///< commands, since the start, for want of memory
    std::atomic<std::size_t> answers{0};       ///< in memory
    std::atomic<std::uint64_t> evicted{0};     ///< aggregates, since the start
    std::atomic<std::uint64_t> looked_up{0};   ///< things that were looked up, found or not
    std::atomic<std::int64_t> lacks_until{0};  ///< milliseconds: until then an answer may have to be looked up; 0: none
};

}  // namespace workforce::commands
