// What an installation's database says of the installation itself.
#pragma once

#include <string>

#include "core/connection.hpp"

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

/// Refuses, as require_engine does and while somebody has the installation for himself (SoleUse), what would write to
/// the log of engine `log`. To be asked after each claim: who was told yes has claimed before a SoleUse began. The
/// session may be of role workforce_writer. Blocks. Errors: LogUnfit; pqxx's.
void require_writable(core::Connection& connection, std::string const& log);

/// The installation for one alone, for as long as the object and its session live: nobody begins to write its log.
/// Those who wrote before are fenced by a claim. Its operations run in the session that holds the lock, so that they
/// fail where it was lost. As the owner of the tables. Not thread-safe. Errors: pqxx's.
class SoleUse {
   public:
    /// Further errors: std::runtime_error when another one has it.
    explicit SoleUse(std::string const& database_url);

    /// Makes another engine the one that keeps the log.
    void move_to(std::string const& log);
    /// Notes that a restore of the installation of that name begins, or that it has ended.
    void begin_restore(std::string const& name);
    void end_restore();

   private:
    core::Connection session_;
};

}  // namespace workforce::events
