// The single writer of one partition: takes its commands one after another, decides them on state in memory, appends
// what they lead to in groups, and answers once the log has acknowledged.
//
// No answer that depended on the partition's state leaves before every batch that it saw is durable and the claim was
// confirmed after the decision. On any doubt all memory is dropped and the partition is claimed and folded anew.
//
// Where several processes share the partitions, one that is not served here refuses commands at once.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <span>

#include "commands/engine/loader.hpp"
#include "commands/engine/stager.hpp"
#include "commands/engine/take_over.hpp"

namespace workforce::commands {

/// One partition's writer: it joins the queue, the stager, the loader, the memory's budget and the take-over, and
/// appends. `submit` may be called from any thread; all else runs on the executor given, which must be served by one
/// thread.
class Partition {
   public:
    Partition(int number, PartitionContext context, boost::asio::any_io_executor executor);
    Partition(Partition const&) = delete;
    Partition& operator=(Partition const&) = delete;
    ~Partition();

    /// Queues a command; the completion gets its reply. Refuses at once what can't be queued: 503 for a partition that
    /// is not served here, too, 409 for a key in progress.
    void submit(Submission submission, core::Completion<Reply> done);

    /// Claims the partition and folds it, then takes commands. Nothing is done where that was so already.
    /// Errors: events::LogUnavailable, events::UnknownEvent, events::DamagedEvent; Abandoned when release() came.
    boost::asio::awaitable<void> acquire();

    /// Takes no further commands, answers those that wait, and forgets claim and memory. Ends an acquire() under way.
    boost::asio::awaitable<void> release();

    /// Evicts what memory holds beyond its limits, unless commands are being decided, which do that too.
    boost::asio::awaitable<void> tidy();

    /// What has to be looked for among the stored answers before the command is submitted, or nothing. Any thread.
    [[nodiscard]] std::optional<Need> answer_to_look_up(Submission const& submission) const;

    /// Whether it takes commands. Any thread.
    [[nodiscard]] bool served() const { return queue_.is_open(); }
    /// Why it can't be served though this process is to, or nothing. Any thread.
    [[nodiscard]] std::optional<std::string> fault() const;

    [[nodiscard]] PartitionStats const& stats() const { return stats_; }
    [[nodiscard]] int number() const { return number_; }

   private:
    using Appended = tl::expected<void, events::AppendFault>;

    /// Starts a drain with the caller's turn, which the drain ends.
    void spawn_drain();
    /// Decides and appends until the queue is empty.
    boost::asio::awaitable<void> drain();
    /// Why the batch can't be decided, or nothing once the partition is claimed.
    boost::asio::awaitable<std::optional<core::Problem>> ensure_claimed();
    /// Claims and folds. Errors: as acquire.
    boost::asio::awaitable<void> take_over();
    void set_fault(std::string fault);
    void forget_all();
    /// Stages the commands one after another, and looks up what they need. False: the state can't be trusted any more;
    /// all that are not answered wait again.
    boost::asio::awaitable<bool> stage_batch(std::vector<Pending>& batch, Staged& staged);
    /// Stages the command, or tells what it needs. Sets `broken` when the state can't be trusted any more.
    std::optional<Needs> try_stage(Pending& pending, Staged& staged, bool& broken);
    /// Looks up what the first command needs, and what the others need that can be told already.
    boost::asio::awaitable<Loader::Outcome> bring_in(std::span<Pending> batch, Staged const& staged, Needs needs);
    /// Makes the batch durable and what it revokes ineffective, or confirms the claim where there is nothing to append.
    /// Never throws.
    boost::asio::awaitable<Appended> commit(Staged& staged);
    boost::asio::awaitable<Appended> append(Staged& staged);
    /// Does blocking work that commands wait for. False: it failed, and the log says what of.
    boost::asio::awaitable<bool> store(std::function<void()> work, std::string_view failure);
    void refuse_all(std::vector<Pending> batch, core::Problem const& problem);

    int const number_;
    PartitionContext const context_;
    boost::asio::any_io_executor const executor_;
    PartitionStats stats_;
    std::optional<events::Claim> claim_;
    Memory memory_;
    CommandQueue queue_;
    MemoryBudget budget_;
    Stager stager_;
    Loader loader_;
    TakeOver take_over_;
    core::LogThrottle untaken_{"the partition can't be taken over"};
    mutable std::mutex fault_mutex_;  // guards what follows
    std::string fault_;
};

}  // namespace workforce::commands
