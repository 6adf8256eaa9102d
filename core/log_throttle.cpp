// Counts the failures that get no line of their own.
#include "core/log_throttle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace workforce::core {

void LogThrottle::met(Level level, std::initializer_list<LogField> fields) noexcept {
    try {
        std::string message = message_;
        {
            std::lock_guard const lock(mutex_);
            auto const now = now_();
            last_met_ = now;
            ++all_;
            ++unsaid_;
            if (on_ && now - last_line_ < kEvery) return;
            if (on_) message += fmt::format(": {} more", unsaid_);
            on_ = true;
            last_line_ = now;
            unsaid_ = 0;
            level_ = std::max(level_, level);
        }
        log(level, message, fields);
    } catch (std::exception const&) {
        // As in log(): the caller's work matters more than its line.
    }
}

void LogThrottle::over() noexcept {
    if (!on_.load(std::memory_order_relaxed)) return;
    try {
        std::int64_t all = 0;
        auto level = Level::debug;
        {
            std::lock_guard const lock(mutex_);
            if (!on_ || now_() - last_met_ < kCalm) return;
            on_ = false;
            unsaid_ = 0;
            all = std::exchange(all_, 0);
            level = std::min(std::exchange(level_, Level::debug), Level::info);
        }
        log(level, message_ + ": over", {{"times", all}});
    } catch (std::exception const&) {
        // As above.
    }
}

}  // namespace workforce::core
