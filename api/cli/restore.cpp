// `workforce restore`: a backup into an empty, migrated database.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>

#include "api/cli/audit.hpp"
#include "api/cli/backup_log.hpp"
#include "api/cli/command_line.hpp"
#include "api/cli/progress.hpp"
#include "api/cli/restored_ids.hpp"
#include "api/cli/table_file.hpp"
#include "api/runtime.hpp"
#include "core/crypto.hpp"
#include "core/json_io.hpp"
#include "events/copy.hpp"
#include "events/each_partition.hpp"
#include "events/installation.hpp"
#include "schemas/migrations.hpp"

namespace workforce::api {
namespace {

struct Arguments {
    std::string directory;
    std::string keys;
    std::string destroyed;
};

template <class T>
T read_json(std::string const& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error(fmt::format("{}: can't be read; is it a whole backup?", path));
    try {
        auto value = core::from_stored_json<T>(text.str());
        if (value.format == kBackupFormat) return value;
    } catch (std::exception const& error) {
        throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
    }
    throw std::runtime_error(fmt::format("{}: is of another format than this program's", path));
}

/// What is to be restored, read and found to fit together.
struct Backup {
    std::string directory;
    std::string keys_directory;
    BackupManifest manifest;
    KeysManifest keys;
    std::set<std::string> destroyed;  ///< persons, whatever the keys say
};

Backup open_backup(Arguments const& arguments) {
    Backup backup{
        arguments.directory, arguments.keys.empty() ? arguments.directory + "-keys" : arguments.keys, {}, {}, {}};
    backup.manifest = read_json<BackupManifest>(manifest_file(backup.directory));
    backup.keys = read_json<KeysManifest>(keys_manifest_file(backup.keys_directory));
    if (backup.keys.installation != backup.manifest.installation) {
        throw std::runtime_error(fmt::format("the keys are of installation {}, the backup of {}",
                                             backup.keys.installation, backup.manifest.installation));
    }
    backup.destroyed.insert(backup.keys.destroyed.begin(), backup.keys.destroyed.end());
    if (!arguments.destroyed.empty()) {
        auto const later = read_json<KeysManifest>(arguments.destroyed);
        backup.destroyed.insert(later.destroyed.begin(), later.destroyed.end());
    }
    return backup;
}

struct KeyRow {
    std::string person;
    core::Nullable<std::string> sealed_key;  ///< "\x…"
};
BOOST_DESCRIBE_STRUCT(KeyRow, (), (person, sealed_key))

/// Reads the keys: the master key must open them. Returns whose there are. Errors: std::runtime_error.
std::set<std::string> check_keys(Backup const& backup, std::string const& master_key) {
    std::set<std::string> persons;
    bool tried = false;
    each_row(backup.keys.table, backup.keys_directory, [&](std::string const& text) {
        auto const row = core::from_stored_json<KeyRow>(text);
        persons.insert(row.person);
        if (tried || !row.sealed_key.value) return;
        tried = true;
        auto const sealed = core::hex_decode(std::string_view(*row.sealed_key.value).substr(2));
        if (!sealed || !core::aes_gcm_open(master_key, *sealed, row.person)) {
            throw std::runtime_error(
                "the master key (master_key_file) is not the one that the backup's keys were sealed with");
        }
    });
    return persons;
}

void require_empty(core::Connection& connection, events::EventLog& log) {
    std::vector<std::string> tables(kBackupTables.begin(), kBackupTables.end());
    tables.emplace_back(kKeyTable);
    for (auto const& table : tables) {
        if (!connection.execute_sql(fmt::format("SELECT FROM {} LIMIT 1", table)).empty()) {
            throw std::runtime_error(
                fmt::format("this database is not empty ({} has rows): restore into a new one", table));
        }
    }
    for (int partition = 0; partition < log.partitions(); ++partition) {
        if (!log.scan(partition, 0)->next(1).empty()) {
            throw std::runtime_error(
                fmt::format("the log is not empty (partition {}): restore into a new one", partition));
        }
    }
}

/// A person of the log without a key would read as erased.
void require_keys_for(LogFacts const& facts, std::set<std::string> const& keys,
                      std::set<std::string> const& destroyed) {
    for (auto const& person : facts.persons) {
        if (keys.contains(person) || facts.erased.contains(person) || destroyed.contains(person)) continue;
        throw std::runtime_error(fmt::format(
            "the keys are older than the log: {} has none; drop the database, restore with later ones", person));
    }
}

struct Sequence {
    events::Kind kind;
    std::string_view name;
    std::string_view stored;  ///< ids that rows beside the log name
};
constexpr std::array kSequences{
    Sequence{events::Kind::organization, "organization_id", "SELECT max(organization_id) FROM ops.organization_home"},
    Sequence{events::Kind::facility, "facility_id", "SELECT NULL::bigint"},
    Sequence{events::Kind::user, "user_id", "SELECT max(user_id) FROM ops.user_email"},
    Sequence{events::Kind::api_key, "api_key_id", "SELECT max(key_id) FROM auth.api_key_secret"},
    Sequence{events::Kind::staff, "staff_id", "SELECT NULL::bigint"},
    Sequence{events::Kind::shift, "shift_id", "SELECT NULL::bigint"},
};

/// Moves each sequence to the block that holds the highest id, so that the next one is past it.
void move_sequences(core::Connection& connection, LogFacts const& facts) {
    for (auto const& [kind, name, stored] : kSequences) {
        auto const highest = facts.highest.find(kind);
        connection.execute_sql(
            fmt::format("SELECT setval('ops.{0}', (highest - 1) / increment_by * increment_by + 1)"
                        " FROM pg_sequences, (SELECT greatest(({1}), {2}) AS highest) AS ids"
                        " WHERE schemaname = 'ops' AND sequencename = '{0}' AND highest > 0",
                        name, stored, highest == facts.highest.end() ? 0 : highest->second));
    }
}

/// `with_read_models`: those of another schema are folded anew.
void load_rows(core::Connection& connection, Backup const& backup, LogFacts const& facts, bool with_read_models) {
    auto const contains = [](auto const& names, std::string const& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    auto const models = read_model_tables();
    connection.transaction([&] {
        for (auto const& table : backup.manifest.tables) {
            bool const needed = contains(kBackupTables, table.name);
            if (!needed && !contains(models, table.name)) {
                throw std::runtime_error(fmt::format("the manifest names a table that no backup has: {}", table.name));
            }
            if (needed || with_read_models) load_table(connection, table, backup.directory);
        }
        load_table(connection, backup.keys.table, backup.keys_directory);
        // Reserved for users whose creation the log does not tell of any more, or who were erased.
        std::vector<core::Id> users;
        for (auto const id : facts.users) {
            if (!facts.erased.contains(fmt::format("user/{}", id))) users.push_back(id);
        }
        connection.execute({"free_reservations", "DELETE FROM ops.user_email WHERE user_id <> ALL ($1::bigint[])"},
                           users);
        move_sequences(connection, facts);
    });
}

int restore(core::Config const& config, Arguments const& arguments) {
    auto backup = open_backup(arguments);
    auto const status = schemas::schema_state(config.database_url);
    if (status.state != schemas::SchemaState::current) throw std::runtime_error(schemas::describe(status));
    if (backup.manifest.schemaVersion > status.program_version) {
        throw std::runtime_error(fmt::format("the backup is of a newer program (schema {}, this program's {})",
                                             backup.manifest.schemaVersion, status.program_version));
    }
    auto const master_key = core::load_master_key(config.master_key_file);
    if (!master_key) throw std::runtime_error(master_key.error());
    auto const keys = check_keys(backup, *master_key);
    auto const log = open_for_audit(config);
    auto options = session(config, "", "workforce restore");
    options.statement_timeout = std::chrono::milliseconds(0);
    core::Connection connection(options);
    require_empty(connection, *log);

    events::begin_restore(config.database_url, backup.manifest.installation);
    BackupLog source(backup.directory, backup.manifest.partitions);
    events::CopyCounts copied;
    {
        auto const all = events::choose_partitions(source.partitions(), -1);
        ProgressLine progress("restore", "events", count_events(source, all));
        copied = events::copy_log(source, *log, [&](std::int64_t events) { progress.add(events); });
    }
    auto const facts = read_facts(*log);
    require_keys_for(facts, keys, backup.destroyed);
    load_rows(connection, backup, facts, backup.manifest.schemaVersion == status.program_version);
    backup.destroyed.insert(facts.erased.begin(), facts.erased.end());
    events::PostgresKeyring({config.database_url, "workforce_writer", *master_key, 1})
        .destroy(std::vector<std::string>(backup.destroyed.begin(), backup.destroyed.end()));
    events::end_restore(config.database_url);
    log->stop();
    fmt::print("restored {} events and {} claims of {}; {} keys, {} of them destroyed\n", copied.events, copied.claims,
               backup.manifest.installation, keys.size(), backup.destroyed.size());
    return 0;
}

}  // namespace

void add_restore(CommandLine& line) {
    auto const arguments = std::make_shared<Arguments>();
    auto* command = line.app.add_subcommand("restore", "Read a backup into an empty, migrated database");
    command->add_option("DIR", arguments->directory, "What `workforce backup` wrote")->required();
    command->add_option("--keys", arguments->keys, "Directory of the keys (default: DIR-keys)");
    command->add_option("--destroyed", arguments->destroyed,
                        "keys.json of a later backup: keys that were destroyed by then are destroyed here, too");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return restore(loaded.config, *arguments); };
    });
}

}  // namespace workforce::api
