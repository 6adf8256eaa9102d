// What a backup is on disk, which `backup` writes and `restore` reads.
//
// DIR/manifest.json, DIR/log-P.ndjson.zst (a partition's claims and events in their order), DIR/SCHEMA.TABLE.ndjson.zst
// (rows as JSON). What opens or tells personal data stands in a directory of its own, to be kept elsewhere and secret:
// KEYS/keys.json, KEYS/vault.person_key.ndjson.zst, read models, which hold it in clear, as KEYS/read.TABLE.ndjson.zst,
// and the side tables that no key seals: hashes of passwords, and what webhooks' receivers answered. Who has DIR
// without KEYS reads nothing personal, and guesses no password. KEYS/tombstones.ndjson
// (events/log/tombstones.hpp) is for restores of older backups: who was erased and which API keys were revoked by then.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/time.hpp"

namespace workforce::cli {

inline constexpr int kBackupFormat = 1;

/// A partition of the log.
struct BackupPartition {
    std::int32_t partition = 0;
    std::int64_t position = -1;  ///< of the head
    std::string hash;            ///< of the head
    std::int64_t claims = 0;
};
BOOST_DESCRIBE_STRUCT(BackupPartition, (), (partition, position, hash, claims))

/// A table's file.
struct BackupTable {
    std::string name;  ///< "ops.reservation"
    std::int64_t rows = 0;
    std::string digest;  ///< hexadecimal; each line's SHA-256 over the digest before it and the line
};
BOOST_DESCRIBE_STRUCT(BackupTable, (), (name, rows, digest))

struct BackupManifest {
    std::int32_t format = 0;
    std::string installation;
    std::string engine;  ///< that kept the log; another one may take it
    std::int32_t schemaVersion = 0;
    core::Timestamp createdAt;
    std::vector<BackupPartition> partitions{};
    std::vector<BackupTable> tables{};
};
BOOST_DESCRIBE_STRUCT(BackupManifest, (), (format, installation, engine, schemaVersion, createdAt, partitions, tables))

/// The manifest of the directory of keys.
struct KeysManifest {
    std::int32_t format = 0;
    std::string installation;
    core::Timestamp createdAt;
    BackupTable table;
    /// Read models and their checkpoints, all of one moment before the log was read.
    std::optional<std::vector<BackupTable>> readModels{};
    std::optional<std::string> masterKey{};  ///< id of the one in use; not in backups of before schema 31
    std::optional<BackupTable> keptKeys{};   ///< what former master keys left
    /// The side tables that are kept here (SideTable::apart); in backups of before schema 56 BackupManifest has them.
    std::optional<std::vector<BackupTable>> tables{};
};
BOOST_DESCRIBE_STRUCT(KeysManifest, (),
                      (format, installation, createdAt, table, readModels, masterKey, keptKeys, tables))

/// The files of a backup in `directory`.
inline std::string manifest_file(std::string const& directory) { return directory + "/manifest.json"; }
inline std::string keys_manifest_file(std::string const& directory) { return directory + "/keys.json"; }
inline std::string tombstones_file(std::string const& directory) { return directory + "/tombstones.ndjson"; }
inline std::string log_file(std::string const& directory, int partition) {
    return directory + "/log-" + std::to_string(partition) + ".ndjson.zst";
}
inline std::string table_file(std::string const& directory, std::string_view table) {
    return directory + "/" + std::string(table) + ".ndjson.zst";
}

/// A claim's line; an event's is its body.
struct ClaimLine {
    std::int64_t claim = 0;  ///< epoch; leads the line, and so tells it from an event
    std::int64_t position = 0;
    std::string owner;
};
BOOST_DESCRIBE_STRUCT(ClaimLine, (), (claim, position, owner))
inline constexpr std::string_view kClaimBegins = R"({"claim":)";

}  // namespace workforce::cli
