// Positions under a lock a partition, and waiters that the runner resumes.
#include "projections/progress.hpp"

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
           std::size_t number, std::int64_t awaited)
        : timer(executor, deadline), projection(number), position(awaited) {}

    boost::asio::steady_timer timer;  // its cancellation is the wake-up
    std::size_t const projection;
    std::int64_t const position;
};

struct Progress::Partition {
    mutable std::mutex mutex;
    std::vector<Standing> standings;
    std::vector<std::shared_ptr<Waiter>> waiters;
    std::int64_t head = -1;
    std::optional<core::Timestamp> oldest_waiting;
    bool started = false;

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
                                                std::string_view projection) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    auto const index = index_of(projection);
    {
        std::lock_guard const lock(of.mutex);
        if (of.reached(index, position)) co_return true;
    }
    auto const waiter = std::make_shared<Waiter>(co_await boost::asio::this_coro::executor, deadline, index, position);
    {
        std::lock_guard const lock(of.mutex);
        if (of.reached(index, position)) co_return true;
        if (of.hopeless(index, position)) co_return false;
        of.waiters.push_back(waiter);
    }
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

void Progress::set(int partition, std::vector<Standing> standings) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::vector<std::shared_ptr<Waiter>> woken;
    {
        std::lock_guard const lock(of.mutex);
        of.standings = std::move(standings);
        of.started = true;
        std::erase_if(of.waiters, [&](std::shared_ptr<Waiter> const& waiter) {
            bool const done =
                of.reached(waiter->projection, waiter->position) || of.hopeless(waiter->projection, waiter->position);
            if (done) woken.push_back(waiter);
            return done;
        });
    }
    for (auto& waiter : woken) {
        auto executor = waiter->timer.get_executor();
        boost::asio::post(executor, [waiter = std::move(waiter)] { waiter->timer.cancel(); });
    }
}

void Progress::lose(int partition) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.started = false;
}

void Progress::note_head(int partition, std::int64_t head) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.head = head;
}

void Progress::note_waiting(int partition, std::optional<core::Timestamp> oldest) {
    auto& of = *partitions_.at(static_cast<std::size_t>(partition));
    std::lock_guard const lock(of.mutex);
    of.oldest_waiting = oldest;
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
