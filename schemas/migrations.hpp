// Brings a database's schema up to date, and tells whether it is.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "schemas/sql.hpp"

namespace workforce::schemas {

/// The database does not fit this program's migrations; one line for the operator.
struct MigrationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// How a database's schema compares with what the program was built for.
enum class SchemaState : std::uint8_t { missing, behind, current, too_new };

/// The comparison with its versions: the number of the last migration applied (0: none) and of the last one known.
struct SchemaStatus {
    SchemaState state = SchemaState::missing;
    int database_version = 0;
    int program_version = 0;
};

/// One line for people: what the state is and, unless it is current, what to do.
std::string describe(SchemaStatus const& status);

/// Applies what is missing of `migrations/NNNN_name.sql` among `files`, in order, each in a transaction of its own, as
/// the role that `database_url` logs in with. Concurrent calls on one database wait for each other. Returns the names
/// of those applied now. Blocks. Errors: MigrationError when an applied migration is not the program's, or the database
/// is newer than the program; core::DatabaseUnavailable; pqxx::sql_error from a migration, which is then not applied.
std::vector<std::string> migrate(std::string const& database_url, std::span<sql::File const> files = sql::kFiles);

/// The number of the last migration known.
int newest_version(std::span<sql::File const> files = sql::kFiles);

/// Compares without changing anything. Blocks. Errors: core::DatabaseUnavailable.
SchemaStatus schema_state(std::string const& database_url, std::span<sql::File const> files = sql::kFiles);

/// Refuses a database whose schema is not this program's, in a session of the role that logged in. Blocks. Errors:
/// std::runtime_error, which says what to do; pqxx's.
void require_current(core::Connection& connection);

}  // namespace workforce::schemas
