// All partitions that this process writes: finds an organization's partition and hands commands to its writer.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <concepts>
#include <memory>
#include <thread>

#include "commands/engine/directory.hpp"
#include "commands/engine/partition.hpp"
#include "core/batcher.hpp"
#include "core/log_throttle.hpp"

namespace workforce::commands {

/// What the partitions keep in memory, where they find the rest, and where they reserve; without a store they keep all.
struct Residency {
    StateStore* store = nullptr;
    Reservations* reservations = nullptr;  ///< null: no command that reserves can be decided
    MemoryLimits limits{};
    std::chrono::milliseconds tidy_pause{1000};  ///< between looks at what memory may evict
    std::size_t queue_limit = 0;  ///< commands that may wait for a partition; 0: as PartitionContext has it
    AnswerKeyUse answer_keys{};
};

/// Owns the writers' thread. `submit` is thread-safe; the caller resumes on its own executor.
class Processor {
   public:
    /// The referenced objects outlive the processor. `clock` tells events their times. `owner` names this process to
    /// people. `may_claim` as in PartitionContext: without it every partition is served from the start, with it those
    /// that acquire() took. `require_writable` as there.
    Processor(events::EventLog& log, events::Encoder const& encoder, events::Keyring& keyring, core::Database& database,
              core::CheckedClock const& clock, std::string const& owner,
              std::function<boost::asio::awaitable<bool>(int)> const& may_claim = {},
              std::function<boost::asio::awaitable<void>()> const& require_writable = {},
              Residency const& residency = {});
    ~Processor();
    Processor(Processor const&) = delete;
    Processor& operator=(Processor const&) = delete;

    /// Claims and folds the partition and then takes its commands. Resumes on the caller's executor.
    /// Errors: what Partition::acquire throws.
    boost::asio::awaitable<void> acquire(int partition);

    /// Answers what is queued for the partition, forgets it, and refuses its commands from now on.
    boost::asio::awaitable<void> release(int partition);

    /// Whether this process takes the partition's commands now. Thread-safe.
    [[nodiscard]] bool owns(int partition) const;
    /// Whether the log had that partition when this process opened it.
    [[nodiscard]] bool has(int partition) const;

    /// Decides a command in its organization's partition (submission.context.organization) and gives its reply, 503
    /// when the log or the database is away or the partition is not served here. Never throws for those.
    boost::asio::awaitable<Reply> submit(Submission submission);

    IdBlocks& ids() { return ids_; }
    /// Threads for look-ups that block.
    boost::asio::thread_pool& blocking() { return loading_; }
    Homes& homes() { return homes_; }
    [[nodiscard]] std::vector<std::unique_ptr<Partition>> const& partitions() const { return partitions_; }
    /// The numbers of those that this process serves now.
    [[nodiscard]] std::vector<int> served() const;

    /// Ends the thread after what is queued was answered. Call it once no one submits any more.
    void stop();

   private:
    boost::asio::awaitable<void> tidy();
    struct AnswerNeed {
        int partition = 0;
        Need need;
    };
    /// For each, up to where stored answers were looked through without finding it; -1: it was found.
    boost::asio::awaitable<std::vector<std::int64_t>> look_for_answers(std::vector<AnswerNeed> wanted);

    IdBlocks ids_;
    Homes homes_;
    Residency const residency_;
    core::Batcher<AnswerNeed, std::int64_t> answers_;
    std::atomic<std::size_t> looking_{0};  // commands that wait for a look-up
    MemoryUse use_;
    core::LogThrottle homes_unknown_{"an organization's home could not be looked up"};
    boost::asio::thread_pool folding_{2};
    boost::asio::thread_pool storing_{1};  // of its own: a write with a new key must not wait behind long folds
    boost::asio::thread_pool loading_{3};  // as RowStore has sessions
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    boost::asio::steady_timer next_tidy_{context_};
    bool stopping_ = false;  // of the writers' thread
    std::vector<std::unique_ptr<Partition>> partitions_;
    std::thread thread_;
};

/// Makes the submission of a typed command: `decide` and, unless it answers Nothing, `answer` are found by its type.
/// `target` and what the request adds (idempotency, If-Match, rendering of refusals) are the caller's to fill in.
template <class Command>
Submission make_submission(Command command, Context context) {
    Submission submission;
    submission.context = std::move(context);
    auto shared = std::make_shared<Command const>(std::move(command));
    submission.decide = [shared](View const& view, Context const& c) {
        auto decision = decide(view, *shared, c);
        if (decision) decision->at = c.now;
        return decision;
    };
    submission.render = [shared](View const& view, Decision const& decision) {
        Rendered rendered;
        if constexpr (!std::same_as<typename Command::Answer, Nothing>) {
            auto const result = answer(view, *shared, decision);
            rendered.body = core::to_json(result);
            if constexpr (requires { answer_for_retries(result); }) {
                if (auto const kept = answer_for_retries(result)) rendered.kept = core::to_json(*kept);
            }
            if constexpr (!requires { shared->id; } && requires { result.id; }) {
                if (!decision.events.empty()) rendered.created = decision.events.front().subject;
            }
        }
        return rendered;
    };
    return submission;
}

}  // namespace workforce::commands
