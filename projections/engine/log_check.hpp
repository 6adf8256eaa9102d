// Whether the log is one that the read models can go on from.
#pragma once

#include "core/connection.hpp"
#include "events/log/log.hpp"

namespace workforce::projections {

/// Refuses a log that ends before what the read models have folded, as after the restore of an older one: they show
/// what the log does not tell, and would miss what it says next. Blocks. Errors: events::LogUnfit, one line that says
/// what to do; core::DatabaseUnavailable, events::LogUnavailable.
void require_log_not_behind(events::EventLog& log, core::ConnectionOptions const& login);

}  // namespace workforce::projections
