// The look-up of keys by id.
#include "projections/api_keys/api_keys.hpp"
#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {

boost::asio::awaitable<std::optional<Document>> find_api_key(core::Database& database, Id id) {
    return find_anywhere(database, {"api_keys_find", sql::api_keys_find}, id);
}

}  // namespace workforce::projections
