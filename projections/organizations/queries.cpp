// The look-up of organizations by id.
#include "projections/engine/statements.hpp"
#include "projections/organizations/organizations.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {

boost::asio::awaitable<std::optional<Document>> find_organization(core::Database& database, Id id) {
    return find_anywhere(database, {"organizations_find", sql::organizations_find}, id);
}

}  // namespace workforce::projections
