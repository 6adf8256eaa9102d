// Tells other processes of new records, and hears of theirs: LISTEN and NOTIFY, with polling besides.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "core/connection.hpp"
#include "events/log/silence.hpp"

namespace workforce::events {

/// A thread with a session of its own. NOTIFY takes a lock of the whole database when it commits, so it is never part
/// of an append: positions are collected and sent together, at most once in kPause. Outlasts losses of the database.
class LogSignals {
   public:
    /// Called on the signals' thread with a partition and a position that its log has reached. Must not throw.
    using Seen = std::function<void(int partition, std::int64_t position)>;

    static constexpr std::chrono::milliseconds kPause{5};

    /// `poll` is the interval at which the log is asked for its heads whether or not notices came.
    LogSignals(core::ConnectionOptions options, std::chrono::milliseconds poll, Seen seen);
    LogSignals(LogSignals const&) = delete;
    LogSignals& operator=(LogSignals const&) = delete;
    /// As stop().
    ~LogSignals();

    /// Has other processes told that the partition reaches `position`. Thread-safe, does not block.
    void announce(int partition, std::int64_t position);
    /// For how long the polls have not been answered.
    [[nodiscard]] std::chrono::milliseconds silence() const { return silence_.lasts(); }
    /// Ends the thread; what is not sent yet stays so, for others poll. Thread-safe.
    void stop();

   private:
    using Clock = std::chrono::steady_clock;

    void run();
    void serve();
    void poll_heads(core::Connection& connection);
    void send(core::Connection& connection);
    [[nodiscard]] bool stopping();
    void clear_wake() const;
    void wake() const;

    core::ConnectionOptions const options_;
    std::chrono::milliseconds const poll_;
    Seen const seen_;
    Silence silence_;
    int wake_fd_;
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool stopping_ = false;
    std::map<int, std::int64_t> unsent_;
    std::mutex join_mutex_;
    std::thread thread_;
};

/// The notice's text for positions by partition, "3:17 4:9"; reading skips what is not of that form.
std::string format_notice(std::map<int, std::int64_t> const& positions);
std::map<int, std::int64_t> parse_notice(std::string const& text);

}  // namespace workforce::events
