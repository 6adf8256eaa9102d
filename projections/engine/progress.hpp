// How far the read models have come, and waiting for them to come further: what read-your-writes and /readyz stand on.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"

namespace workforce::projections {

/// A projection that stands still at one partition because of an event that it could not fold.
struct StoppedProjection {
    std::string projection;
    int partition = 0;
    std::int64_t position = 0;  ///< of that event
    std::string reason;
};

/// One partition's lag.
struct PartitionProgress {
    int partition = 0;
    std::int64_t position = -1;        ///< that all its projections have reached
    std::int64_t head = -1;            ///< of the log, when last looked at
    std::chrono::milliseconds lag{0};  ///< age of the oldest event that waits to be folded; 0 when there is none
    bool started = false;              ///< whether its checkpoints have been read
};

/// All of it at one moment.
struct ProjectionStatus {
    std::vector<PartitionProgress> partitions;
    std::vector<StoppedProjection> stopped;
    std::int64_t lag_events = 0;       ///< over all partitions
    std::chrono::milliseconds lag{0};  ///< the largest
    bool started = false;              ///< whether all partitions have
};

/// How soon somebody who waits has to hear: of what another process folds that costs a look at the database each time.
enum class Haste : std::uint8_t {
    at_once,  ///< a request's answer depends on it
    soon,     ///< within some hundred milliseconds
};

/// What is reported of the projections, those folded in this process and those that other processes fold, and read by
/// all. Thread-safe.
class Progress {
   public:
    Progress(int partitions, std::vector<std::string> projections);
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;
    ~Progress();

    /// Whether `projection` (empty: all of them) has folded the partition's event at `position`.
    [[nodiscard]] bool reached(int partition, std::int64_t position, std::string_view projection = {}) const;

    /// Waits until reached() holds: true, or `deadline` passes or the projection stands still: false. Resumes on the
    /// caller's executor, which must run one handler at a time (an io_context of one thread, or a strand).
    boost::asio::awaitable<bool> wait_for(int partition, std::int64_t position,
                                          std::chrono::steady_clock::time_point deadline,
                                          std::string_view projection = {}, Haste haste = Haste::at_once);

    /// For /readyz and metrics.
    [[nodiscard]] ProjectionStatus status() const;

    /// For how long the projection has lacked an event that was seen at the partition; 0 where it lacks none that is
    /// known of.
    [[nodiscard]] std::chrono::milliseconds behind(int partition, std::string_view projection) const;
    /// The longest of these times, over all partitions.
    [[nodiscard]] std::chrono::milliseconds behind(std::string_view projection) const;

    // What follows is the runner's side.

    /// Projection number `projection` (its place in the list given to the constructor) stands at `position`.
    struct Standing {
        std::int64_t position = -1;
        bool stopped = false;
        std::string reason{};         ///< why it stopped
        std::int64_t generation = 0;  ///< of its rows: counted up when a rebuild puts others in their place
    };
    /// Sets where all of the partition's projections stand, and wakes whom it concerns. Positions may go back: a crash
    /// of the database can lose the last transactions, rows and checkpoint alike.
    void set(int partition, std::vector<Standing> standings);
    /// Where the partition's projections stand is unknown until the next set(): the database went away. Nothing counts
    /// as reached meanwhile, so that no read takes rows that a crash lost for what it waited for.
    void lose(int partition);
    /// The partition is folded in this process from now on, or no longer.
    void take(int partition);
    void leave(int partition);

    // What follows is the runner's and the watch's side.

    /// Notes the log's head.
    void note_head(int partition, std::int64_t head);
    /// Notes that the partition has an event at that position, for behind().
    void note_event(int partition, std::int64_t position);
    /// Notes the time of the oldest event that waits to be folded (nothing: none does).
    void note_waiting(int partition, std::optional<core::Timestamp> oldest);

    // What follows is the watch's side (checkpoint_watch.hpp).

    /// As set(), for a partition that is folded elsewhere; of no effect when it is folded here or when lose() came
    /// since `losses` was read.
    void observe(int partition, std::vector<Standing> standings, std::uint64_t losses);
    /// How often lose() was called.
    [[nodiscard]] std::uint64_t losses() const { return losses_; }
    /// Partitions that are folded elsewhere.
    [[nodiscard]] std::vector<int> elsewhere() const;
    /// Of these those that somebody waits for who has to hear at once, or no later than soon.
    [[nodiscard]] std::vector<int> awaited(Haste haste) const;
    /// Has `wake` called, on any thread, whenever somebody begins to wait for a partition that is folded elsewhere, or
    /// a partition is folded here no longer; it must not wait. Empty: nobody is told any more, once this returns.
    void set_wake(std::function<void()> wake);

   private:
    struct Waiter;
    struct Partition;

    [[nodiscard]] std::size_t index_of(std::string_view projection) const;
    /// Partitions that are folded elsewhere and wanted.
    template <class Wanted>
    [[nodiscard]] std::vector<int> find(Wanted wanted) const;
    void wake();
    static void resume(std::vector<std::shared_ptr<Waiter>> const& woken);

    std::vector<std::string> const projections_;
    std::vector<std::unique_ptr<Partition>> partitions_;
    std::atomic<std::uint64_t> losses_{0};
    std::mutex wake_mutex_;
    std::function<void()> wake_;
};

}  // namespace workforce::projections
