// Rows of log.installation.
#include "events/installation.hpp"

#include <fmt/format.h>

#include <pqxx/except>
#include <stdexcept>
#include <utility>

#include "core/session_pool.hpp"
#include "events/log.hpp"
#include "schemas/migrations.hpp"

namespace workforce::events {
namespace {

constexpr core::Statement kRecord{"record_installation",
                                  "INSERT INTO log.installation (name, value) VALUES ($1, $2)"
                                  " ON CONFLICT (name) DO NOTHING"};
constexpr core::Statement kRead{"read_installation", R"(
SELECT coalesce((SELECT value FROM log.installation WHERE name = 'installation'), ''),
       coalesce((SELECT value FROM log.installation WHERE name = 'log'),
                CASE WHEN EXISTS (SELECT FROM log.event) THEN 'postgres' ELSE '' END),
       EXISTS (SELECT FROM log.installation WHERE name = 'restoring'))"};
constexpr core::Statement kBeginRestore{
    "begin_restore",
    "INSERT INTO log.installation (name, value) VALUES ('installation', $1),"
    " ('restoring', 'true') ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"};
constexpr core::Statement kEndRestore{"end_restore", "DELETE FROM log.installation WHERE name = 'restoring'"};
constexpr core::Statement kMove{"move_installation",
                                "INSERT INTO log.installation (name, value) VALUES ('log', $1)"
                                " ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"};

constexpr core::Statement kAlone{"installation_alone", "SELECT pg_advisory_lock(hashtext('workforce log'))"};
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
    auto const row = connection.execute(kRead).at(0);
    return Installation{core::read<std::string>(row[0]), core::read<std::string>(row[1]), core::read<bool>(row[2])};
}

void require_engine(Installation const& installation, std::string const& log) {
    auto const& [name, kept, restoring] = installation;
    if (restoring) {
        throw LogUnfit("a restore into this database has not ended: if none runs, drop the database and restore again");
    }
    if (kept.empty() || kept == log) return;
    throw LogUnfit(
        fmt::format("this installation keeps its log in {}, not in {}: configure log = \"{}\"", kept, log, kept));
}

}  // namespace

Installation read_installation(std::string const& database_url) {
    auto const status = schemas::schema_state(database_url);
    if (status.state != schemas::SchemaState::current) throw std::runtime_error(schemas::describe(status));
    auto sessions = session(database_url, "workforce_writer");
    return sessions.run([](core::Connection& connection) { return read(connection); });
}

void require_engine(std::string const& database_url, std::string const& log) {
    require_engine(read_installation(database_url), log);
}

void record_installation(std::string const& database_url, Installation const& installation) {
    auto sessions = session(database_url);
    sessions.run([&](core::Connection& connection) {
        connection.execute(kRecord, "installation", installation.name);
        connection.execute(kRecord, "log", installation.log);
    });
}

void require_writable(core::Connection& connection, std::string const& log) {
    connection.transaction([&] {
        // Two statements: what the second one sees is no older than the lock.
        if (!core::read<bool>(connection.execute(kShared)[0][0])) {
            throw LogUnfit("the log is being copied to another engine, or restored: wait until that has ended");
        }
        require_engine(read(connection), log);
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

void SoleUse::move_to(std::string const& log) { session_.execute(kMove, log); }
void SoleUse::begin_restore(std::string const& name) { session_.execute(kBeginRestore, name); }
void SoleUse::end_restore() { session_.execute(kEndRestore); }

}  // namespace workforce::events
