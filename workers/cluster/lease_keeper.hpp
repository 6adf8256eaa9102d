// Keeps this process's leases: its heartbeat, its fair share of the partitions, and what they stand for here.
#pragma once

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>

#include "commands/engine/processor.hpp"
#include "core/checked_clock.hpp"
#include "projections/engine/runner.hpp"
#include "workers/cluster/leases.hpp"
#include "workers/cluster/log_watch.hpp"
#include "workers/cluster/owners.hpp"

namespace workforce::workers {

/// What a process does with a partition whose lease it holds. Called on the keeper's thread.
struct Work {
    /// Takes it up; may take long, throws when it can't be done now.
    std::function<boost::asio::awaitable<void>(int partition)> take;
    /// Lets go of it, also while it is being taken up.
    std::function<boost::asio::awaitable<void>(int partition)> give;
    std::function<bool(int partition)> has;
    std::function<std::int64_t(int partition)> epoch;  ///< of the claim; empty where there are none
    std::function<std::int64_t(int partition)> tail;   ///< events folded to take it up; empty as `epoch`
};
/// Commands for the partition; and its folding, into read models and by reactors, which go their own pace.
Work writing(commands::Processor& processor);
Work projecting(projections::Runner& read_models, projections::Runner& reactors);

/// How many partitions of a kind a process should hold, when each process holds so many: the same everywhere for the
/// same counts, nobody more than one above another, and no move where that is so already.
/// `counts` are all processes that may hold the kind, by name, `self` among them.
int fair_share(std::vector<std::pair<std::string, int>> counts, std::string const& self, int partitions);

/// Runs on one executor of one thread, on which all functions are to be called. `serve` takes everything at its start,
/// whoever holds it, and later what is free; the others share with their like: they take what is free up to their share
/// and give up what is above it, after the work there has ended. A process whose clock is wrong gives up all that it
/// writes, and has no share, until the clock is right again. One that does not hear the log while its like do gives up
/// all, and nobody takes anything while he does not hear it; `serve` does not heed that. Work that could not be taken
/// up for several times is left to another process, where one lives; such a partition is apart from the shares.
class LeaseKeeper {
   public:
    /// `database`, with sessions of role workforce_writer, is best the keeper's own: renewals must not wait behind
    /// other work. `clock` is compared, and `silence` (events::EventLog::silence) asked, at each renewal. A kind
    /// without work is not held. All referenced objects outlive the executor's context.
    LeaseKeeper(boost::asio::any_io_executor executor, core::Database& database, core::CheckedClock& clock,
                std::function<std::chrono::milliseconds()> silence, int partitions, Member member, Owners& owners,
                std::optional<Work> writer, std::optional<Work> projector);
    LeaseKeeper(LeaseKeeper const&) = delete;
    LeaseKeeper& operator=(LeaseKeeper const&) = delete;

    /// Announces the process, takes what it is due, and goes on doing so until stop(). Returns once the first leases
    /// are taken; their work is taken up meanwhile. Throws core::DatabaseUnavailable.
    boost::asio::awaitable<void> start();

    /// Waits until the work that was begun is taken up, or could not be.
    boost::asio::awaitable<void> settled();

    /// Lets go of all work, then gives the leases back. Trouble with the database is logged: they run out by
    /// themselves.
    boost::asio::awaitable<void> stop();

   private:
    using Clock = std::chrono::steady_clock;
    /// What the keeper knows of one lease.
    struct Slot {
        bool mine = false;
        bool giving = false;  ///< it is above the share, or given up: given back once the work has ended
        bool aside = false;   ///< another gave it up: it does not count towards the share
        bool ending = false;  ///< work.give runs
        bool taking = false;  ///< work.take runs
        int failures = 0;     ///< of work.take since the lease was taken
        std::string former;   ///< the last other process that was seen to hold it
        Clock::time_point retry_at{};
        std::chrono::milliseconds pause{0};
    };
    static bool is_kept(Slot const& slot) { return slot.mine && !slot.giving; }
    /// The leases of one kind.
    struct Kind {
        LeaseKind kind = LeaseKind::writer;
        std::optional<Work> work{};
        std::vector<Slot> slots{};
        int wanted = 0;  ///< leases to take at the next renewal
    };

    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> tick();
    [[nodiscard]] Changes changes() const;
    /// Notes, and logs, whether the clock lets the process write.
    void heed_clock();
    /// Takes up and lets go what the view asks for.
    void follow(ClusterView const& view);
    void share(Kind& kind, ClusterView const& view) const;
    /// Logs when processes live that may not live side by side.
    void look_for_rivals(ClusterView const& view);
    void take_up(Kind& kind, int partition);
    void let_go(Kind& kind, int partition);
    boost::asio::awaitable<void> taking(Kind& kind, int partition);
    boost::asio::awaitable<void> ending(Kind& kind, int partition);
    /// Log that work was taken up, or has ended, since `begun`.
    void tell_taken(Kind const& kind, int partition, Clock::time_point begun) const;
    void tell_let_go(Kind const& kind, int partition, std::int64_t epoch, Clock::time_point begun) const;
    [[nodiscard]] std::chrono::milliseconds pause_after(ClusterView const& view) const;
    [[nodiscard]] bool idle() const;
    boost::asio::awaitable<void> until(std::function<bool()> condition);

    boost::asio::any_io_executor const executor_;
    core::Database& database_;
    core::CheckedClock& clock_;
    LogWatch log_;
    int const partitions_;
    Member const member_;
    Owners& owners_;
    std::array<Kind, 2> kinds_;
    boost::asio::steady_timer next_;     // of the loop; cancelled to have it tick at once
    boost::asio::steady_timer changed_;  // its cancellation wakes until()
    std::chrono::milliseconds pause_{0};
    bool from_anyone_;
    bool may_write_ = true;
    bool yields_ = false;  // all is given up, at once: what is under way waits for a log that does not answer
    bool alone_ = false;   // no other process of this role lives that may do its work
    bool rivals_ = false;  // there were some when last looked
    bool running_ = false;
    bool stopping_ = false;  // nothing is taken up any more
    bool stopped_ = false;   // nothing is renewed any more
};

}  // namespace workforce::workers
