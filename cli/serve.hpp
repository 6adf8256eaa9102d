// A process of the service from its start to its end.
#pragma once

#include "core/config.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::cli {

/// Builds all parts of the role, serves until SIGTERM or SIGINT, then stops in order: a process with listeners for
/// clients first says for Config::drain_seconds that it is not ready, which another of these signals ends. Returns the
/// exit code. Errors at start: std::runtime_error with one line.
int serve(core::Config const& config, workers::Role role);

}  // namespace workforce::cli
