// A server that the process needs, and the log lines that tell an operator when it can't be reached.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

#include "core/logging.hpp"

namespace workforce::core {

/// Whether one server can be reached. Whoever talks to it reports failures and successes; the outage is one line at its
/// beginning, one each minute, and one at its end. Reports carry the moment at which the server was asked, so that an
/// answer that took long does not contradict a later one. Before announce() nothing is logged and known() is false: a
/// command says by itself what failed. Thread-safe; troubled() and known() take no lock.
class Outage {
   public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kRepeat{60};  ///< between lines about one outage
    /// An outage that begins so soon after another one's end is told of only once that time has passed.
    static constexpr std::chrono::seconds kCalm{10};
    static constexpr std::chrono::seconds kDoubt{15};  ///< after this an unconfirmed loss counts for nothing
    /// What fails so soon after an outage may have begun during it.
    static constexpr std::chrono::seconds kAfter{3};

    /// The three lines, and what an outage means for clients.
    struct Texts {
        std::string begins;
        std::string lasts;
        std::string ends;
        std::string lost;  ///< connections broke, and new ones succeeded: no outage
        std::string means;
    };

    /// `now` is for tests.
    explicit Outage(Texts texts, Clock::time_point (*now)() = &Clock::now) : texts_(std::move(texts)), now_(now) {}

    /// Has lines logged from now on, or no longer.
    void announce(bool on) noexcept { announced_ = on; }
    [[nodiscard]] bool announced() const noexcept { return announced_.load(std::memory_order_relaxed); }

    /// A connection that was opened at `opened` broke. That alone is no outage: the next attempt to connect tells.
    void broke(std::string_view why, Clock::time_point opened) noexcept;
    /// An answer takes longer than it ever does while all is well. The next failure or answer tells.
    void doubt() noexcept;
    /// The server, asked at `asked`, did not answer or took no connection.
    void failed(std::string_view why, Clock::time_point asked) noexcept;
    /// The server answered what it was asked at `asked`.
    void answered(Clock::time_point asked) noexcept;

    /// Whether answers matter now. Only then need answered() be called.
    [[nodiscard]] bool troubled() const noexcept { return state_.load(std::memory_order_relaxed) != State::well; }
    /// Whether the server can't be reached, as far as this process knows.
    [[nodiscard]] bool away() const noexcept { return state_.load(std::memory_order_relaxed) == State::away; }
    /// Whether an outage explains failures of now: one that lasts, is suspected, or has just ended.
    [[nodiscard]] bool known() const noexcept;

   private:
    enum class State : std::uint8_t { well, doubted, away };
    using Wall = std::chrono::system_clock;

    /// Suspects an outage. The caller holds the mutex, as it does for the next two.
    void suspect(Clock::time_point now);
    void begin(Clock::time_point now, Clock::time_point since);
    /// Logs the line that is due, if any.
    void tell(std::string_view why);
    void log_line(Level level, std::string const& message, std::initializer_list<LogField> fields) const;

    Texts const texts_;
    Clock::time_point (*const now_)();
    std::atomic<bool> announced_ = false;
    std::atomic<State> state_ = State::well;
    std::atomic<Clock::time_point> known_until_{};  // while the state is well or doubted
    std::mutex mutex_;                              // guards what follows
    Clock::time_point last_answer_;
    Clock::time_point last_failure_;
    Clock::time_point began_;
    Clock::time_point ended_;  // the last one of which the log tells
    Clock::time_point last_line_;
    Clock::time_point last_lost_line_;
    bool told_ = false;  // of the present one
    Clock::time_point last_break_;
    std::int64_t broken_ = 0;
    std::string why_broken_;
};

/// PostgreSQL, as the sessions of this process find it.
Outage& database_outage();
/// The brokers of an event log in Kafka, as this process finds them.
Outage& broker_outage();

/// The level of a line about a failure that database or log may have caused: debug while an outage of one of them is
/// known, whose own line tells of it, else `usual`.
Level quiet_while_away(Level usual) noexcept;

}  // namespace workforce::core
