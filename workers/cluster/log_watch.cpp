// The watch of the log.
#include "workers/cluster/log_watch.hpp"

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::workers {
namespace {

/// Who did not look for so long stood still, and can't tell for how long nothing came.
constexpr std::chrono::milliseconds kStoodStill{3'000};

}  // namespace

void LogWatch::look(Clock::time_point now) {
    if (now - looked_ > kStoodStill) awake_ = now;
    looked_ = now;
    auto const looking = std::chrono::duration_cast<std::chrono::milliseconds>(now - awake_);
    auto const silence = silence_ ? silence_() : std::chrono::milliseconds(0);
    // Only an answer ends a silence.
    bool const silent = silence >= kSilent && (silent_ || looking >= kSilent);
    if (silent && !silent_) {
        unsure_ = now;
        told_ = !core::database_outage().known();  // of a log in PostgreSQL that one's line tells
        core::log(
            told_ ? core::Level::warn : core::Level::debug,
            "the log does not answer: this process takes no partitions, and leaves its own to others that reach it",
            {{"silent_ms", silence.count()}});
    } else if (!silent && silent_) {
        core::log(told_ ? core::Level::info : core::Level::debug,
                  "the log answers again: this process takes its share of partitions");
    }
    silent_ = silent;
}

bool LogWatch::yields(bool others, Clock::time_point now) {
    if (!silent_ || !others) unsure_ = now;
    return now - unsure_ >= kSure;
}

}  // namespace workforce::workers
