// Whether this process can serve clients, for /readyz, and how the whole installation stands, for /statusz.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "api/admin/admin_listener.hpp"

namespace workforce::api {

/// The answer of /readyz.
struct Readiness {
    bool ready = false;
    std::string status;  ///< JSON: the status alone
    std::string checks;  ///< JSON: each check with what is wrong too
};

/// Asks whether this process can authenticate, read and forward: it has started and is not about to stop, the database
/// answers it, and the clock of a process with clients is to be believed. Neither the log nor other processes count: a
/// balancer that took every process away for these would refuse all that can still be answered. Takes half a second at
/// most.
boost::asio::awaitable<Readiness> readiness(AdminServices& services);

/// The answer of /statusz, JSON: what readiness() asks, and what of the installation this process sees. The log
/// answers; every partition is written and folded by a live process, and served by this one where it has the lease;
/// projections are not late, none stands still, nor does a reactor. Then processes, and partitions with their owners
/// and positions. Asks database and log now, and takes a few seconds at most.
boost::asio::awaitable<std::string> status_report(AdminServices& services);

}  // namespace workforce::api
