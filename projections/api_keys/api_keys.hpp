// The look-up of one API key by id, as authentication needs it: before it is known whose request it is.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "core/database.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// The API key of any organization, live or sandbox: only for the program itself, never for a caller.
boost::asio::awaitable<std::optional<Document>> find_api_key(core::Database& database, Id id);

/// What keeps read.api_key.
ProjectionType api_key_projection();

}  // namespace workforce::projections
