// Rolling upgrades: processes of two releases agree on the events that both read. A process announces in its row what
// it reads; a type or version is activated, for good, once every live process has announced it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "core/database.hpp"
#include "events/activations.hpp"

namespace workforce::workers {

/// What may not be written yet, and who keeps it from that.
struct HeldBack {
    std::string event;                   ///< "lead.created 1"
    std::vector<std::string> waits_for;  ///< names of live processes that have not announced that they read it
};

/// What this program reads, as the column `reads` of ops.process has it: a JSON object of versions by type.
std::string const& announcement();

/// Throws std::runtime_error with one line where the installation writes events that this program does not know. Within
/// the transaction in which a process enters its row, under the lock that activate() takes. Blocks.
void require_activated_known(core::Connection& connection);

/// Activates what every live process reads and this program knows, and tells `activations` of all that is. Returns what
/// stays held back. Errors: as require_activated_known(). Blocks.
std::vector<HeldBack> activate(core::Connection& connection, events::Activations& activations);

/// What a process does each second until nothing is held back: activates what it can, and tells operators what waits
/// for whom. What it refers to outlives it.
std::function<boost::asio::awaitable<void>()> activation_round(core::Database& writes,
                                                               events::Activations& activations);

}  // namespace workforce::workers
