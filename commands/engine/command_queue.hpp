// The commands that wait for their partition's writer, and whose turn it is to take them.
#pragma once

#include <deque>
#include <mutex>
#include <unordered_map>

#include "commands/engine/partition_context.hpp"
#include "commands/engine/submission.hpp"
#include "core/completion.hpp"
#include "core/fair_queue.hpp"

namespace workforce::commands {

/// A command that waits for its turn, and who waits for its reply.
struct Pending {
    Submission submission;
    core::Completion<Reply> done;
    Reserved reserved{};  ///< to be released unless it appends
    [[nodiscard]] core::Lane lane() const { return {submission.context.organization, submission.context.sandbox}; }
};

/// Refusals: while the clock of this process is not to be believed, and of a key whose first request was another one.
core::Problem clock_off();
core::Problem other_request();

/// Says who may wait, and has lanes take turns. One at a time has the turn: the right to take commands, and to the
/// claim and the memory on which they are decided. Thread-safe.
class CommandQueue {
   public:
    /// `limit` commands may wait. The clock and the counters outlive this.
    CommandQueue(std::size_t limit, bool open, core::CheckedClock const& clock, PartitionStats& stats)
        : clock_(clock), stats_(stats), queue_(limit), open_(open) {}

    void open() { set_open(true); }
    /// Takes no further commands.
    void close() { set_open(false); }
    [[nodiscard]] bool is_open() const { return open_; }
    /// Why no command is taken while it is closed.
    [[nodiscard]] core::Problem not_served() const;

    /// Queues the command, or refuses it at once: 503 while it is closed or full, 409 for a key in progress. Returns
    /// whether the caller has the turn from now on.
    [[nodiscard]] bool submit(Submission submission, core::Completion<Reply> done);

    /// Waits for the turn.
    boost::asio::awaitable<void> enter();
    /// Takes the turn where nobody has it.
    [[nodiscard]] bool try_enter();
    /// For who has the turn: the next commands, at most so many. None: nothing waits, and the turn is over; who waits
    /// in enter() has it next.
    std::vector<Pending> take(std::size_t most);
    /// Puts back what was taken last, from that place on, ahead of what came since.
    void put_back(std::vector<Pending>& batch, std::size_t from);

    /// Answers a command that was taken; its key is free again.
    void finish(Pending& pending, Reply reply);
    void refuse(Pending& pending, core::Problem const& problem) {
        finish(pending, refusal(pending.submission, problem));
    }

   private:
    void set_open(bool open) {
        std::lock_guard const lock(mutex_);
        open_ = open;
    }
    /// Why a command can't be queued, or nothing. Takes note of its idempotency key. The caller holds the lock.
    std::optional<core::Problem> admit(Submission const& submission);
    void show_size() { stats_.queued.store(queue_.size(), std::memory_order_relaxed); }

    core::CheckedClock const& clock_;
    PartitionStats& stats_;
    std::mutex mutex_;  // guards what follows; never held while deciding
    core::FairQueue<Pending> queue_;
    std::unordered_map<std::string, std::string> in_flight_;  // idempotency key → fingerprint
    bool busy_ = false;                                       // someone has the turn
    std::deque<core::Completion<bool>> entering_;
    std::atomic<bool> open_;  // set and cleared under the lock
};

}  // namespace workforce::commands
