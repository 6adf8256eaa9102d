// What an installation's database says of the installation itself.
#pragma once

#include <string>

namespace workforce::events {

/// Facts that are fixed once events exist, from log.installation.
struct Installation {
    std::string name;
    std::string log;         ///< the engine that keeps its log, as configuration names it
    bool restoring = false;  ///< a restore began and has not ended
};

/// Reads them; what is not recorded yet is empty (but a log with events in Postgres is there whether recorded or not).
/// Blocks. Errors: std::runtime_error when the schema is not this program's; core::DatabaseUnavailable.
Installation read_installation(std::string const& database_url);

/// Refuses another engine than the one that keeps the installation's log, where that is known: events written to two
/// logs would be two histories. Refuses a database that was restored in part, too. Blocks. Errors: as
/// read_installation; LogUnfit.
void require_engine(std::string const& database_url, std::string const& log);

/// Records what is not recorded yet; called as the owner of the tables. Blocks. Errors: core::DatabaseUnavailable.
void record_installation(std::string const& database_url, Installation const& installation);

/// Makes another engine the one that keeps the log; called as the owner of the tables. Blocks.
/// Errors: core::DatabaseUnavailable.
void move_installation(std::string const& database_url, std::string const& log);

/// Notes that a restore of the installation of that name begins, or that it has ended; called as the owner of the
/// tables. Blocks. Errors: core::DatabaseUnavailable.
void begin_restore(std::string const& database_url, std::string const& name);
void end_restore(std::string const& database_url);

}  // namespace workforce::events
