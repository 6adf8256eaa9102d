// `workforce restore`: a backup into an empty, migrated database.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>

#include "api/administration.hpp"
#include "api/cli/audit.hpp"
#include "api/cli/backup_log.hpp"
#include "api/cli/command_line.hpp"
#include "api/cli/owner_request.hpp"
#include "api/cli/progress.hpp"
#include "api/cli/restored_ids.hpp"
#include "api/cli/restored_models.hpp"
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
    bool no_later_erasures = false;
};

template <class T>
T read_json(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(fmt::format("{}: can't be read: {}", path, std::strerror(errno)));
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

KeysManifest read_keys(std::string const& path, BackupManifest const& manifest) {
    auto keys = read_json<KeysManifest>(path);
    if (keys.installation == manifest.installation) return keys;
    throw std::runtime_error(
        fmt::format("{}: is of installation {}, the backup of {}", path, keys.installation, manifest.installation));
}

Backup open_backup(Arguments const& arguments) {
    if (arguments.destroyed.empty() != arguments.no_later_erasures) {
        throw UsageError(
            "who was erased after this backup would come back: give keys.json of the latest backup there is as "
            "--destroyed, or say --no-later-erasures if nobody was (one of the two)");
    }
    Backup backup{
        arguments.directory, arguments.keys.empty() ? arguments.directory + "-keys" : arguments.keys, {}, {}, {}};
    backup.manifest = read_json<BackupManifest>(manifest_file(backup.directory));
    backup.keys = read_keys(keys_manifest_file(backup.keys_directory), backup.manifest);
    backup.destroyed.insert(backup.keys.destroyed.begin(), backup.keys.destroyed.end());
    if (!arguments.destroyed.empty()) {
        auto const later = read_keys(arguments.destroyed, backup.manifest);
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

/// What is sealed for somebody without a key would read as erased.
void require_keys_for(LogFacts const& facts, std::set<std::string> const& keys,
                      std::set<std::string> const& destroyed) {
    auto const require = [&](std::string const& name) {
        if (keys.contains(name) || facts.erased.contains(name) || destroyed.contains(name)) return;
        throw std::runtime_error(
            fmt::format("the keys are older than the log: {} has none; restore with later ones", name));
    };
    for (auto const& [person, whose] : facts.persons) require(person);
    for (auto const& name : facts.sealed_for) require(name);
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

BackupTable const& table_of(BackupManifest const& manifest, std::string_view name) {
    for (auto const& table : manifest.tables) {
        if (table.name == name) return table;
    }
    throw std::runtime_error(fmt::format("the manifest lacks the table {}", name));
}

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

/// Whether the backup has read models that can be used; says why where it has others.
bool may_load_read_models(Backup const& backup, LogFacts const& facts, int schema_version) {
    if (!backup.keys.readModels) return false;
    auto const why = backup.manifest.schemaVersion == schema_version
                         ? unfolded_erasure(backup.keys, backup.keys_directory, backup.destroyed, facts)
                         : "they are of another schema than this program's";
    if (why) fmt::print(stderr, "read models are left out, services make them anew from the log: {}\n", *why);
    return !why;
}

/// Everything but the log, in one transaction, keys that are to be destroyed among it: whoever reads of a person in the
/// log finds the key, or that there is none any more.
void load_rows(core::Connection& connection, Backup const& backup, LogFacts const& facts, bool with_read_models) {
    std::vector<std::string> destroyed(backup.destroyed.begin(), backup.destroyed.end());
    for (auto const& [person, place] : facts.erased) destroyed.push_back(person);
    // Addresses stay reserved for users whom the log tells of and who were not erased.
    std::vector<core::Id> users;
    for (auto const& [person, whose] : facts.persons) {
        auto const ref = events::parse_aggregate(person).value();
        bool const erased = facts.erased.contains(person) || backup.destroyed.contains(person);
        if (ref.kind == events::Kind::user && !erased) users.push_back(ref.id);
    }
    connection.transaction([&] {
        for (auto const& name : kBackupTables)
            load_table(connection, table_of(backup.manifest, name), backup.directory);
        load_table(connection, backup.keys.table, backup.keys_directory);
        events::destroy_keys(connection, destroyed);
        connection.execute({"free_reservations", "DELETE FROM ops.user_email WHERE user_id <> ALL ($1::bigint[])"},
                           users);
        move_sequences(connection, facts);
        if (!with_read_models) return;
        for (auto const& table : *backup.keys.readModels) load_table(connection, table, backup.keys_directory);
    });
}

/// Who was erased as far as the backup's own log does not tell: the log that goes on tells it, which ends their API
/// keys and takes them off shifts. Returns how many these are.
int record_erasures(core::Config const& config, Backup const& backup, LogFacts const& facts) {
    Runtime runtime(config, Ownership::sole);
    int count = 0;
    for (auto const& person : backup.destroyed) {
        auto const found = facts.persons.find(person);
        if (found == facts.persons.end() || facts.erased.contains(person)) continue;
        ErasePersonRequest request;
        request.reason =
            fmt::format("erased before; restored from the backup of {}", core::to_string(backup.manifest.createdAt));
        request.requestedBy = user_name();
        request.organizationId = found->second.organization;
        request.sandbox = found->second.sandbox;
        request.person = person;
        run_here(runtime, [&](Runtime& here) { return erase_person(here, request); });
        ++count;
    }
    runtime.stop();
    return count;
}

int restore(core::Config const& config, Arguments const& arguments) {
    auto const backup = open_backup(arguments);
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
    events::SoleUse sole(config.database_url);
    require_nothing_runs(config, "restore");
    require_empty(connection, *log);

    BackupLog source(backup.directory, backup.manifest.partitions);
    auto const total = count_events(source, events::choose_partitions(source.partitions(), -1));
    auto facts = [&] {
        ProgressLine progress("read", "events", total);
        return read_facts(source, [&](std::int64_t events) { progress.add(events); });
    }();
    require_keys_for(facts, keys, backup.destroyed);
    raise_highest(facts, keys);
    raise_highest(facts, backup.destroyed);
    bool const with_read_models = may_load_read_models(backup, facts, status.program_version);

    sole.begin_restore(backup.manifest.installation);
    load_rows(connection, backup, facts, with_read_models);
    events::CopyCounts copied;
    {
        ProgressLine progress("restore", "events", total);
        copied = events::copy_log(source, *log, [&](std::int64_t events) { progress.add(events); });
    }
    log->stop();
    int const erasures = record_erasures(config, backup, facts);
    sole.end_restore();
    fmt::print("restored {} events and {} claims of {}; {} keys, {} persons erased, {} of them after the backup\n",
               copied.events, copied.claims, backup.manifest.installation, keys.size(),
               facts.erased.size() + static_cast<std::size_t>(erasures), erasures);
    return 0;
}

}  // namespace

void add_restore(CommandLine& line) {
    auto const arguments = std::make_shared<Arguments>();
    auto* command = line.app.add_subcommand("restore", "Read a backup into an empty, migrated database");
    command->add_option("DIR", arguments->directory, "What `workforce backup` wrote")->required();
    command->add_option("--keys", arguments->keys, "Directory of the keys (default: DIR-keys)");
    command->add_option("--destroyed", arguments->destroyed,
                        "keys.json of the latest backup: who was erased by then is erased here, too");
    command->add_flag("--no-later-erasures", arguments->no_later_erasures,
                      "Nobody was erased after this backup: what --destroyed is for");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return restore(loaded.config, *arguments); };
    });
}

}  // namespace workforce::api
