// `workforce backup`: the log, apart from it the keys and what is personal, and what else can't be made again, while
// services run.
//
// Order makes it consistent: what an event needs (its person's key, a secret, a reservation, a home) is stored before
// the event is appended, so it is there when it is read after the log; read models and what reactors keep are read
// before it, so they are behind.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "cli/audit.hpp"
#include "cli/backup_log.hpp"
#include "cli/command_line.hpp"
#include "cli/line_file.hpp"
#include "cli/progress.hpp"
#include "cli/side_tables.hpp"
#include "cli/table_file.hpp"
#include "core/files.hpp"
#include "core/json_io.hpp"
#include "events/log/chain.hpp"
#include "events/log/each_page.hpp"
#include "events/log/each_partition.hpp"
#include "events/master_key_table.hpp"
#include "schemas/migrations.hpp"
#include "workers/jobs/last_backup.hpp"
#include "workers/jobs/tombstone_export.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

struct BackupArguments {
    std::string directory;
    std::string keys;
    bool read_models = false;
};

void make_empty_directory(std::string const& path) {
    std::filesystem::create_directories(path);
    core::store_name(path);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    if (!std::filesystem::is_empty(path)) {
        throw std::runtime_error(fmt::format("{} is not empty: a backup takes a directory of its own", path));
    }
}

/// A partition up to the head that it has now, its chain checked on the way.
BackupPartition write_partition(events::EventLog& log, int partition, std::string const& directory,
                                ProgressLine& progress) {
    LineFile file(log_file(directory, partition));
    events::ChainCheck check({{log.head(partition), "the log's own head"}});
    auto const scan = log.scan(partition, 0);
    events::each_page(*scan, [&](std::vector<events::LogEntry> const& entries) {
        auto const before = check.events();
        for (auto const& entry : entries) {
            check.take(entry);
            if (entry.kind != events::LogEntry::Kind::voided) file.add(to_line(entry));
        }
        progress.add(check.events() - before);
        return !check.fault();
    });
    check.finish();
    if (auto const& fault = check.fault()) {
        throw std::runtime_error(
            fmt::format("the log is broken: partition {}, position {} {}", partition, fault->position, fault->what));
    }
    file.finish();
    return {partition, check.head().position, check.head().hash, check.claims()};
}

/// A table that is to be dumped: into that directory, and that list.
struct TableToDump {
    std::string name;
    std::string const& directory;
    std::vector<BackupTable>& described;
};

/// Tables of one moment. They are locked (against nobody but a rebuild's swap) before it: a snapshot that is older than
/// a swap would find the new tables empty.
void dump_tables(core::Connection& connection, std::vector<TableToDump> const& tables) {
    std::vector<std::string_view> names;
    for (auto const& table : tables) names.emplace_back(table.name);
    connection.transaction([&] {
        connection.execute_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        connection.execute_sql(fmt::format("LOCK TABLE {} IN ACCESS SHARE MODE", fmt::join(names, ", ")));
        for (auto const& table : tables) {
            table.described.push_back(dump_table(connection, table.name, table.directory));
        }
    });
}

/// The two directories of a backup, and what stands in them.
struct Dumped {
    std::string directory;
    std::string keys_directory;
    BackupManifest manifest;
    KeysManifest keys;
};

/// The side tables that are taken then, each where it is kept.
void dump_side_tables(core::Connection& connection, Taken when, Dumped& dumped) {
    std::vector<TableToDump> tables;
    for (auto const& table : kSideTables) {
        if (table.taken != when) continue;
        if (table.apart) {
            tables.push_back({std::string(table.name), dumped.keys_directory, *dumped.keys.tables});
        } else {
            tables.push_back({std::string(table.name), dumped.directory, dumped.manifest.tables});
        }
    }
    dump_tables(connection, tables);
}

void dump_read_models(core::Connection& connection, Dumped& dumped) {
    auto& described = dumped.keys.readModels.emplace();
    std::vector<TableToDump> tables;
    for (auto& name : read_model_tables()) tables.push_back({std::move(name), dumped.keys_directory, described});
    dump_tables(connection, tables);
}

void dump_keys(core::Connection& connection, Dumped& dumped) {
    auto& keys = dumped.keys;
    keys.createdAt = core::now();
    connection.transaction([&] {
        connection.execute_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        keys.table = dump_table(connection, kKeyTable, dumped.keys_directory);
        keys.keptKeys = dump_table(connection, kKeptKeyTable, dumped.keys_directory);
        if (auto id = events::read_master_key_ids(connection).in_use; !id.empty()) keys.masterKey = std::move(id);
    });
}

int backup(core::Config const& config, BackupArguments const& arguments) {
    auto const log = open_for_audit(config);
    auto const signer = head_signer(config);
    auto const& installation = signer.installation();
    auto const keys_directory = arguments.keys.empty() ? arguments.directory + "-keys" : arguments.keys;
    umask(S_IRWXG | S_IRWXO);
    make_empty_directory(arguments.directory);
    make_empty_directory(keys_directory);
    auto options = workers::session(config, "", "workforce backup");
    options.statement_timeout = std::chrono::milliseconds(0);
    core::Connection connection(options);

    Dumped dumped{.directory = arguments.directory,
                  .keys_directory = keys_directory,
                  .manifest = {.format = kBackupFormat,
                               .installation = installation,
                               .engine = config.log,
                               .schemaVersion = schemas::schema_state(config.database_url).program_version,
                               .createdAt = core::now()},
                  .keys = {.format = kBackupFormat, .installation = installation, .createdAt = {}, .table = {}}};
    auto& manifest = dumped.manifest;
    dumped.keys.tables.emplace();
    if (arguments.read_models) dump_read_models(connection, dumped);
    dump_side_tables(connection, Taken::before_log, dumped);
    auto const partitions = events::choose_partitions(log->partitions(), -1);
    manifest.partitions.resize(partitions.size());
    std::int64_t events = 0;
    {
        ProgressLine progress("backup", "events", count_events(*log, partitions));
        std::mutex mutex;
        events::each_partition(partitions, [&](int partition) {
            auto const written = write_partition(*log, partition, arguments.directory, progress);
            std::lock_guard const lock(mutex);
            manifest.partitions[static_cast<std::size_t>(partition)] = written;
            events += written.position + 1;
        });
    }
    dump_keys(connection, dumped);
    dump_side_tables(connection, Taken::after_log, dumped);
    auto const& keys = dumped.keys;
    auto const ended = workers::load_tombstones(*log, connection);
    core::write_whole_file(tombstones_file(keys_directory), events::sign_tombstones(ended, {}, signer));
    core::write_whole_file(keys_manifest_file(keys_directory), core::to_json(keys) + '\n');
    // The last: without it there is no backup.
    core::write_whole_file(manifest_file(arguments.directory), core::to_json(manifest) + '\n');
    try {
        workers::record_backup(connection);
    } catch (std::exception const& error) {  // the backup is whole: a database that only reads keeps none of it
        fmt::print(stderr, "the database does not remember this backup: {}\n", error.what());
    }
    log->stop();
    fmt::print("backed up {} events to {} and {} keys, {} of them destroyed, to {}\n", events, arguments.directory,
               keys.table.rows, ended.persons.size(), keys_directory);
    return 0;
}

}  // namespace

void add_backup(CommandLine& line) {
    auto const arguments = std::make_shared<BackupArguments>();
    auto* command = line.app.add_subcommand("backup", "Write log, keys and what can't be made again; services go on");
    command->add_option("DIR", arguments->directory, "New directory for all but keys and personal data")->required();
    command->add_option("--keys", arguments->keys,
                        "New directory for the keys of persons and other secrets (default: DIR-keys)");
    command->add_flag("--read-models", arguments->read_models,
                      "Read models, too, so that a restore need not fold them; they hold personal data in clear, and "
                      "so stand with the keys");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return backup(loaded.config, *arguments); };
    });
}

}  // namespace workforce::cli
