// The end of OAuth clients that nobody uses.
#pragma once

#include <optional>
#include <string>

#include "core/session_pool.hpp"
#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// Has clients removed that nobody used for 90 days and that have no live token, and those that nobody ever used a week
/// after they registered, or an hour after it where they take up half of the room for such clients. The sessions are of
/// role workforce_writer. Blocks. Errors: core::DatabaseUnavailable.
void remove_unused_clients(core::SessionPool& sessions, SubmitOperation const& submit);

/// The id of the registered client of that name, in the log; nothing where there is none. The session's role is
/// workforce_writer. Blocks. Errors: pqxx's.
std::optional<core::Id> find_oauth_client(core::Connection& connection, std::string const& client_id);
/// Forgets the name and the secret of a client of which the log says that it ended. As above.
void forget_oauth_client(core::Connection& connection, std::string const& client_id);

}  // namespace workforce::workers
