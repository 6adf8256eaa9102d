// Which master keys live processes know and use: what a replacement of the master key waits for.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "core/database.hpp"
#include "events/master_keys.hpp"

namespace workforce::workers {

/// Throws std::runtime_error with one line where another master key is in use than one of these ids. Within the
/// transaction in which a process enters its row. Blocks.
void require_master_key_known(core::Connection& connection, std::span<std::string const> ids);

/// Uses the master key that is in use by now, and says so in the process's row. Errors: std::runtime_error where this
/// process does not know it; core::DatabaseUnavailable.
boost::asio::awaitable<void> follow_master_key(core::Database& writes, events::MasterKeys keys, std::string owner);

/// Names of live processes that do not know the master key of that id. Blocks. Errors: pqxx's.
std::vector<std::string> who_does_not_know(core::Connection& connection, std::string const& id);
/// Names of live processes that do not use it yet. Blocks. Errors: pqxx's.
std::vector<std::string> who_does_not_use(core::Connection& connection, std::string const& id);

}  // namespace workforce::workers
