// Says that something is waited for, when that takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "core/logging.hpp"

namespace workforce::core {

/// Lives as long as the wait: one log line when that is longer than `after`, and one at its end. A wait that ends by an
/// exception has no second line, for the exception says why.
class SlowNote {
   public:
    /// `what` is waited for, as "PostgreSQL".
    explicit SlowNote(std::string what, std::chrono::milliseconds after = std::chrono::seconds(2))
        : what_(std::move(what)), thread_([this, after] { watch(after); }) {}
    SlowNote(SlowNote const&) = delete;
    SlowNote& operator=(SlowNote const&) = delete;
    ~SlowNote() {
        {
            std::lock_guard const lock(mutex_);
            ended_ = true;
        }
        end_.notify_one();
        thread_.join();
        if (!said_ || std::uncaught_exceptions() > exceptions_) return;
        std::chrono::duration<double> const took = Clock::now() - begun_;
        log(Level::info, "going on", {{"after", what_}, {"seconds", took.count()}});
    }

   private:
    using Clock = std::chrono::steady_clock;

    void watch(std::chrono::milliseconds after) {
        std::unique_lock lock(mutex_);
        if (end_.wait_for(lock, after, [this] { return ended_; })) return;
        said_ = true;
        log(Level::info, "waiting", {{"for", what_}});
    }

    std::string const what_;
    Clock::time_point const begun_ = Clock::now();
    int const exceptions_ = std::uncaught_exceptions();
    std::mutex mutex_;
    std::condition_variable end_;
    bool ended_ = false;
    bool said_ = false;
    std::thread thread_;
};

}  // namespace workforce::core
