// `workforce serve`: everything in one process.
#pragma once

#include "core/config.hpp"

namespace workforce::api {

/// Builds all parts, serves until SIGTERM or SIGINT, then stops in order: no new connections, requests in flight
/// answered, projections to the end of their batch. Returns the exit code. Errors at start: std::runtime_error with one
/// line.
int serve(core::Config const& config);

}  // namespace workforce::api
