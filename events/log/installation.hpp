// What an installation's database says of the installation itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/connection.hpp"

namespace workforce::events {

/// Facts that are fixed once events exist, from log.installation.
struct Installation {
    std::string name;
    std::string log;         ///< the engine that keeps its log, as configuration names it
    bool restoring = false;  ///< a restore began and has not ended
    int partitions = 0;      ///< of its log; 0: not recorded
    std::string topic;       ///< the Kafka topic that is this database's; empty: none is
    /// Names this database in that topic: a restored one has another, a copy has the same and is `copied`.
    std::string incarnation;
    bool copied = false;                            ///< the database is not the one that the incarnation was given to
    bool unmarked = false;                          ///< its topic was written before topics held owner records
    std::string public_key;                         ///< of who signs heads and mends (hexadecimal); empty: not recorded
    std::vector<std::string> former_public_keys{};  ///< of who signed them under former master keys
};

/// Reads them; what is not recorded yet is empty (but a log with events in Postgres is there whether recorded or not).
/// Blocks. Errors: std::runtime_error when the schema is not this program's; core::DatabaseUnavailable.
Installation read_installation(std::string const& database_url);

/// Refuses another engine than the one that keeps the installation's log, where that is known, and with the log in
/// Kafka another topic: events written to two logs would be two histories. Refuses a database that was restored in
/// part, too, and a copy of the one that its topic belongs to. Blocks. Errors: as read_installation; LogUnfit.
void require_log(std::string const& database_url, std::string const& log, std::string const& topic);

/// Records name and engine as far as they are not recorded yet; called as the owner of the tables. Blocks. Errors:
/// core::DatabaseUnavailable.
void record_installation(std::string const& database_url, std::string const& name, std::string const& log);

/// Records the public key of who signs heads and mends, unless one is recorded; as record_installation.
void record_public_key(std::string const& database_url, std::string const& public_key);

/// Records how many partitions the log has, in place of what was recorded; as record_installation.
void record_partitions(std::string const& database_url, int partitions);

/// Where the owner records of a topic stand: offsets by partition. Blocks. Errors: core::DatabaseUnavailable.
std::map<int, std::int64_t> read_topic_records(std::string const& database_url, std::string const& topic);

/// Gives this database a name among those that may own topics, unless it has one that is its own; as
/// record_installation.
void record_incarnation(std::string const& database_url, std::string const& incarnation);

/// Records that a topic is this database's, and where its owner records stand; as record_installation.
void record_topic(std::string const& database_url, std::string const& topic,
                  std::map<int, std::int64_t> const& records);

/// The same, under a new name for this database.
void record_topic_taken(std::string const& database_url, std::string const& topic, std::string const& incarnation,
                        std::map<int, std::int64_t> const& records);

/// The furthest position that a read model has folded, by partition. Blocks. Errors: core::DatabaseUnavailable.
std::map<int, std::int64_t> read_folded(std::string const& database_url);

/// Refuses, as require_log does and while somebody has the installation for himself (SoleUse), what would write to that
/// log. To be asked after each claim: who was told yes has claimed before a SoleUse began. The
/// session may be of role workforce_writer. Blocks. Errors: LogUnfit; pqxx's.
void require_writable(core::Connection& connection, std::string const& log, std::string const& topic);

/// The installation for one alone, for as long as the object and its session live: nobody begins to write its log.
/// Those who wrote before are fenced by a claim. Its operations run in the session that holds the lock, so that they
/// fail where it was lost. As the owner of the tables. Not thread-safe. Errors: pqxx's.
class SoleUse {
   public:
    /// Further errors: std::runtime_error when another one has it.
    explicit SoleUse(std::string const& database_url);
    /// Who comes next need not wait until the server has seen that the session is gone.
    ~SoleUse();
    SoleUse(SoleUse const&) = delete;
    SoleUse& operator=(SoleUse const&) = delete;

    /// Makes another engine the one that keeps the log.
    void move_to(std::string const& log);
    /// Notes that a restore of the installation of that name begins, or that it has ended.
    void begin_restore(std::string const& name);
    void end_restore();

   private:
    core::Connection session_;
};

}  // namespace workforce::events
