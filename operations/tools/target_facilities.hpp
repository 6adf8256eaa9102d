// Where the resource is that a call of a tool names by its id.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "operations/call.hpp"

namespace workforce::operations {

/// The facilities of what the call names by its id, acts on or reads, as the read model has them. Empty: it is of all
/// of them, or is not there. Nothing: the call names no resource that is anywhere. One look-up. Errors:
/// core::DatabaseUnavailable, core::DatabaseBusy.
boost::asio::awaitable<std::optional<std::vector<Id>>> target_facilities(Call const& call);

}  // namespace workforce::operations
