// Renews this process's leases.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "workers/owners.hpp"

namespace workforce::workers {

/// Renews the leases each second until the timer's io_context stops. Trouble with the database is logged, and retried.
boost::asio::awaitable<void> keep_leases(core::Database& database, int partitions, Member member, Owners& owners);

}  // namespace workforce::workers
