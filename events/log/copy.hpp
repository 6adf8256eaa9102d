// Carries a log from one engine to another: the same events, claims, positions and hashes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/log/log.hpp"

namespace workforce::events {

/// What a copy did; of what was there already nothing is counted.
struct CopyCounts {
    std::int64_t events = 0;
    std::int64_t claims = 0;
    std::int64_t voided = 0;  ///< entries that don't count, which are left behind
};

/// Claims every partition, so that whoever wrote to the log before writes no more. Blocks. Errors: LogUnavailable.
void fence_writers(EventLog& log, std::string const& owner);

/// Copies all partitions, side by side, checking the source's chain on the way. Goes on where an earlier copy stopped:
/// the target's last record must be the source's of that position, and its last claims those of the source. Nobody else
/// may write to either log meanwhile. `copied` is told how many more events are in the target, by several threads.
/// Blocks. Errors: LogUnfit when the target is not a beginning of the source or the source is broken, LogUnavailable
/// (call it again then); both leave the target as far as it came.
CopyCounts copy_log(EventLog& source, EventLog& target, std::function<void(std::int64_t events)> const& copied);

}  // namespace workforce::events
