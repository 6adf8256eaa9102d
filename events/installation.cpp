// Rows of log.installation.
#include "events/installation.hpp"

#include <fmt/format.h>

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

core::SessionPool session(std::string const& database_url, std::string role = {}) {
    core::ConnectionOptions options;
    options.url = database_url;
    options.role = std::move(role);
    options.application_name = "workforce installation";
    return {std::move(options), 1};
}

}  // namespace

Installation read_installation(std::string const& database_url) {
    auto const status = schemas::schema_state(database_url);
    if (status.state != schemas::SchemaState::current) throw std::runtime_error(schemas::describe(status));
    auto sessions = session(database_url, "workforce_writer");
    return sessions.run([](core::Connection& connection) {
        auto const row = connection.execute(kRead).at(0);
        return Installation{core::read<std::string>(row[0]), core::read<std::string>(row[1]), core::read<bool>(row[2])};
    });
}

void require_engine(std::string const& database_url, std::string const& log) {
    auto const [name, kept, restoring] = read_installation(database_url);
    if (restoring) {
        throw LogUnfit("a restore into this database has not ended: if none runs, drop the database and restore again");
    }
    if (kept.empty() || kept == log) return;
    throw LogUnfit(
        fmt::format("this installation keeps its log in {}, not in {}: configure log = \"{}\"", kept, log, kept));
}

void record_installation(std::string const& database_url, Installation const& installation) {
    auto sessions = session(database_url);
    sessions.run([&](core::Connection& connection) {
        connection.execute(kRecord, "installation", installation.name);
        connection.execute(kRecord, "log", installation.log);
    });
}

void move_installation(std::string const& database_url, std::string const& log) {
    auto sessions = session(database_url);
    sessions.run([&](core::Connection& connection) { connection.execute(kMove, log); });
}

void begin_restore(std::string const& database_url, std::string const& name) {
    auto sessions = session(database_url);
    sessions.run([&](core::Connection& connection) { connection.execute(kBeginRestore, name); });
}

void end_restore(std::string const& database_url) {
    auto sessions = session(database_url);
    sessions.run([&](core::Connection& connection) { connection.execute(kEndRestore); });
}

}  // namespace workforce::events
