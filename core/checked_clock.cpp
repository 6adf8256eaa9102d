// Comparing clocks, and what follows from it.
#include "core/checked_clock.hpp"

#include <fmt/format.h>

namespace workforce::core {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr Statement kDatabaseClock{"database_clock", "SELECT clock_timestamp()"};

}  // namespace

std::optional<ClockMark> clock_mark(Timestamp database, steady_clock::time_point asked,
                                    steady_clock::time_point answered) {
    if (answered - asked > kClockTolerance) return std::nullopt;
    return ClockMark{database, asked + (answered - asked) / 2};
}

milliseconds clock_ahead(ClockMark const& mark, Timestamp wall, steady_clock::time_point at) {
    return milliseconds(wall.ms - mark.database.ms) - duration_cast<milliseconds>(at - mark.at);
}

std::optional<std::string> clock_fault(milliseconds ahead) {
    if (ahead >= -kClockTolerance && ahead <= kClockTolerance) return std::nullopt;
    auto const off = ahead < milliseconds(0) ? -ahead : ahead;
    return fmt::format("this process's clock is {}.{:03} s {} the database's", off.count() / 1000, off.count() % 1000,
                       ahead < milliseconds(0) ? "behind" : "ahead of");
}

void CheckedClock::compare(Connection& connection) {
    auto const asked = steady_clock::now();
    auto const rows = connection.execute(kDatabaseClock);
    auto const answered = steady_clock::now();
    if (auto const found = clock_mark(read<Timestamp>(rows[0][0]), asked, answered)) follow(*found);
}

void CheckedClock::follow(ClockMark mark) {
    std::lock_guard const lock(mutex_);
    mark_ = mark;
}

std::optional<ClockMark> CheckedClock::mark() const {
    std::lock_guard const lock(mutex_);
    return mark_;
}

std::optional<milliseconds> CheckedClock::ahead() const {
    auto const known = mark();
    if (!known) return std::nullopt;
    return clock_ahead(*known, wall_(), steady_clock::now());
}

tl::expected<Timestamp, std::string> CheckedClock::now() const {
    auto const known = mark();
    if (!known) {
        return tl::unexpected(std::string("this process's clock has not been compared with the database's yet"));
    }
    auto const wall = wall_();
    if (auto fault = clock_fault(clock_ahead(*known, wall, steady_clock::now())))
        return tl::unexpected(*std::move(fault));
    return wall;
}

}  // namespace workforce::core
