// Fold into shadow tables, several partitions at a time; follow the live projections until they can be swapped in.
#include "projections/engine/rebuild.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <pqxx/except>
#include <stdexcept>
#include <thread>

#include "core/database.hpp"
#include "core/session_pool.hpp"
#include "projections/engine/partition_folder.hpp"
#include "projections/engine/shadow_tables.hpp"

namespace workforce::projections {
namespace {

/// Below the end of an empty partition, whose checkpoints change hands at the swap like those of all others.
constexpr std::int64_t kNotBegun = -2;

using Positions = std::vector<std::int64_t>;
using std::chrono::steady_clock;

/// Shadows this close behind the live tables are swapped in: what they lack is folded while the live ones wait.
constexpr std::int64_t kNear = 2000;
constexpr auto kFirstRebuildPause = std::chrono::milliseconds(50);
constexpr auto kLongestRebuildPause = std::chrono::milliseconds(2000);

/// Live projections that move as fast as the shadows get turns: for how long each of them is held, and then goes on.
/// Where that does not bring the shadows nearer, `harder` gives more to the shadows. A hold stays within the two
/// seconds that a read waits for its read model.
struct Turns {
    std::chrono::milliseconds held{250};
    std::chrono::milliseconds free{100};

    void harder() {
        held = std::min(2 * held, std::chrono::milliseconds(1500));
        free /= 2;  // at 0 a live projection still commits the batch with which it waits for the lock
    }
};

std::vector<ProjectionType> chosen_of(std::span<ProjectionType const> projections,
                                      std::vector<std::string> const& names) {
    if (names.empty()) return {projections.begin(), projections.end()};
    std::vector<ProjectionType> chosen;
    for (auto const& type : projections) {
        if (std::find(names.begin(), names.end(), type.name) != names.end()) chosen.push_back(type);
    }
    for (auto const& name : names) {
        bool const known =
            std::any_of(chosen.begin(), chosen.end(), [&](auto const& type) { return type.name == name; });
        if (!known) throw std::invalid_argument("no projection is named " + name);
    }
    return chosen;
}

/// The shadows' folding, and what its threads share.
class Rebuild {
   public:
    Rebuild(events::EventLog& log, events::Keyring& keyring, RebuildOptions const& options,
            std::span<ProjectionType const> projections, std::function<void(RebuildProgress const&)> const& progress)
        : log_(log),
          keyring_(keyring),
          options_(options),
          projections_(projections),
          progress_(progress),
          threads_(std::clamp<std::size_t>(options.threads, 1, static_cast<std::size_t>(log.partitions()))),
          sessions_(session_options(options), threads_),
          reached_(static_cast<std::size_t>(log.partitions()), kNotBegun) {
        for (int i = 0; i < log.partitions(); ++i) heads_.push_back(log.head(i).position);
        for (auto const head : heads_) state_.total += head + 1;
    }

    RebuildResult run(ShadowTables& shadows) {
        tell(kFolding);
        fold_to(heads_);
        tell("making indexes");
        shadows.complete();
        tell("catching up");
        follow(shadows);
        return {state_.events, swap(shadows)};
    }

   private:
    static core::ConnectionOptions session_options(RebuildOptions const& options) {
        auto session = projector_session(options.connection, Tables::shadow);
        session.statement_timeout = std::chrono::milliseconds(0);
        return session;
    }

    void tell(std::string_view doing) {
        std::lock_guard const lock(mutex_);
        state_.doing = doing;
        if (progress_) progress_(state_);
    }

    /// Where the shadows have to be to take the place of live tables that stand at `live`: there, or at the log's end
    /// when an older log than theirs was restored.
    Positions targets(Positions live) {
        for (int i = 0; i < log_.partitions(); ++i) {
            auto const place = static_cast<std::size_t>(i);
            if (live[place] > reached_[place]) live[place] = std::min(live[place], log_.head(i).position);
        }
        return live;
    }

    std::int64_t behind(Positions const& wanted) const {
        std::int64_t most = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) most = std::max(most, wanted[i] - reached_[i]);
        return most;
    }

    /// Until the shadows are close behind, however fast the log grows: while each round halves what they lack the live
    /// projections go on, else they take turns with the shadows.
    void follow(ShadowTables& shadows) {
        auto before = std::numeric_limits<std::int64_t>::max();
        for (;;) {
            auto const wanted = targets(shadows.live_positions());
            auto const lacking = behind(wanted);
            if (lacking <= kNear) return;
            if (lacking > before / 2) return take_turns(shadows);
            before = lacking;
            fold_to(wanted);
        }
    }

    void take_turns(ShadowTables& shadows) {
        tell("slowing the live projections down");
        Turns turns;
        for (auto before = behind(targets(shadows.live_positions()));;) {
            shadows.hold([&](Positions const& live) { fold_to(targets(live), steady_clock::now() + turns.held); });
            auto const wanted = targets(shadows.live_positions());
            auto const lacking = behind(wanted);
            if (lacking <= kNear) return;
            if (lacking > before - before / 8) turns.harder();
            before = lacking;
            fold_to(wanted, steady_clock::now() + turns.free);
        }
    }

    std::chrono::microseconds swap(ShadowTables& shadows) {
        auto const deadline = steady_clock::now() + options_.patience;
        for (auto pause = kFirstRebuildPause;; pause = std::min(2 * pause, kLongestRebuildPause)) {
            if (auto const locked = shadows.swap([&](Positions const& live) { fold_to(targets(live)); }))
                return *locked;
            if (steady_clock::now() > deadline) {
                throw std::runtime_error("the tables could not be swapped: others keep locks on them (see pg_locks)");
            }
            tell("waiting for a lock");
            std::this_thread::sleep_for(pause);
            follow(shadows);
        }
    }

    /// Folds each partition to its position at the least, or until the time is over. Errors: the first thread's.
    void fold_to(Positions const& wanted, steady_clock::time_point until = steady_clock::time_point::max()) {
        std::atomic<int> next{0};
        std::exception_ptr error;
        auto const serve = [&] {
            try {
                for (int i = next++; i < log_.partitions() && !failed_; i = next++) {
                    auto const place = static_cast<std::size_t>(i);
                    if (reached_[place] < wanted[place]) fold_partition(i, wanted[place], until);
                }
            } catch (...) {
                std::lock_guard const lock(mutex_);
                if (!failed_.exchange(true)) error = std::current_exception();
            }
        };
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < threads_; ++i) threads.emplace_back(serve);
        for (auto& thread : threads) thread.join();
        if (error) std::rethrow_exception(error);
    }

    void fold_partition(int partition, std::int64_t wanted, steady_clock::time_point until) {
        PartitionFolder folder(log_, keyring_, sessions_, projections_, partition,
                               {options_.batch_records, options_.batch_bytes}, rows_);
        folder.load(false);
        reached_[static_cast<std::size_t>(partition)] = folder.position();
        while (folder.position() < wanted && !failed_ && steady_clock::now() < until) {
            auto const result = folder.step();
            for (auto const& standing : folder.standings()) {
                if (!standing.stopped) continue;
                throw std::runtime_error(
                    fmt::format("partition {}, position {}: {}", partition, standing.position + 1, standing.reason));
            }
            if (result.kind == StepResult::Kind::lost_race) {
                throw std::runtime_error("another process folds into schema rebuild");
            }
            std::lock_guard const lock(mutex_);
            state_.events += static_cast<std::int64_t>(result.records);
            reached_[static_cast<std::size_t>(partition)] = folder.position();
            if (progress_) progress_(state_);
        }
    }

    events::EventLog& log_;
    events::Keyring& keyring_;
    RebuildOptions const& options_;
    RowMemory rows_{options_.row_bytes};
    std::span<ProjectionType const> const projections_;
    std::function<void(RebuildProgress const&)> const& progress_;
    std::size_t const threads_;
    core::SessionPool sessions_;
    Positions heads_;
    Positions reached_;  // a partition's is its thread's; kNotBegun before its checkpoints are made
    std::atomic<bool> failed_{false};
    std::mutex mutex_;  // guards state_
    RebuildProgress state_{};
};

}  // namespace

RebuildResult rebuild(events::EventLog& log, events::Keyring& keyring, RebuildOptions const& options,
                      std::vector<std::string> const& names,
                      std::function<void(RebuildProgress const&)> const& progress,
                      std::span<ProjectionType const> projections) {
    auto const chosen = chosen_of(projections, names);
    try {
        ShadowTables shadows(options.connection, chosen, log.partitions());
        shadows.create();
        return Rebuild(log, keyring, options, chosen, progress).run(shadows);
    } catch (pqxx::broken_connection const& error) {
        throw core::DatabaseUnavailable(error.what());
    } catch (pqxx::sql_error const& error) {
        std::string const text = error.what();
        throw std::runtime_error("the read models can't be rebuilt: " + text.substr(0, text.find('\n')));
    }
}

}  // namespace workforce::projections
