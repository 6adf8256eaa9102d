// What `workforce restore` restores: a backup, its keys, and what has ended since, read and found to fit together.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/backup_files.hpp"
#include "core/text.hpp"
#include "events/master_keys.hpp"

namespace workforce::cli {

struct RestoreArguments {
    std::string directory;
    std::string keys;
    std::string tombstones;
    bool no_later_erasures = false;
    bool no_later_revocations = false;
    bool end_passwords = false;
};

/// What is to be restored.
struct Backup {
    std::string directory;
    std::string keys_directory;
    BackupManifest manifest;
    KeysManifest keys;
    events::MasterKeys master_keys;     ///< that of the backup first
    std::string former{};               ///< id of another one that seals some keys; empty: none does
    std::set<std::string> destroyed{};  ///< persons, whatever the keys say
    std::set<core::Id> revoked{};       ///< API keys, whatever the log says
    bool end_all_keys = false;          ///< nobody says which were revoked since
};

/// Reads it but for the rows; `files` are the master keys there are. Errors: UsageError for options that do not go
/// together; std::runtime_error for what can't be read, or is of different installations.
Backup open_backup(RestoreArguments const& arguments, std::vector<std::string> const& files);

/// A side table of a backup, and the directory that has its rows.
struct StoredTable {
    BackupTable table;
    std::string directory;
};

/// The side table, in whichever of the directories it is; nothing where the backup has none.
std::optional<StoredTable> find_table(Backup const& backup, std::string_view name);
/// The same, or the one that took its rows in an older backup. Errors: std::runtime_error where there is none.
StoredTable table_of(Backup const& backup, std::string_view name);

/// Reads the keys: a master key must open them. Returns whose there are, and adds who was erased by them, and which
/// master key seals some beside the backup's. Errors: std::runtime_error.
std::set<std::string> check_keys(Backup& backup);

}  // namespace workforce::cli
