// Whether a process can do its work, for /readyz.
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

/// Asks database and log now: they answer; the clock of a process that writes is to be believed; every partition has a
/// live owner somewhere, and those of this process are served; projections are not late, and none stands still; the
/// process has started and is not about to stop. Takes at most a few seconds.
boost::asio::awaitable<Readiness> readiness(AdminServices& services);

}  // namespace workforce::api
