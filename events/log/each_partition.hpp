// Work on many partitions side by side.
#pragma once

#include <functional>
#include <vector>

namespace workforce::events {

/// All of a log's partitions, or the one given (negative: none is). Errors: std::runtime_error when there is no such
/// one.
std::vector<int> choose_partitions(int count, int only);

/// Calls `work` with each partition, on a few threads; it must be thread-safe. After an exception no further partition
/// is begun, and the first one is thrown once all have ended. Blocks.
void each_partition(std::vector<int> const& partitions, std::function<void(int partition)> const& work);

}  // namespace workforce::events
