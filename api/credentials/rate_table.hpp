// The table of keys' windows, ops.rate_limit.
#pragma once

#include <chrono>
#include <string_view>

#include "api/credentials/key_limits.hpp"
#include "core/database.hpp"

namespace workforce::api {

/// The channels of the table: a key has a window of its own in each.
inline constexpr std::string_view kRestRequests = "rest";
inline constexpr std::string_view kMcpRequests = "mcp";

/// Leases from the table's rows of a channel, whose windows last so long. The database's sessions are of role
/// workforce_writer; it outlives what is returned.
RateExchange rate_table(core::Database& database, std::string_view channel, std::chrono::seconds window);

}  // namespace workforce::api
