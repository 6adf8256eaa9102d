// Folds one partition's events into a set of projections, a batch a step: what the runner and a rebuild share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/session_pool.hpp"
#include "events/keyring.hpp"
#include "events/log/log.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/projection.hpp"

namespace workforce::projections {

/// The session options of whoever writes read models: their role, the tables, and commits that do not wait for the
/// disk, for rows and checkpoint are one transaction and a crash of the server loses both alike.
core::ConnectionOptions projector_session(core::ConnectionOptions options, Tables tables = Tables::live);

/// How much a step takes.
struct BatchLimits {
    std::size_t records = 2000;
    std::size_t bytes = std::size_t{4} << 20;
};

/// What a step did.
struct StepResult {
    enum class Kind : std::uint8_t {
        folded,     ///< events, and there may be more
        idle,       ///< nothing: all that run are at the end of the log
        stopped,    ///< nothing: no projection runs
        lost_race,  ///< nothing: another process moved a checkpoint; all were read anew
    };
    Kind kind = Kind::idle;
    std::size_t records = 0;
    std::size_t poisoned = 0;  ///< projections that this step stopped
};

/// Used by one thread at a time. The log, the keyring, the sessions and the memory of rows outlive it.
class PartitionFolder {
   public:
    PartitionFolder(events::EventLog& log, events::Keyring& keyring, core::SessionPool& sessions,
                    std::span<ProjectionType const> projections, int partition, BatchLimits limits, RowMemory& rows);

    /// Reads where the projections stand; to be called before the first step and after every exception of one.
    /// `retry_poison` gives events that stopped a projection another try. Errors: core::DatabaseUnavailable,
    /// events::LogUnavailable.
    void load(bool retry_poison);

    /// Folds the next batch of the projections that are furthest behind. One that can't fold an event is stopped there,
    /// which the table of poison events records; the others go on.
    /// Errors: core::DatabaseUnavailable, events::LogUnavailable; std::runtime_error when keys can't be had.
    StepResult step();

    [[nodiscard]] std::vector<Progress::Standing> standings() const;
    /// The position up to which all that run have folded; that of the furthest when none runs.
    [[nodiscard]] std::int64_t position() const;
    [[nodiscard]] bool any_stopped() const;
    /// The time of the first event that was read and not yet folded, if there is one.
    [[nodiscard]] std::optional<core::Timestamp> oldest_waiting() const { return oldest_waiting_; }
    /// The time of the last event that was folded, if any was.
    [[nodiscard]] std::optional<core::Timestamp> last_time() const { return last_time_; }

   private:
    struct Member {
        ProjectionType const* type = nullptr;
        std::unique_ptr<Projection> handlers{};
        Progress::Standing standing{};
    };
    using Group = std::vector<Member*>;
    struct Batch {
        std::vector<events::Event> events;
        std::int64_t last = -1;  ///< position of the last record that was read and can be folded
        std::string fault{};     ///< why the record after it can't be decoded; empty when that is not known of it
    };

    /// The position before the first event that matters to a new projection.
    std::int64_t before_first_for(ProjectionType const& type);
    /// Makes the checkpoints of projections that have none yet.
    void begin_new();
    void stop_ahead_of_log(ProjectionType const& reactor, Progress::Standing& standing);
    Group furthest_behind(std::int64_t& until);
    Batch decode(std::vector<events::Record> records);
    /// Decodes those that somebody wants.
    std::vector<events::Event> decode_wanted(std::vector<events::Record> const& records);
    /// Has the API keys that it revokes open nothing any more, before any checkpoint passes that.
    void mark_ends(Batch const& batch);
    std::size_t fold(Group const& group, Batch const& batch);
    bool fold_alone(Member& member, std::span<events::Event const> events, std::int64_t last);
    void commit(Group const& group, std::span<events::Event const> events, std::int64_t last);
    void poison(Member& member, std::int64_t position, std::string const& error);

    events::EventLog& log_;
    events::Keyring& keyring_;
    core::SessionPool& sessions_;
    int const partition_;
    BatchLimits const limits_;
    std::vector<Member> members_;
    std::set<events::Kind> kinds_;  // that somebody wants; empty: all
    std::optional<core::Timestamp> oldest_waiting_;
    std::optional<core::Timestamp> last_time_;
};

}  // namespace workforce::projections
