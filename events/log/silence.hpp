// For how long somebody who is asked again and again has not answered.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

namespace workforce::events {

/// Thread-safe.
class Silence {
   public:
    /// A question is about to be asked.
    void asked() {
        std::lock_guard const lock(mutex_);
        if (!since_) since_ = Clock::now();
    }
    /// An answer came.
    void answered() {
        std::lock_guard const lock(mutex_);
        since_.reset();
    }
    /// The time since the first question after the last answer; zero when there is none.
    [[nodiscard]] std::chrono::milliseconds lasts() const {
        std::lock_guard const lock(mutex_);
        return since_ ? std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - *since_)
                      : std::chrono::milliseconds(0);
    }

   private:
    using Clock = std::chrono::steady_clock;
    mutable std::mutex mutex_;
    std::optional<Clock::time_point> since_;
};

}  // namespace workforce::events
