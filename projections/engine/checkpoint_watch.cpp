// Asks for checkpoints on the session of the process's watch; what a crash of the server took back counts for nothing.
#include "projections/engine/checkpoint_watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/session_watch.hpp"
#include "projections/engine/checkpoints.hpp"

namespace workforce::projections {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kWhileAwaited{4};
constexpr milliseconds kWhileAwaitedSoon{100};
constexpr milliseconds kElse{500};

/// Since when a partition has been behind, as far as an onlooker can tell: it is late once a head that it saw then is
/// still not reached.
struct Lateness {
    std::int64_t head = -1;
    std::optional<core::Timestamp> since;

    std::optional<core::Timestamp> look(std::int64_t position, std::int64_t head_now) {
        if (since && position < head) return since;
        head = head_now;
        since = position < head_now ? std::optional(core::now()) : std::nullopt;
        return since;
    }
};

}  // namespace

struct CheckpointWatch::Impl final : core::SessionWatch::Guest {
    Impl(Progress& told, std::string const& database_url, HeadOf heads, std::span<ProjectionType const> types)
        : progress(told), head_of(std::move(heads)), projections(types), server(core::SessionWatch::of(database_url)) {
        progress.set_wake([this] { server->wake(); });
        server->join(*this);
    }

    void ended() override {
        next_all = {};
        if (stopping) return;
        // A crash takes back what was committed last.
        for (int const partition : progress.elsewhere()) progress.lose(partition);
    }

    Clock::time_point serve(core::Connection& session) override {
        auto const now = Clock::now();
        auto const elsewhere = progress.elsewhere();
        if (elsewhere.empty()) {
            late.clear();
            return now + kElse;
        }
        bool const all = now >= next_all;
        bool const soon = now >= last_soon + kWhileAwaitedSoon;
        auto const awaited = progress.awaited(soon ? Haste::soon : Haste::at_once);
        if (all || (!awaited.empty() && now >= last_awaited + kWhileAwaited)) {
            if (all) next_all = now + kElse;
            if (all || soon) last_soon = now;
            last_awaited = now;
            look(session, all ? elsewhere : awaited, all);
        }
        if (!progress.awaited(Haste::at_once).empty()) return std::min(next_all, last_awaited + kWhileAwaited);
        return progress.awaited(Haste::soon).empty() ? next_all : std::min(next_all, last_soon + kWhileAwaitedSoon);
    }

    void look(core::Connection& session, std::vector<int> const& partitions, bool all) {
        auto const losses = progress.losses();
        auto standings = load_standings(session, projections, partitions);
        for (auto& [partition, of] : standings) {
            std::vector<Progress::Standing> standing;
            auto slowest = std::numeric_limits<std::int64_t>::max();
            for (auto& each : of) {
                standing.push_back(each ? std::move(*each) : Progress::Standing{});
                slowest = std::min(slowest, standing.back().position);
            }
            progress.observe(partition, std::move(standing), losses);
            if (!all) continue;
            auto const head = std::max(head_of(partition), std::int64_t{-1});
            progress.note_head(partition, head);
            progress.note_waiting(partition, late[partition].look(slowest, head));
        }
    }

    Progress& progress;
    HeadOf const head_of;
    std::span<ProjectionType const> const projections;
    std::map<int, Lateness> late;  // this and what follows: on the watch's thread
    Clock::time_point next_all{};
    Clock::time_point last_awaited{};
    Clock::time_point last_soon{};
    std::atomic<bool> stopping{false};
    std::shared_ptr<core::SessionWatch> const server;
};

CheckpointWatch::CheckpointWatch(Progress& progress, std::string const& database_url, HeadOf head_of,
                                 std::span<ProjectionType const> projections)
    : impl_(std::make_unique<Impl>(progress, database_url, std::move(head_of), projections)) {}

CheckpointWatch::~CheckpointWatch() {
    stop();
    impl_->progress.set_wake({});
}

void CheckpointWatch::stop() {
    impl_->stopping = true;
    impl_->server->leave(*impl_);
}

}  // namespace workforce::projections
