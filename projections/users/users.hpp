// The look-up of one user account by id, as authentication needs it: before it is known whose request it is.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "core/database.hpp"
#include "events/user.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// The user account of any organization, live or sandbox: only for the program itself, never for a caller.
boost::asio::awaitable<std::optional<Document>> find_user(core::Database& database, Id id);

/// The account of a row of read.user_account that has the column doc.
events::User user_of(pqxx::row const& row);

/// What keeps read.user_account.
ProjectionType user_projection();

}  // namespace workforce::projections
