// Whether read models have what the write side's indexes are looked up by.
#pragma once

#include "core/connection.hpp"

namespace workforce::workers {

/// Checks that each member that an index names (events/index.hpp) has its column in the read model, and each key a
/// database index. Errors: std::runtime_error that names what is missing; core::DatabaseUnavailable.
void require_indexes(core::Connection& connection);

}  // namespace workforce::workers
