// The end of what is kept of where audited requests came from.
#pragma once

#include "core/session_pool.hpp"

namespace workforce::workers {

/// Deletes origins of requests that are older than 400 days (domain 14). Blocks. `sessions` are of role
/// workforce_writer. Errors: core::DatabaseUnavailable.
void prune_request_origins(core::SessionPool& sessions);

}  // namespace workforce::workers
