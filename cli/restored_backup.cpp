// Reading what is to be restored.
#include "cli/restored_backup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cli/command_line.hpp"
#include "cli/side_tables.hpp"
#include "cli/table_file.hpp"
#include "core/crypto.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "events/log/tombstones.hpp"

namespace workforce::cli {
namespace {

template <class T>
T read_json(std::string const& path) {
    auto const text = core::read_file(path);
    try {
        auto value = core::from_stored_json<T>(text);
        if (value.format == kBackupFormat) return value;
    } catch (std::exception const& error) {
        throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
    }
    throw std::runtime_error(fmt::format("{}: is of another format than this program's", path));
}

KeysManifest read_keys(std::string const& path, BackupManifest const& manifest) {
    auto keys = read_json<KeysManifest>(path);
    if (keys.installation == manifest.installation) return keys;
    throw std::runtime_error(
        fmt::format("{}: is of installation {}, the backup of {}", path, keys.installation, manifest.installation));
}

/// What has ended by what the file says. Errors: std::runtime_error for one that was changed or cut, or is another
/// installation's.
events::Tombstones read_tombstones_of(std::string const& path, BackupManifest const& manifest,
                                      events::MasterKeys const& keys) {
    auto read = events::read_tombstones(core::read_file(path), manifest.installation, keys.public_keys());
    if (!read) throw std::runtime_error(fmt::format("{}: {}", path, read.error()));
    if (read->positions.empty()) throw std::runtime_error(fmt::format("{}: holds no tombstones", path));
    if (!read->whole()) {
        throw std::runtime_error(fmt::format(
            "{}: lines are missing: it names {} persons and {} API keys, and counts {} and {}; give a whole one", path,
            read->persons.size(), read->keys.size(), read->person_count, read->key_count));
    }
    auto const partitions = std::min(read->positions.size(), manifest.partitions.size());
    for (std::size_t i = 0; i < partitions; ++i) {
        if (read->positions[i] >= manifest.partitions[i].position) continue;
        fmt::print(stderr, "{} ends at {}, before this backup: is it the latest?\n", path, core::to_string(read->time));
        break;
    }
    return *std::move(read);
}

struct KeptRow {  // of kKeptKeyTable
    std::string purpose;
    std::string sealed;  ///< "\\x…"
};
BOOST_DESCRIBE_STRUCT(KeptRow, (), (purpose, sealed))

/// The keys of the files, that which the backup was made under first, and what is kept in it of former ones.
events::MasterKeys keys_of(Backup const& backup, std::vector<std::string> files) {
    if (backup.keys.masterKey) {
        auto const found = std::ranges::find(files, *backup.keys.masterKey, events::master_key_id);
        if (found == files.end()) {
            throw std::runtime_error(
                fmt::format("the master key (master_key_file) is not the one that the backup was made under, {}: give "
                            "that, or name it in other_master_key_file",
                            *backup.keys.masterKey));
        }
        std::rotate(files.begin(), found, found + 1);
    }
    events::MasterKeys keys(std::move(files));
    if (!backup.keys.keptKeys) return keys;
    each_row(*backup.keys.keptKeys, backup.keys_directory, [&](std::string const& text) {
        auto const row = core::from_stored_json<KeptRow>(text);
        auto const sealed = core::hex_decode(std::string_view(row.sealed).substr(2));
        auto kept = sealed ? keys.open(events::kMasterItself, *sealed, row.purpose) : std::nullopt;
        if (!kept) throw std::runtime_error(fmt::format("no master key opens what is kept for {}", row.purpose));
        keys.keep(row.purpose, *std::move(kept));
    });
    return keys;
}

struct KeyRow {  // of kKeyTable
    std::string person;
    core::Nullable<std::string> sealed_key;  ///< "\x…"
};
BOOST_DESCRIBE_STRUCT(KeyRow, (), (person, sealed_key))

}  // namespace

Backup open_backup(RestoreArguments const& arguments, std::vector<std::string> const& files) {
    if (arguments.tombstones.empty() != arguments.no_later_erasures) {
        throw UsageError(
            "who was erased after this backup would come back: give the latest tombstones there are, of "
            "tombstones_file or of a later backup's keys, as --tombstones, or say --no-later-erasures if nobody was "
            "(one of the two)");
    }
    if (!arguments.tombstones.empty() && arguments.no_later_revocations) {
        throw UsageError("--tombstones tells which API keys were revoked: leave --no-later-revocations out");
    }
    Backup backup{.directory = arguments.directory,
                  .keys_directory = arguments.keys.empty() ? arguments.directory + "-keys" : arguments.keys,
                  .manifest = read_json<BackupManifest>(manifest_file(arguments.directory)),
                  .keys = {},
                  .master_keys = events::MasterKeys(files),
                  .end_all_keys = arguments.tombstones.empty() && !arguments.no_later_revocations};
    backup.keys = read_keys(keys_manifest_file(backup.keys_directory), backup.manifest);
    backup.master_keys = keys_of(backup, files);
    if (!arguments.tombstones.empty()) {
        auto ended = read_tombstones_of(arguments.tombstones, backup.manifest, backup.master_keys);
        backup.destroyed = std::move(ended.persons);
        backup.revoked = std::move(ended.keys);
    }
    return backup;
}

std::optional<StoredTable> find_table(Backup const& backup, std::string_view name) {
    auto const in = [&](std::vector<BackupTable> const& tables, std::string const& directory) {
        auto const found = std::ranges::find(tables, name, &BackupTable::name);
        return found == tables.end() ? std::nullopt : std::optional(StoredTable{*found, directory});
    };
    if (backup.keys.tables) {
        if (auto found = in(*backup.keys.tables, backup.keys_directory)) return found;
    }
    return in(backup.manifest.tables, backup.directory);
}

StoredTable table_of(Backup const& backup, std::string_view name) {
    if (auto found = find_table(backup, name)) return *std::move(found);
    if (name == kReservationTable) return table_of(backup, kAddressTable);
    throw std::runtime_error(fmt::format("the backup lacks the table {}", name));
}

std::set<std::string> check_keys(Backup& backup) {
    std::set<std::string> persons;
    auto const master_keys = backup.master_keys.all();
    std::vector<bool> opens(master_keys.size());
    each_row(backup.keys.table, backup.keys_directory, [&](std::string const& text) {
        auto const row = core::from_stored_json<KeyRow>(text);
        persons.insert(row.person);
        if (!row.sealed_key.value) backup.destroyed.insert(row.person);
        if (!row.sealed_key.value) return;
        auto const sealed = core::hex_decode(std::string_view(*row.sealed_key.value).substr(2));
        for (std::size_t i = 0; sealed && i < master_keys.size(); ++i) {
            if (!core::aes_gcm_open(master_keys[i], *sealed, row.person)) continue;
            opens[i] = true;
            return;
        }
        throw std::runtime_error(
            "the master key (master_key_file) is not the one that the backup's keys were sealed with");
    });
    auto const ids = backup.master_keys.ids();
    for (std::size_t i = 1; i < ids.size(); ++i) {
        if (opens[i]) backup.former = ids[i];
    }
    if (!backup.keys.masterKey && !opens.front() && !backup.former.empty()) {
        auto keys = backup.master_keys.all();
        std::rotate(keys.begin(), std::ranges::find(keys, backup.former, events::master_key_id), keys.end());
        backup.master_keys = events::MasterKeys(std::move(keys));
        backup.former.clear();
    }
    return persons;
}

}  // namespace workforce::cli
