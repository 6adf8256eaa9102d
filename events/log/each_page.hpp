// A scan at full speed: the next page is fetched while one is worked on.
#pragma once

#include <functional>
#include <vector>

#include "events/log/log.hpp"

namespace workforce::events {

/// Calls `work` with page after page until none comes or it returns false; entries may be moved from. Blocks.
/// Errors: as LogScan::next, and what `work` throws.
void each_page(LogScan& scan, std::function<bool(std::vector<LogEntry>& entries)> const& work);

}  // namespace workforce::events
