// Log lines about a failure that many requests meet at once: one at its beginning, one each ten seconds, one at its
// end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>

#include "core/logging.hpp"

namespace workforce::core {

/// The log lines of one kind of failure. Thread-safe; over() costs next to nothing while there is none.
class LogThrottle {
   public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kEvery{10};
    /// How long no failure may be reported until it is over.
    static constexpr std::chrono::seconds kCalm{1};

    /// `message` says what is wrong; `now` is for tests.
    explicit LogThrottle(std::string message, Clock::time_point (*now)() = &Clock::now)
        : message_(std::move(message)), now_(now) {}

    /// Reports a failure. A line has the fields of the failure that it is written for.
    void met(Level level, std::initializer_list<LogField> fields = {}) noexcept;
    /// Reports a success. The end is no line where the beginning was none, below the level that is logged.
    void over() noexcept;

   private:
    std::string const message_;
    Clock::time_point (*const now_)();
    std::atomic<bool> on_ = false;
    std::mutex mutex_;  // guards what follows
    Clock::time_point last_met_;
    Clock::time_point last_line_;
    std::int64_t unsaid_ = 0;
    std::int64_t all_ = 0;
    Level level_ = Level::debug;  // the highest of its lines
};

}  // namespace workforce::core
