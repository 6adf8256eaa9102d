// Tells other processes of new records, and hears of theirs: LISTEN and NOTIFY, with polling besides.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/session_watch.hpp"
#include "events/log/silence.hpp"

namespace workforce::events {

/// By the process's watch of the database. NOTIFY takes a lock of the whole database when it commits, so it is never
/// part of an append: positions are collected and sent together, at most once in kPause. Outlasts losses of the
/// database.
class LogSignals : private core::SessionWatch::Guest {
   public:
    /// Called on the watch's thread with a partition and a position that its log has reached. Must not throw.
    using Seen = std::function<void(int partition, std::int64_t position)>;

    static constexpr std::chrono::milliseconds kPause{5};

    /// `poll` is the interval at which the log is asked for its heads whether or not notices came.
    LogSignals(std::string const& database_url, std::chrono::milliseconds poll, Seen seen);
    /// As stop().
    ~LogSignals() override;

    /// Has other processes told that the partition reaches `position`. Thread-safe, does not block.
    void announce(int partition, std::int64_t position);
    /// For how long the polls have not been answered.
    [[nodiscard]] std::chrono::milliseconds silence() const { return silence_.lasts(); }
    /// Nothing is seen or sent from now on; what is not sent yet stays so, for others poll. Thread-safe.
    void stop();

   private:
    using Clock = std::chrono::steady_clock;
    class Listening;

    void opened(core::Connection& connection, bool missed) override;
    void ended() override;
    Clock::time_point serve(core::Connection& connection) override;
    void poll_heads(core::Connection& connection);
    void send(core::Connection& connection);
    [[nodiscard]] bool any_unsent();

    std::chrono::milliseconds const poll_;
    Seen const seen_;
    Silence silence_;
    std::mutex mutex_;
    std::map<int, std::int64_t> unsent_;
    std::unique_ptr<Listening> listening_;  // this and what follows: on the watch's thread
    Clock::time_point next_poll_{};
    Clock::time_point next_send_{};
    std::shared_ptr<core::SessionWatch> const watch_;
};

/// The notice's text for positions by partition, "3:17 4:9"; reading skips what is not of that form.
std::string format_notice(std::map<int, std::int64_t> const& positions);
std::map<int, std::int64_t> parse_notice(std::string const& text);

}  // namespace workforce::events
