// How far a long command has come, on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace workforce::cli {

/// What replay waits for before it shows how far it is.
inline constexpr std::chrono::milliseconds kShortCommand{2000};

/// A line that is written over on a terminal; else a line each 10 %. Thread-safe.
class ProgressLine {
   public:
    /// `what` names the command, `total` is how many `units` make 100 % (0: nothing is shown).
    /// Nothing is shown before `patience` is over: of a command that is short as a rule.
    ProgressLine(std::string what, std::string units, std::int64_t total, std::chrono::milliseconds patience = {});
    ProgressLine(ProgressLine const&) = delete;
    ProgressLine& operator=(ProgressLine const&) = delete;
    /// Ends the terminal's line.
    ~ProgressLine();

    /// So many more are done.
    void add(std::int64_t count);

    /// Something else goes on now: a line of its own.
    void note(std::string_view doing);

   private:
    std::string const what_;
    std::string const units_;
    std::int64_t const total_;
    bool const terminal_;
    std::chrono::steady_clock::time_point const silent_until_;
    std::mutex mutex_;
    std::int64_t done_ = 0;
    std::int64_t shown_ = -1;
};

}  // namespace workforce::cli
