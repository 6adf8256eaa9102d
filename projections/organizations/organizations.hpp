// The look-up of one organization by id, as authentication needs it: before it is known whose request it is.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "core/database.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// The organization of any organization, live or sandbox: only for the program itself, never for a caller.
boost::asio::awaitable<std::optional<Document>> find_organization(core::Database& database, Id id);

/// What keeps read.organization.
ProjectionType organization_projection();

}  // namespace workforce::projections
