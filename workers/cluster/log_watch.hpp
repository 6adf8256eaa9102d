// Whether this process still hears the log, and when it is to leave its work to others that do.
#pragma once

#include <chrono>
#include <functional>

namespace workforce::workers {

/// Leases live in the database, so who loses the log alone keeps them, with work that it can't do. A log that is silent
/// for everybody, or while a partition gets another leader, is no reason to move anything: moves cost time where the
/// log is back by itself. So a process first lets the others know that it hears nothing, and gives its work up once one
/// of them has gone on hearing for some seconds. Used by one thread.
class LogWatch {
   public:
    using Clock = std::chrono::steady_clock;
    /// After so long without an answer a process counts as one that does not hear the log.
    static constexpr std::chrono::milliseconds kSilent{6'000};
    /// For so long another has to be one that does: longer than processes differ in when they notice the same silence
    /// or its end, and than a dead one counts as living.
    static constexpr std::chrono::milliseconds kSure{4'000};

    /// `silence` is as events::EventLog::silence; empty: nothing is ever wrong.
    explicit LogWatch(std::function<std::chrono::milliseconds()> silence) : silence_(std::move(silence)) {}

    /// Asks how long it is silent; a change is one line of the process's log, unless an outage of the database explains
    /// it. To be called about each second.
    void look(Clock::time_point now);
    /// Whether it was silent when last looked.
    [[nodiscard]] bool silent() const { return silent_; }
    /// Whether this process is to give its work up. `others` says whether another lives that could do it and hears the
    /// log. To be called after each look().
    [[nodiscard]] bool yields(bool others, Clock::time_point now);

   private:
    std::function<std::chrono::milliseconds()> const silence_;
    bool silent_ = false;
    bool told_ = false;         // of the silence
    Clock::time_point looked_;  // the last time
    Clock::time_point awake_;   // when it began to look without long pauses
    Clock::time_point unsure_;  // when last no other was to take the work
};

}  // namespace workforce::workers
