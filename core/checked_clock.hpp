// The wall clock, believed only as far as the database's clock agrees with it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/connection.hpp"
#include "core/time.hpp"

namespace workforce::core {

/// How far a process's wall clock may be from the database's, ahead or behind.
inline constexpr std::chrono::milliseconds kClockTolerance{60'000};

/// What the database's clock showed at a moment of this process's steady clock.
struct ClockMark {
    Timestamp database;
    std::chrono::steady_clock::time_point at;
};

/// The mark that an answer of the database gives, which was asked for and came at these moments: its time is taken to
/// be that of half the way. Nothing when the answer took longer than kClockTolerance, for then it says too little.
/// Pure.
std::optional<ClockMark> clock_mark(Timestamp database, std::chrono::steady_clock::time_point asked,
                                    std::chrono::steady_clock::time_point answered);

/// How far a wall clock that shows `wall` at the moment `at` is ahead of the database's; negative: behind. Pure.
std::chrono::milliseconds clock_ahead(ClockMark const& mark, Timestamp wall, std::chrono::steady_clock::time_point at);

/// Why a wall clock that is so far ahead is not to be believed; nothing when it is. Pure.
std::optional<std::string> clock_fault(std::chrono::milliseconds ahead);

/// A process's wall clock. It is compared with the database's now and then, and in between with the steady clock since
/// the last comparison, so that a jump shows at once. Thread-safe.
class CheckedClock {
   public:
    /// `wall` reads the wall clock; any thread may call it.
    explicit CheckedClock(std::function<Timestamp()> wall = core::now) : wall_(std::move(wall)) {}
    CheckedClock(CheckedClock const&) = delete;
    CheckedClock& operator=(CheckedClock const&) = delete;
    ~CheckedClock() = default;

    /// Compares with the clock of the session's server. Blocks. Errors: libpqxx's.
    void compare(Connection& connection);
    /// The same with what is known of the server's clock already.
    void follow(ClockMark mark);

    /// How far the wall clock is ahead now; negative: behind. Nothing before the first comparison.
    [[nodiscard]] std::optional<std::chrono::milliseconds> ahead() const;

    /// The wall clock. Error: why it is not to be believed, for the operator; so also before the first comparison.
    [[nodiscard]] tl::expected<Timestamp, std::string> now() const;

   private:
    [[nodiscard]] std::optional<ClockMark> mark() const;

    std::function<Timestamp()> const wall_;
    mutable std::mutex mutex_;
    std::optional<ClockMark> mark_;
};

}  // namespace workforce::core
