// Which engine keeps the log: the one place that knows them all.
#pragma once

#include <memory>

#include "core/config.hpp"
#include "events/log.hpp"

namespace workforce::events {

/// Opens the log that the configuration names. Blocks.
/// Errors: LogUnavailable, LogUnfit; std::runtime_error when it was not made yet. Each is one line for the operator.
std::unique_ptr<EventLog> open_log(core::Config const& config);

/// Makes the log that the configuration names, with its partitions; what is there stays. Blocks.
/// Errors: as open_log, and std::runtime_error when it has another number of partitions.
void create_log(core::Config const& config);

}  // namespace workforce::events
