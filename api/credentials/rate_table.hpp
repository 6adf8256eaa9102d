// The table of keys' windows, ops.rate_limit.
#pragma once

#include <chrono>

#include "api/credentials/key_limits.hpp"
#include "core/database.hpp"

namespace workforce::api {

/// Leases from the table's rows of the REST API, whose windows last so long. The database's sessions are of role
/// workforce_writer; it outlives what is returned.
RateExchange rate_table(core::Database& database, std::chrono::seconds window);

}  // namespace workforce::api
