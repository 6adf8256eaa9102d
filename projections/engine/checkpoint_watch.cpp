// The watching thread: ask, tell, wait; what a crash of the server took back counts for nothing.
#include "projections/engine/checkpoint_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <system_error>
#include <thread>

#include "core/logging.hpp"
#include "core/outage.hpp"
#include "projections/engine/checkpoints.hpp"

namespace workforce::projections {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kWhileAwaited{4};
constexpr milliseconds kElse{500};
constexpr milliseconds kFirstWatchPause{50};
constexpr milliseconds kLongestWatchPause{2000};

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

struct CheckpointWatch::Impl {
    Impl(Progress& told, core::ConnectionOptions options, HeadOf heads, std::span<ProjectionType const> types)
        : progress(told),
          connection(aimed_at(std::move(options), Tables::live)),
          head_of(std::move(heads)),
          projections(types),
          wake_fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (wake_fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
        connection.role = "workforce_reader";
        progress.set_wake([this] { wake(); });
        thread = std::thread([this] { run(); });
    }

    void wake() const {
        std::uint64_t const one = 1;
        [[maybe_unused]] auto const written = write(wake_fd, &one, sizeof one);
    }

    /// Waits for time, a wake-up (where asked for) or the end of the session. False when that ended.
    [[nodiscard]] bool rest(milliseconds time, bool woken_early) const {
        std::array<pollfd, 2> sources{pollfd{session ? session->raw().sock() : -1, POLLIN, 0},
                                      pollfd{woken_early ? wake_fd : -1, POLLIN, 0}};
        ::poll(sources.data(), sources.size(), static_cast<int>(std::max<std::int64_t>(time.count(), 0)));
        std::uint64_t count = 0;
        if (woken_early) [[maybe_unused]]
            auto const drained = read(wake_fd, &count, sizeof count);
        if (!session) return true;
        if (sources[0].revents == 0) return true;
        if (!session->usable()) return false;
        session->raw().get_notifs();  // takes notices off
        return true;
    }

    void lose() {
        for (int const partition : progress.elsewhere(false)) progress.lose(partition);
    }

    void look(std::vector<int> const& partitions, bool all) {
        auto const losses = progress.losses();
        auto standings = load_standings(*session, projections, partitions);
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

    void run() {
        auto pause = kFirstWatchPause;
        Clock::time_point next_all{};
        while (!stopping) {
            try {
                auto const elsewhere = progress.elsewhere(false);
                if (elsewhere.empty()) {
                    session.reset();
                    late.clear();
                    (void)rest(kElse, true);
                    continue;
                }
                if (!session) {
                    session = std::make_unique<core::Connection>(connection);
                    next_all = {};
                }
                bool const all = Clock::now() >= next_all;
                auto const awaited = progress.elsewhere(true);
                if (all) next_all = Clock::now() + kElse;
                if (all || !awaited.empty()) look(all ? elsewhere : awaited, all);
                bool const busy = !progress.elsewhere(true).empty();
                auto const until = std::chrono::duration_cast<milliseconds>(next_all - Clock::now());
                if (!rest(busy ? kWhileAwaited : until + milliseconds(1), !busy)) throw std::runtime_error("it ended");
                pause = kFirstWatchPause;
            } catch (std::exception const& error) {
                session.reset();
                if (stopping) return;
                lose();  // a crash takes back what was committed last
                if (pause == kFirstWatchPause) {
                    core::log(core::quiet_while_away(core::Level::warn), "checkpoints can't be read",
                              {{"error", error.what()}});
                }
                for (auto slept = milliseconds(0); slept < pause && !stopping; slept += kFirstWatchPause) {
                    (void)rest(kFirstWatchPause, false);
                }
                pause = std::min(2 * pause, kLongestWatchPause);
            }
        }
    }

    Progress& progress;
    core::ConnectionOptions connection;
    HeadOf const head_of;
    std::span<ProjectionType const> const projections;
    int const wake_fd;
    std::unique_ptr<core::Connection> session;
    std::map<int, Lateness> late;
    std::atomic<bool> stopping{false};
    std::thread thread;
};

CheckpointWatch::CheckpointWatch(Progress& progress, core::ConnectionOptions connection, HeadOf head_of,
                                 std::span<ProjectionType const> projections)
    : impl_(std::make_unique<Impl>(progress, std::move(connection), std::move(head_of), projections)) {}

CheckpointWatch::~CheckpointWatch() {
    stop();
    impl_->progress.set_wake({});
    close(impl_->wake_fd);
}

void CheckpointWatch::stop() {
    if (!impl_->thread.joinable()) return;
    impl_->stopping = true;
    impl_->wake();
    impl_->thread.join();
}

}  // namespace workforce::projections
