// How far reactors have come, what work they left, and holding them still.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/session_pool.hpp"
#include "projections/engine/progress.hpp"
#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The options of a session that sees the tables of reactors, under the role workforce_writer: for all functions here,
/// and for work_off().
core::ConnectionOptions reactor_session(core::ConnectionOptions options);

/// Where a reactor stands at a partition.
struct ReactorStanding {
    std::string name;
    int partition = 0;
    std::int64_t position = -1;  ///< of the last event that it folded
    bool paused = false;
    std::string trouble{};  ///< why it stands still, a pause too; empty while it goes on
    PendingWork work{};
};

/// The names of what is paused: reactors, and due jobs. Blocks. Errors: pqxx's.
std::set<std::string> paused(core::Connection& connection);

/// All reactors at all partitions, by name. Blocks. Errors: pqxx's.
std::vector<ReactorStanding> read_reactors(core::Connection& connection, int partitions,
                                           std::span<ReactorType const> types = reactors());

/// Has a reactor, or a due job, stand still: once this returns no batch of it commits and nobody claims its work; what
/// was claimed before is done, as is the round of a due job that was begun. `by` names the operator. Returns whether it
/// went on until now. Blocks.
bool pause(core::Connection& connection, std::string_view name, std::string_view by, std::string_view reason);
/// Has it go on. Returns whether it was paused. Blocks.
bool resume(core::Connection& connection, std::string_view name);

/// A standing as this process sees it beside the log.
struct ReactorStatus : ReactorStanding {
    std::int64_t lag_events = 0;
    bool late = false;  ///< it stayed behind the same head for longer than the watch's patience
    [[nodiscard]] bool stands_still() const { return late || !trouble.empty(); }
};

/// Looks from time to time, for /readyz and metrics. Thread-safe.
class ReactorWatch {
   public:
    /// What was appended so long ago should have been folded.
    static constexpr std::chrono::seconds kPatience{10};

    /// The sessions are as reactor_session() has them; `progress` tells heads. Both outlive the watch.
    ReactorWatch(core::SessionPool& sessions, projections::Progress const& progress, int partitions,
                 std::chrono::milliseconds patience = kPatience, std::span<ReactorType const> types = reactors())
        : sessions_(sessions), progress_(progress), partitions_(partitions), patience_(patience), types_(types) {}

    /// Blocks. Errors: core::DatabaseUnavailable.
    void look();
    /// As of the last look.
    [[nodiscard]] std::vector<ReactorStatus> status() const;

   private:
    using Clock = std::chrono::steady_clock;
    /// Since when a head was not reached.
    struct Behind {
        std::int64_t head = -1;
        Clock::time_point since{};
    };

    core::SessionPool& sessions_;
    projections::Progress const& progress_;
    int const partitions_;
    std::chrono::milliseconds const patience_;
    std::span<ReactorType const> const types_;
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, int>, Behind> behind_;
    std::vector<ReactorStatus> status_;
};

}  // namespace workforce::workers
