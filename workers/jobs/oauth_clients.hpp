// The end of OAuth clients that nobody uses.
#pragma once

#include "core/session_pool.hpp"
#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// Has clients removed that nobody used for 90 days and that have no live token, and those that nobody ever used a week
/// after they registered, or an hour after it where they take up half of the room for such clients. The sessions are of
/// role workforce_writer. Blocks. Errors: core::DatabaseUnavailable.
void remove_unused_clients(core::SessionPool& sessions, SubmitOperation const& submit);

}  // namespace workforce::workers
