// Positions under a lock a partition, and waiters that the runner resumes.
#include "projections/engine/progress.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

namespace workforce::projections {
namespace {

constexpr std::size_t kAll = static_cast<std::size_t>(-1);

}  // namespace

struct Progress::Waiter {
    Waiter(boost::asio::any_io_executor const& executor, std::chrono::steady_clock::time_point deadline,
           std::size_t number, std::int64_t awaited, Haste how_soon)
        : timer(executor, deadline), projection(number), position(awaited), haste(how_soon) {}

    boost::asio::steady_timer timer;  // its cancellation is the wake-up
    std::size_t const projection;
    std::int64_t const position;
    Haste const haste;
};

struct Progress::Partition {
    mutable std::mutex mutex;
    /// Since when a projection has been behind: it is once a head that was seen then is still not reached.
    struct Lateness {
        std::int64_t head = -1;
        std::optional<std::chrono::steady_clock::time_point> since;
    };

    std::vector<Standing> standings;
    std::vector<Lateness> lateness;  // of each
    std::vector<std::shared_ptr<Waiter>> waiters;
    std::int64_t head = -1;
    std::optional<core::Timestamp> oldest_waiting;
    bool started = false;
    bool here = false;  // folded in this process

    /// Takes the standings over, and who need not wait any longer out of the waiters.
    std::vector<std::shared_ptr<Waiter>> advance(std::vector<Standing> now) {
        std::vector<std::shared_ptr<Waiter>> woken;
        standings = std::move(now);
        started = true;
        look(head);
        std::erase_if(waiters, [&](std::shared_ptr<Waiter> const& waiter) {
            bool const done =
                reached(waiter->projection, waiter->position) || hopeless(waiter->projection, waiter->position);
            if (done) woken.push_back(waiter);
            return done;
        });
        return woken;
    }

    /// To be called when positions are others, or an event was seen.
    void look(std::int64_t seen) {
        for (std::size_t i = 0; started && i < standings.size(); ++i) {
            auto& late = lateness[i];
            auto const position = standings[i].position;
            if (late.since ? position < late.head : position >= seen) continue;
            late.head = seen;
            late.since = position < seen ? std::optional(std::chrono::steady_clock::now()) : std::nullopt;
        }
    }

    [[nodiscard]] bool reached(std::size_t projection, std::int64_t position) const {
        if (!started) return false;
        if (projection != kAll) return standings[projection].position >= position;
        return std::all_of(standings.begin(), standings.end(), [&](auto const& s) { return s.position >= position; });
    }
    /// Whether waiting is in vain: what is waited for stands still before that position.
    [[nodiscard]] bool hopeless(std::size_t projection, std::int64_t position) const {
        auto const blocks = [&](Standing const& s) { return s.stopped && s.position < position; };
        if (projection != kAll) return blocks(standings[projection]);
        return std::any_of(standings.begin(), standings.end(), blocks);
    }
};

Progress::Progress(int partitions, std::vector<std::string> projections) : projections_(std::move(projections)) {
    for (int i = 0; i < partitions; ++i) {
        auto& partition = *partitions_.emplace_back(std::make_unique<Partition>());
        partition.standings.resize(projections_.size());
        partition.lateness.resize(projections_.size());
    }
}

Progress::~Progress() = default;

std::size_t Progress::index_of(std::string_view projection) const {
    if (projection.empty()) return kAll;
    auto const found = std::find(projections_.begin(), projections_.end(), projection);
    if (found == projections_.end()) throw std::invalid_argument("no projection is named " + std::string(projection));
    return static_cast<std::size_t>(found - projections_.begin());
}

bool Progress::reached(int partition, std::int64_t position, std::string_view projection) const {
    auto const& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    return of.reached(index_of(projection), position);
}

boost::asio::awaitable<bool> Progress::wait_for(int partition, std::int64_t position,
                                                std::chrono::steady_clock::time_point deadline,
                                                std::string_view projection, Haste haste) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    auto const index = index_of(projection);
    {
        std::lock_guard const lock(of.mutex);
        if (of.reached(index, position)) co_return true;
    }
    auto const waiter =
        std::make_shared<Waiter>(co_await boost::asio::this_coro::executor, deadline, index, position, haste);
    bool elsewhere = false;
    {
        std::lock_guard const lock(of.mutex);
        if (of.reached(index, position)) co_return true;
        if (of.hopeless(index, position)) co_return false;
        of.waiters.push_back(waiter);
        elsewhere = !of.here;
    }
    if (elsewhere) wake();
    // Also when the coroutine is destroyed as it waits, with its io_context.
    struct Leave {
        Partition& from;
        std::shared_ptr<Waiter> const& who;
        ~Leave() {
            std::lock_guard const lock(from.mutex);
            std::erase(from.waiters, who);
        }
    } const leave{of, waiter};
    co_await waiter->timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    std::lock_guard const lock(of.mutex);
    co_return of.reached(index, position);
}

void Progress::resume(std::vector<std::shared_ptr<Waiter>> const& woken) {
    for (auto const& waiter : woken) {
        auto executor = waiter->timer.get_executor();
        boost::asio::post(executor, [waiter] { waiter->timer.cancel(); });
    }
}

void Progress::set(int partition, std::vector<Standing> standings) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::vector<std::shared_ptr<Waiter>> woken;
    {
        std::lock_guard const lock(of.mutex);
        woken = of.advance(std::move(standings));
    }
    resume(woken);
}

void Progress::observe(int partition, std::vector<Standing> standings, std::uint64_t losses) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::vector<std::shared_ptr<Waiter>> woken;
    {
        std::lock_guard const lock(of.mutex);
        if (of.here || losses != losses_) return;
        woken = of.advance(std::move(standings));
    }
    resume(woken);
}

void Progress::set_wake(std::function<void()> wake) {
    std::lock_guard const lock(wake_mutex_);
    wake_ = std::move(wake);
}

void Progress::wake() {
    std::lock_guard const lock(wake_mutex_);
    if (wake_) wake_();
}

void Progress::take(int partition) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.here = true;
}

void Progress::leave(int partition) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    {
        std::lock_guard const lock(of.mutex);
        of.here = false;
        of.oldest_waiting.reset();
    }
    wake();
}

template <class Wanted>
std::vector<int> Progress::find(Wanted wanted) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        auto const& of = *partitions_[i];
        std::lock_guard const lock(of.mutex);
        if (!of.here && wanted(of)) found.push_back(static_cast<int>(i));
    }
    return found;
}

std::vector<int> Progress::elsewhere() const {
    return find([](Partition const&) { return true; });
}

std::vector<int> Progress::awaited(Haste haste) const {
    return find([haste](Partition const& of) {
        return std::ranges::any_of(of.waiters, [haste](auto const& waiter) { return waiter->haste <= haste; });
    });
}

void Progress::lose(int partition) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.started = false;
    ++losses_;
}

void Progress::note_head(int partition, std::int64_t head) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.head = head;
    of.look(head);
}

void Progress::note_event(int partition, std::int64_t position) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.look(position);
}

void Progress::note_waiting(int partition, std::optional<core::Timestamp> oldest) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.oldest_waiting = oldest;
}

std::chrono::milliseconds Progress::behind(int partition, std::string_view projection) const {
    auto const& of = *partitions_.at(static_cast<std::size_t>(partition));
    auto const index = index_of(projection);
    std::lock_guard const lock(of.mutex);
    auto const& since = of.lateness.at(index).since;
    if (!since) return std::chrono::milliseconds(0);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - *since);
}

std::chrono::milliseconds Progress::behind(std::string_view projection) const {
    std::chrono::milliseconds longest{0};
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        longest = std::max(longest, behind(static_cast<int>(i), projection));
    }
    return longest;
}

ProjectionStatus Progress::status() const {
    ProjectionStatus status;
    status.started = true;
    auto const now = core::now();
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        auto const& of = *partitions_[i];
        std::lock_guard const lock(of.mutex);
        PartitionProgress row{.partition = static_cast<int>(i), .head = of.head, .started = of.started};
        row.position = of.standings.empty() ? of.head : of.standings.front().position;
        for (std::size_t p = 0; p < of.standings.size(); ++p) {
            auto const& standing = of.standings[p];
            row.position = std::min(row.position, standing.position);
            row.head = std::max(row.head, standing.position);
            if (!standing.stopped) continue;
            status.stopped.push_back({projections_[p], row.partition, standing.position + 1, standing.reason});
        }
        if (of.oldest_waiting) {
            row.lag = std::chrono::milliseconds(std::max<std::int64_t>(0, now.ms - of.oldest_waiting->ms));
        }
        status.lag_events += row.head - row.position;
        status.lag = std::max(status.lag, row.lag);
        status.started = status.started && row.started;
        status.partitions.push_back(row);
    }
    return status;
}

}  // namespace workforce::projections
