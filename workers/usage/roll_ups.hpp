// What is done to usage rows in time: added up, joined to markers, forgotten.
#pragma once

#include "core/session_pool.hpp"

namespace workforce::workers {

/// Joins markers to their requests' rows, and adds rows that are not rolled up to the totals of their hours and days:
/// each once, whoever else does so. Returns how many batches it rolled up. The sessions are of role workforce_writer.
/// Blocks. Errors: core::DatabaseUnavailable.
int roll_usage_up(core::SessionPool& sessions);

/// Makes the partitions of days to come, and forgets rows, totals and markers that are older than their organizations
/// keep them (usageRetentionDays), and rows of ops.billing_outbox that were sent 400 days ago. As roll_usage_up().
void prune_usage(core::SessionPool& sessions);

}  // namespace workforce::workers
