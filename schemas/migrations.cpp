// The migration runner: embedded SQL files, applied in order under an advisory lock and recorded with their checksums.
#include "schemas/migrations.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <pqxx/except>
#include <string_view>

#include "core/crypto.hpp"
#include "core/database.hpp"

namespace workforce::schemas {
namespace {

constexpr std::string_view kFolder = "migrations/";

constexpr core::Statement kLock{"migrations_lock", "SELECT pg_advisory_lock(7823641120951)"};
constexpr core::Statement kExists{"migrations_exists", "SELECT to_regclass('public.schema_migration') IS NOT NULL"};
constexpr core::Statement kApplied{"migrations_applied",
                                   "SELECT version, name, checksum FROM public.schema_migration ORDER BY version"};
constexpr core::Statement kRecord{"migrations_record",
                                  "INSERT INTO public.schema_migration (version, name, checksum) VALUES ($1, $2, $3)"};
constexpr std::string_view kCreateTable =
    "CREATE TABLE IF NOT EXISTS public.schema_migration ("
    "version int PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT "
    "now())";

struct Migration {
    int version = 0;
    std::string name;
    std::string checksum;
    std::string_view text;
};

/// The migrations among the files. A file that is misnamed is the programmer's fault: std::logic_error.
std::vector<Migration> migrations_of(std::span<sql::File const> files) {
    std::vector<Migration> found;
    for (auto const& file : files) {
        if (!file.name.starts_with(kFolder)) continue;
        auto const name = file.name.substr(kFolder.size());
        int version = 0;
        auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
        if (error != std::errc() || *end != '_' || (!found.empty() && version <= found.back().version)) {
            throw std::logic_error(fmt::format("{} is not the next NNNN_name.sql", file.name));
        }
        auto const digest = core::sha256(file.text);
        found.push_back({version, std::string(name), core::hex_encode(core::bytes(digest)), file.text});
    }
    return found;
}

core::Connection connect(std::string const& url) {
    core::ConnectionOptions options;
    options.url = url;
    options.statement_timeout = std::chrono::milliseconds(0);  // a migration, or the wait for another's, takes its time
    options.application_name = "workforce migrate";
    try {
        return core::Connection(options);
    } catch (pqxx::broken_connection const& broken) {
        std::string const text = broken.what();
        throw core::DatabaseUnavailable("the database can't be reached: " + text.substr(0, text.find('\n')));
    }
}

std::vector<Migration> applied_in(core::Connection& connection) {
    std::vector<Migration> applied;
    if (!core::read<bool>(connection.execute(kExists)[0][0])) return applied;
    for (auto const& row : connection.execute(kApplied)) {
        applied.push_back(
            {core::read<int>(row[0]), core::read<std::string>(row[1]), core::read<std::string>(row[2]), {}});
    }
    return applied;
}

int last_version(std::vector<Migration> const& migrations) {
    return migrations.empty() ? 0 : migrations.back().version;
}

SchemaStatus compare(std::vector<Migration> const& applied, std::vector<Migration> const& known) {
    SchemaStatus status{SchemaState::current, last_version(applied), last_version(known)};
    if (applied.empty()) {
        status.state = SchemaState::missing;
    } else if (status.database_version > status.program_version) {
        status.state = SchemaState::too_new;
    } else if (applied.size() < known.size()) {
        status.state = SchemaState::behind;
    }
    return status;
}

/// What was applied must be the beginning of what is known.
void check_history(std::vector<Migration> const& applied, std::vector<Migration> const& known) {
    auto const status = compare(applied, known);
    if (status.state == SchemaState::too_new) throw MigrationError(describe(status));
    for (std::size_t i = 0; i < applied.size(); ++i) {
        if (i >= known.size() || applied[i].version != known[i].version || applied[i].checksum != known[i].checksum) {
            throw MigrationError(fmt::format(
                "Migration {} was applied to the database in another form than this program has; released migrations "
                "must not change.",
                applied[i].name));
        }
    }
}

}  // namespace

std::string describe(SchemaStatus const& status) {
    switch (status.state) {
        case SchemaState::missing:
            return "The database has no schema of ours yet: run `workforce migrate`.";
        case SchemaState::behind:
            return fmt::format(
                "The database's schema is at version {}, this program needs {}: run `workforce migrate`.",
                status.database_version, status.program_version);
        case SchemaState::too_new:
            return fmt::format(
                "The database's schema is at version {}, this program knows up to {}: run a newer program.",
                status.database_version, status.program_version);
        case SchemaState::current:
            break;
    }
    return fmt::format("The database's schema is current (version {}).", status.database_version);
}

std::vector<std::string> migrate(std::string const& database_url, std::span<sql::File const> files) {
    auto const known = migrations_of(files);
    auto connection = connect(database_url);
    connection.execute(kLock);  // the session's end gives it back
    connection.execute_sql(kCreateTable);
    auto const applied = applied_in(connection);
    check_history(applied, known);
    std::vector<std::string> names;
    for (std::size_t i = applied.size(); i < known.size(); ++i) {
        auto const& migration = known[i];
        connection.transaction([&] {
            connection.execute_sql(migration.text);
            connection.execute(kRecord, migration.version, migration.name, migration.checksum);
        });
        names.push_back(migration.name);
    }
    return names;
}

int newest_version(std::span<sql::File const> files) { return last_version(migrations_of(files)); }

SchemaStatus schema_state(std::string const& database_url, std::span<sql::File const> files) {
    auto const known = migrations_of(files);
    auto connection = connect(database_url);
    return compare(applied_in(connection), known);
}

void require_current(core::Connection& connection) {
    auto const status = compare(applied_in(connection), migrations_of(sql::kFiles));
    if (status.state != SchemaState::current) throw std::runtime_error(describe(status));
}

}  // namespace workforce::schemas
