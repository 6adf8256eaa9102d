// Rows of log.installation.
#include "events/log/installation.hpp"

#include <fmt/format.h>

#include <pqxx/except>
#include <stdexcept>
#include <utility>

#include "core/database.hpp"
#include "core/session_pool.hpp"
#include "events/log/log.hpp"
#include "schemas/migrations.hpp"

namespace workforce::events {
namespace {

constexpr core::Statement kRecordInstallation{"record_installation",
                                              "INSERT INTO log.installation (name, value) VALUES ($1, $2)"
                                              " ON CONFLICT (name) DO NOTHING"};
constexpr core::Statement kReadInstallation{"read_installation", R"(
SELECT coalesce((SELECT value FROM log.installation WHERE name = 'installation'), ''),
       coalesce((SELECT value FROM log.installation WHERE name = 'log'),
                CASE WHEN EXISTS (SELECT FROM log.event) THEN 'postgres' ELSE '' END),
       EXISTS (SELECT FROM log.installation WHERE name = 'restoring'),
       coalesce((SELECT value::int FROM log.installation WHERE name = 'partitions'), 0),
       coalesce((SELECT value FROM log.installation WHERE name = 'topic'), ''),
       coalesce((SELECT value FROM log.installation WHERE name = 'incarnation'), ''),
       coalesce((SELECT value <> log.database_identity() FROM log.installation WHERE name = 'database'), false),
       EXISTS (SELECT FROM log.installation WHERE name = 'unmarked'),
       coalesce((SELECT value FROM log.installation WHERE name = 'public_key'), ''),
       coalesce((SELECT string_to_array(value, ' ') FROM log.installation WHERE name = 'former_public_keys'), '{}'))"};
constexpr core::Statement kReplace{"replace_installation",
                                   "INSERT INTO log.installation (name, value) VALUES ($1, $2)"
                                   " ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"};
constexpr core::Statement kReadRecords{"read_topic_records",
                                       "SELECT partition, record_offset FROM log.kafka_owner WHERE topic = $1"};
constexpr core::Statement kRecordTopic{
    "record_topic",
    "INSERT INTO log.kafka_owner (topic, partition, record_offset) VALUES ($1, $2, $3)"
    " ON CONFLICT (topic, partition) DO UPDATE SET record_offset = EXCLUDED.record_offset"};
constexpr core::Statement kFolded{"read_folded",
                                  "SELECT partition, max(position) FROM projection.checkpoint GROUP BY partition"};
constexpr core::Statement kBeginRestore{
    "begin_restore",
    "INSERT INTO log.installation (name, value) VALUES ('installation', $1),"
    " ('restoring', 'true') ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"};
constexpr core::Statement kEndRestore{"end_restore", "DELETE FROM log.installation WHERE name = 'restoring'"};
constexpr core::Statement kMove{"move_installation",
                                "INSERT INTO log.installation (name, value) VALUES ('log', $1)"
                                " ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"};

constexpr core::Statement kAlone{"installation_alone", "SELECT pg_advisory_lock(hashtext('workforce log'))"};
constexpr core::Statement kNotAlone{"installation_not_alone", "SELECT pg_advisory_unlock(hashtext('workforce log'))"};
constexpr core::Statement kShared{"installation_shared",
                                  "SELECT pg_try_advisory_xact_lock_shared(hashtext('workforce log'))"};
/// Of a lock that others hold for the moment of require_writable only, unless they have the installation for
/// themselves.
constexpr std::string_view kLockPatience = "5s";

core::ConnectionOptions session_options(std::string const& database_url, std::string role = {}) {
    core::ConnectionOptions options;
    options.url = database_url;
    options.role = std::move(role);
    options.application_name = "workforce installation";
    return options;
}

core::SessionPool session(std::string const& database_url, std::string role = {}) {
    return {session_options(database_url, std::move(role)), 1};
}

Installation read(core::Connection& connection) {
    auto const row = connection.execute(kReadInstallation).at(0);
    return Installation{.name = core::read<std::string>(row[0]),
                        .log = core::read<std::string>(row[1]),
                        .restoring = core::read<bool>(row[2]),
                        .partitions = core::read<int>(row[3]),
                        .topic = core::read<std::string>(row[4]),
                        .incarnation = core::read<std::string>(row[5]),
                        .copied = core::read<bool>(row[6]),
                        .unmarked = core::read<bool>(row[7]),
                        .public_key = core::read<std::string>(row[8]),
                        .former_public_keys = core::read<std::vector<std::string>>(row[9])};
}

void require_log(Installation const& installation, std::string const& log, std::string const& topic) {
    auto const& kept = installation.log;
    if (installation.restoring) {
        throw LogUnfit("a restore into this database has not ended: if none runs, drop the database and restore again");
    }
    if (!kept.empty() && kept != log) {
        throw LogUnfit(
            fmt::format("this installation keeps its log in {}, not in {}: configure log = \"{}\"", kept, log, kept));
    }
    if (kept != "kafka" || installation.topic.empty()) return;
    if (installation.topic != topic) {
        throw LogUnfit(
            fmt::format("this installation keeps its log in topic {0}, not in {1}: configure kafka_topic = "
                        "\"{0}\"",
                        installation.topic, topic));
    }
    if (installation.copied) {
        throw LogUnfit(fmt::format(
            "this database is a copy of the one that topic {} belongs to: a clone needs a topic of its own (`workforce "
            "restore` of a backup); if it takes the other's place for good, `workforce log adopt`",
            topic));
    }
}

void name_database(core::Connection& connection, std::string const& incarnation) {
    connection.execute(kReplace, "incarnation", incarnation);
    connection.execute_sql(
        "INSERT INTO log.installation (name, value) VALUES ('database', log.database_identity())"
        " ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value");
}

void own_topic(core::Connection& connection, std::string const& topic, std::map<int, std::int64_t> const& records) {
    for (auto const& [partition, offset] : records) connection.execute(kRecordTopic, topic, partition, offset);
    connection.execute(kReplace, "topic", topic);
    connection.execute_sql("DELETE FROM log.installation WHERE name = 'unmarked'");
}

}  // namespace

Installation read_installation(std::string const& database_url) {
    try {
        return session(database_url).run([](core::Connection& connection) {
            schemas::require_current(connection);
            return connection.transaction([&] {  // the session is not this caller's alone
                connection.execute_sql("SET LOCAL ROLE workforce_writer");
                return read(connection);
            });
        });
    } catch (core::DatabaseUnavailable const& away) {
        throw core::DatabaseUnavailable(std::string("the database can't be reached: ") + away.what());
    }
}

void require_log(std::string const& database_url, std::string const& log, std::string const& topic) {
    require_log(read_installation(database_url), log, topic);
}

void record_installation(std::string const& database_url, std::string const& name, std::string const& log) {
    auto sessions = session(database_url);
    sessions.run([&](core::Connection& connection) {
        connection.execute(kRecordInstallation, "installation", name);
        connection.execute(kRecordInstallation, "log", log);
    });
}

void record_public_key(std::string const& database_url, std::string const& public_key) {
    session(database_url).run([&](core::Connection& connection) {
        connection.execute(kRecordInstallation, "public_key", public_key);
    });
}

void record_partitions(std::string const& database_url, int partitions) {
    session(database_url).run([&](core::Connection& connection) {
        connection.execute(kReplace, "partitions", std::to_string(partitions));
    });
}

std::map<int, std::int64_t> read_topic_records(std::string const& database_url, std::string const& topic) {
    std::map<int, std::int64_t> records;
    session(database_url, "workforce_writer").run([&](core::Connection& connection) {
        for (auto const& row : connection.execute(kReadRecords, topic)) {
            records.emplace(core::read<int>(row[0]), core::read<std::int64_t>(row[1]));
        }
    });
    return records;
}

void record_incarnation(std::string const& database_url, std::string const& incarnation) {
    session(database_url).run([&](core::Connection& connection) {
        connection.transaction([&] {
            connection.execute_sql("LOCK TABLE log.installation IN SHARE ROW EXCLUSIVE MODE");
            auto const now = read(connection);
            if (!now.incarnation.empty() && !now.copied) return;
            name_database(connection, incarnation);
        });
    });
}

void record_topic(std::string const& database_url, std::string const& topic,
                  std::map<int, std::int64_t> const& records) {
    session(database_url).run([&](core::Connection& connection) {
        connection.transaction([&] { own_topic(connection, topic, records); });
    });
}

void record_topic_taken(std::string const& database_url, std::string const& topic, std::string const& incarnation,
                        std::map<int, std::int64_t> const& records) {
    session(database_url).run([&](core::Connection& connection) {
        connection.transaction([&] {
            name_database(connection, incarnation);
            own_topic(connection, topic, records);
        });
    });
}

std::map<int, std::int64_t> read_folded(std::string const& database_url) {
    std::map<int, std::int64_t> folded;
    session(database_url, "workforce_writer").run([&](core::Connection& connection) {
        for (auto const& row : connection.execute(kFolded)) {
            folded.emplace(core::read<int>(row[0]), core::read<std::int64_t>(row[1]));
        }
    });
    return folded;
}

void require_writable(core::Connection& connection, std::string const& log, std::string const& topic) {
    connection.transaction([&] {
        // Two statements: what the second one sees is no older than the lock.
        if (!core::read<bool>(connection.execute(kShared)[0][0])) {
            throw LogUnfit("the log is being copied to another engine, or restored: wait until that has ended");
        }
        require_log(read(connection), log, topic);
    });
}

SoleUse::SoleUse(std::string const& database_url) : session_(session_options(database_url)) {
    session_.execute_sql(fmt::format("SET lock_timeout = '{}'", kLockPatience));
    try {
        session_.execute(kAlone);
    } catch (pqxx::sql_error const& error) {
        if (error.sqlstate() != "55P03") throw;  // lock not available
        throw std::runtime_error("another copy or restore of the log is at work on this database; wait for it to end");
    }
}

SoleUse::~SoleUse() {
    try {
        session_.execute(kNotAlone);
    } catch (std::exception const&) {  // the session's end does it
    }
}

void SoleUse::move_to(std::string const& log) { session_.execute(kMove, log); }
void SoleUse::begin_restore(std::string const& name) { session_.execute(kBeginRestore, name); }
void SoleUse::end_restore() { session_.execute(kEndRestore); }

}  // namespace workforce::events
