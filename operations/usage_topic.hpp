// Usage rows as CloudEvents, for readers of Kafka.
#pragma once

#include <span>
#include <string>

#include "operations/usage_meter.hpp"

namespace workforce::operations {

/// The row as a CloudEvent in JSON: its id is the request's, its subject the organization. `source` names the
/// installation. Pure.
std::string usage_event(UsageRow const& row, std::string const& source);

}  // namespace workforce::operations
