// Percentages on standard error.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace workforce::cli {

ProgressLine::ProgressLine(std::string what, std::string units, std::int64_t total, std::chrono::milliseconds patience)
    : what_(std::move(what)),
      units_(std::move(units)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      silent_until_(std::chrono::steady_clock::now() + patience) {}

ProgressLine::~ProgressLine() {
    if (terminal_ && shown_ >= 0) fmt::print(stderr, "\n");
}

void ProgressLine::add(std::int64_t count) {
    std::lock_guard const lock(mutex_);
    done_ += count;
    if (total_ <= 0) return;
    auto const total = std::max(total_, done_);  // more may have come since it began
    auto const percent = done_ * 100 / total;
    auto const step = terminal_ ? percent : percent / 10 * 10;
    if (step == shown_ || std::chrono::steady_clock::now() < silent_until_) return;
    shown_ = step;
    fmt::print(stderr, "{}{}: {} of {} {}, {} %{}", terminal_ ? "\r" : "", what_, done_, total, units_, percent,
               terminal_ ? "" : "\n");
}

void ProgressLine::note(std::string_view doing) {
    std::lock_guard const lock(mutex_);
    fmt::print(stderr, "{}{}: {}\n", terminal_ && shown_ >= 0 ? "\n" : "", what_, doing);
}

}  // namespace workforce::cli
