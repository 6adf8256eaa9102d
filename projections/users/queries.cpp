// The look-up of users by id.
#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"
#include "projections/users/users.hpp"

namespace workforce::projections {

boost::asio::awaitable<std::optional<Document>> find_user(core::Database& database, Id id) {
    return find_anywhere(database, {"users_find", sql::users_find}, id);
}

}  // namespace workforce::projections
