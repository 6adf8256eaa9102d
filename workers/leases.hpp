// Leases: which process serves which partition, for those who need to find it. Liveness only; safety is the log's
// epoch.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "core/connection.hpp"
#include "core/database.hpp"

namespace workforce::workers {

/// A partition's live owner.
struct Lease {
    int partition = 0;
    std::string owner;
    std::string admin_url;
};

/// Writes this process's leases over all partitions: before it claims them, so that whoever comes now finds it. Blocks.
void take_leases(core::Connection& connection, int partitions, std::string const& owner, std::string const& admin_url);

/// Renews the leases each second until the timer's io_context stops. They live 3 seconds, so a process that died is
/// known to be gone soon. Trouble with the database is logged, and retried.
boost::asio::awaitable<void> keep_leases(core::Database& database, int partitions, std::string owner,
                                         std::string admin_url);

/// Gives the leases back, so that nobody waits for them to run out. Blocks.
void release_leases(core::Connection& connection, std::string const& owner);

/// Any live lease. Blocks.
std::optional<Lease> live_lease(core::Connection& connection);

}  // namespace workforce::workers
