// Statements on vault.master_key, vault.kept_key, and every column that the master key seals.
#include "events/master_key_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/crypto.hpp"
#include "core/sql_values.hpp"
#include "events/log/heads.hpp"

namespace workforce::events {
namespace {

using core::Connection;
using core::Statement;

constexpr Statement kIds{"master_key_ids", "SELECT standing, id FROM vault.master_key"};
constexpr Statement kHold{"master_key_hold", "SELECT standing, id FROM vault.master_key FOR SHARE"};
constexpr Statement kRecord{"master_key_record",
                            "INSERT INTO vault.master_key (id, standing) SELECT $1, 'in use'"
                            " WHERE NOT EXISTS (SELECT FROM vault.master_key) ON CONFLICT DO NOTHING"};
constexpr Statement kAny{"master_key_any",
                         "SELECT person, sealed_key FROM vault.person_key WHERE sealed_key IS NOT NULL LIMIT 1"};
constexpr Statement kRetire{"master_key_retire", "UPDATE vault.master_key SET standing = 'former' WHERE id = $1"};
constexpr Statement kBegin{"master_key_begin", "INSERT INTO vault.master_key (id, standing) VALUES ($1, 'in use')"};
constexpr Statement kEnd{"master_key_end", "DELETE FROM vault.master_key WHERE standing = 'former'"};
constexpr Statement kKept{"kept_keys", "SELECT purpose, sealed FROM vault.kept_key"};
constexpr Statement kKeep{"keep_key",
                          "INSERT INTO vault.kept_key (purpose, sealed) VALUES ($1, $2)"
                          " ON CONFLICT (purpose) DO UPDATE SET sealed = excluded.sealed"};
constexpr Statement kPublicKeys{"public_keys_of_heads", R"(
INSERT INTO log.installation (name, value) VALUES ('public_key', $1), ('former_public_keys', $2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value)"};

/// A column that the master key seals, or a key derived from it. The row's name is authenticated with it.
struct Sealed {
    std::string_view table;
    std::string_view purpose;
    Statement select;  ///< rows behind $1 that another key than $2 seals: their names and what is sealed
    Statement update;  ///< of the rows of $1: seals $2 under key $3
};
constexpr auto kSealed = std::to_array<Sealed>({
    {"vault.person_key",
     kMasterItself,
     {"reseal_persons", R"(
SELECT person, sealed_key FROM vault.person_key
WHERE person > $1 AND sealed_key IS NOT NULL AND master_key IS DISTINCT FROM $2
ORDER BY person LIMIT 500 FOR UPDATE)"},
     {"resealed_persons", R"(
UPDATE vault.person_key k SET sealed_key = n.sealed, master_key = $3
FROM unnest($1::text[], $2::bytea[]) AS n(name, sealed) WHERE k.person = n.name)"}},
    {"auth.shown_secret",
     kShownSecrets,
     {"reseal_secrets", R"(
SELECT secret_id, sealed FROM auth.shown_secret
WHERE secret_id > $1 AND master_key IS DISTINCT FROM $2
ORDER BY secret_id LIMIT 500 FOR UPDATE)"},
     {"resealed_secrets", R"(
UPDATE auth.shown_secret s SET sealed = n.sealed, master_key = $3
FROM unnest($1::text[], $2::bytea[]) AS n(name, sealed) WHERE s.secret_id = n.name)"}},
    {"auth.signing_key",
     kSigningKeys,
     {"reseal_signing_keys", R"(
SELECT id, sealed_private_key FROM auth.signing_key
WHERE id > $1 AND master_key IS DISTINCT FROM $2
ORDER BY id LIMIT 500 FOR UPDATE)"},
     {"resealed_signing_keys", R"(
UPDATE auth.signing_key s SET sealed_private_key = n.sealed, master_key = $3
FROM unnest($1::text[], $2::bytea[]) AS n(name, sealed) WHERE s.id = n.name)"}},
    {"auth.signing_secret",
     kSigningSecrets,
     {"reseal_signing_secrets", R"(
SELECT id, sealed FROM auth.signing_secret
WHERE id > $1 AND master_key IS DISTINCT FROM $2
ORDER BY id LIMIT 500 FOR UPDATE)"},
     {"resealed_signing_secrets", R"(
UPDATE auth.signing_secret s SET sealed = n.sealed, master_key = $3
FROM unnest($1::text[], $2::bytea[]) AS n(name, sealed) WHERE s.id = n.name)"}},
});

constexpr Statement kCountToReseal{"count_to_reseal", R"(
SELECT (SELECT count(*) FROM vault.person_key WHERE sealed_key IS NOT NULL AND master_key IS DISTINCT FROM $1)
     + (SELECT count(*) FROM auth.shown_secret WHERE master_key IS DISTINCT FROM $1)
     + (SELECT count(*) FROM auth.signing_key WHERE master_key IS DISTINCT FROM $1)
     + (SELECT count(*) FROM auth.signing_secret WHERE master_key IS DISTINCT FROM $1))"};

MasterKeyIds ids_of(pqxx::result const& rows) {
    MasterKeyIds ids;
    for (auto const& row : rows) {
        (core::read_view(row[0]) == "in use" ? ids.in_use : ids.former) = core::read<std::string>(row[1]);
    }
    return ids;
}

std::runtime_error unknown_key(std::string const& in_use) {
    return std::runtime_error(fmt::format(
        "the master key (master_key_file) is not the one in use, whose id is {}: if it was replaced, configure the "
        "new one",
        in_use));
}

/// Those that readers without a master key check mends with, the one in use first.
void record_public_keys(Connection& connection, std::vector<std::string> const& keys) {
    connection.execute(kPublicKeys, keys.front(), fmt::format("{}", fmt::join(keys.begin() + 1, keys.end(), " ")));
}

void keep(Connection& connection, MasterKeys const& keys, std::string_view name, std::string const& text) {
    connection.execute(kKeep, name, core::Bytes{keys.seal(kMasterItself, text, name)});
    keys.keep(name, text);
}

/// Names of a batch of rows behind that one, which are sealed anew; none: there are no more.
std::vector<std::string> reseal_batch(Connection& connection, MasterKeys const& keys, Sealed const& what,
                                      std::string const& behind) {
    return connection.transaction([&] {
        auto const id = keys.ids().front();
        std::vector<std::string> names;
        std::vector<std::string> sealed;
        for (auto const& row : connection.execute(what.select, behind, id)) {
            auto const& name = names.emplace_back(core::read<std::string>(row[0]));
            auto const text = keys.open(what.purpose, core::read_bytes(row[1]), name);
            if (!text) {
                throw std::runtime_error(fmt::format(
                    "{} of {} opens by none of the master keys: name the one that sealed it in other_master_key_file",
                    what.table, name));
            }
            sealed.push_back(keys.seal(what.purpose, *text, name));
        }
        std::vector<core::Bytes> bytes;
        for (auto const& text : sealed) bytes.push_back({text});
        if (!names.empty()) connection.execute(what.update, names, bytes, id);
        return names;
    });
}

}  // namespace

std::vector<std::string> read_master_keys(core::Config const& config) {
    std::vector<std::string> keys;
    auto const read = [&](std::string_view setting, std::string const& file) {
        auto key = core::load_master_key(file, setting);
        if (!key) throw std::runtime_error(key.error());
        keys.push_back(*std::move(key));
    };
    read("master_key_file", config.master_key_file);
    if (!config.other_master_key_file.empty()) read("other_master_key_file", config.other_master_key_file);
    return keys;
}

MasterKeyIds read_master_key_ids(Connection& connection) { return ids_of(connection.execute(kIds)); }

MasterKeys load_master_keys(core::Config const& config, Connection& connection) {
    auto files = read_master_keys(config);
    auto const ids = read_master_key_ids(connection);
    auto const place = [&](std::string const& id) { return std::ranges::find(files, id, master_key_id); };
    if (!ids.in_use.empty()) {
        auto const found = place(ids.in_use);
        if (found == files.end()) throw unknown_key(ids.in_use);
        std::rotate(files.begin(), found, found + 1);
    }
    if (!ids.former.empty() && place(ids.former) == files.end()) {
        throw std::runtime_error(fmt::format(
            "the master key {} still seals something: name its file in other_master_key_file until `workforce keys "
            "rotate-master` has ended",
            ids.former));
    }
    MasterKeys keys(std::move(files));
    load_kept(connection, keys);
    return keys;
}

void load_kept(Connection& connection, MasterKeys const& keys) {
    for (auto const& row : connection.execute(kKept)) {
        auto const name = core::read<std::string>(row[0]);
        auto text = keys.open(kMasterItself, core::read_bytes(row[1]), name);
        if (!text) throw std::runtime_error(fmt::format("the master key does not open what is kept for {}", name));
        keys.keep(name, *std::move(text));
    }
}

void record_master_key(Connection& connection, MasterKeys const& keys) {
    if (!read_master_key_ids(connection).in_use.empty()) return;
    auto const key = keys.in_use();
    for (auto const& row : connection.execute(kAny)) {
        auto const person = core::read<std::string>(row[0]);
        if (core::aes_gcm_open(key, core::read_bytes(row[1]), person)) continue;
        throw std::runtime_error(
            fmt::format("The stored key of {} does not open: the master key (master_key_file) is not the one that it "
                        "was sealed with.",
                        person));
    }
    connection.execute(kRecord, master_key_id(key));
}

bool follow_master_key(Connection& connection, MasterKeys const& keys) {
    auto const ids = read_master_key_ids(connection);
    return ids.in_use.empty() || ids.in_use == keys.ids().front() || keys.use(ids.in_use);
}

MasterKeys hold_master_key(Connection& connection, MasterKeys const& keys) {
    // Who waited for a replacement sees the former key's row, changed, and not yet the new one's: that takes another
    // look.
    auto ids = ids_of(connection.execute(kHold));
    if (ids.in_use.empty() && !ids.former.empty()) ids = ids_of(connection.execute(kHold));
    if (ids.in_use.empty()) return keys.in_use();
    if (!keys.use(ids.in_use)) throw unknown_key(ids.in_use);
    // Not keys.in_use(): another thread may use another one by now.
    auto const all = keys.all();
    return *std::ranges::find(all, ids.in_use, master_key_id);
}

void replace_master_key(Connection& connection, MasterKeys const& keys, std::string const& id) {
    auto const former = keys.ids().front();
    if (connection.execute(kRetire, former).affected_rows() != 1) {
        throw std::logic_error("the master key to be replaced is not in use");
    }
    connection.execute(kBegin, id);
    if (!keys.use(id)) throw std::logic_error("the new master key is not at hand");
    auto const publics = keys.public_keys();
    keep(connection, keys, kFormerPublicKeys, fmt::format("{}", fmt::join(publics.begin() + 1, publics.end(), " ")));
    for (auto const purpose : kKeptPurposes) keep(connection, keys, purpose, keys.kept(purpose));
    record_public_keys(connection, publics);
}

void restore_master_keys(Connection& connection, MasterKeys const& keys, std::string const& former) {
    connection.execute_sql("DELETE FROM vault.master_key");
    connection.execute(kBegin, former.empty() ? keys.ids().front() : former);
    if (!former.empty()) {
        connection.execute(kRetire, former);
        connection.execute(kBegin, keys.ids().front());
    }
    // Tombstones and heads may be signed by a key that the backup does not know yet.
    auto const publics = keys.public_keys();
    if (publics.size() > 1) {
        keep(connection, keys, kFormerPublicKeys,
             fmt::format("{}", fmt::join(publics.begin() + 1, publics.end(), " ")));
    }
    record_public_keys(connection, publics);
}

void reseal(Connection& connection, MasterKeys const& keys, std::function<void(std::int64_t)> const& progress) {
    for (auto const& what : kSealed) {
        std::string behind;
        for (;;) {
            auto names = reseal_batch(connection, keys, what, behind);
            if (names.empty()) break;
            progress(static_cast<std::int64_t>(names.size()));
            behind = std::move(names.back());
        }
    }
}

std::int64_t count_sealed_by_others(Connection& connection, MasterKeys const& keys) {
    return core::read<std::int64_t>(connection.execute(kCountToReseal, keys.ids().front())[0][0]);
}

void end_former_master_key(Connection& connection) { connection.execute(kEnd); }

}  // namespace workforce::events
