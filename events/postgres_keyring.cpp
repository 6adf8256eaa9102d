// Keys in memory, and their rows in vault.person_key.
#include "events/postgres_keyring.hpp"

#include <mutex>
#include <tuple>
#include <utility>

#include "core/crypto.hpp"
#include "core/database.hpp"
#include "events/master_key_table.hpp"

namespace workforce::events {
namespace {

using core::Connection;
using core::Statement;

constexpr std::size_t kDataKeyBytes = 32;

constexpr Statement kAnyKey{"key_any",
                            "SELECT person, sealed_key FROM vault.person_key WHERE sealed_key IS NOT NULL LIMIT 1"};
constexpr Statement kLoad{"key_load",
                          "SELECT person, sealed_key FROM vault.person_key WHERE person = ANY ($1::text[])"};
// Stores nothing unless the master key $3 is the one in use; it stays so until this is durable.
constexpr Statement kStore{"key_store", R"(
WITH master AS (SELECT id, standing FROM vault.master_key FOR SHARE)
INSERT INTO vault.person_key (person, sealed_key, master_key)
SELECT person, sealed_key, $3 FROM unnest($1::text[], $2::bytea[]) AS new_key(person, sealed_key)
WHERE NOT EXISTS (SELECT FROM master WHERE (standing = 'in use') <> (id = $3))
ON CONFLICT (person) DO NOTHING)"};
constexpr Statement kDestroy{"key_destroy", R"(
INSERT INTO vault.person_key (person, destroyed_at) SELECT person, now() FROM unnest($1::text[]) AS person ORDER BY person
ON CONFLICT (person) DO UPDATE SET sealed_key = NULL, destroyed_at = now() WHERE person_key.destroyed_at IS NULL)"};
constexpr Statement kNow{"key_now", "SELECT now()::text"};
// With an overlap, for a row may become visible some time after the moment that it bears.
constexpr Statement kDestroyed{
    "key_destroyed", "SELECT person FROM vault.person_key WHERE destroyed_at > $1::timestamptz - interval '30 s'"};

core::ConnectionOptions session_options(PostgresKeyringOptions const& options) {
    core::ConnectionOptions session;
    session.url = options.database_url;
    session.role = options.role;
    session.application_name = "workforce keyring";
    session.settings = {{"synchronous_commit", "on"}};  // a lost key is lost data
    return core::by_key(std::move(session));
}

}  // namespace

PostgresKeyring::PostgresKeyring(PostgresKeyringOptions const& options)
    : master_keys_(options.master_keys),
      remembered_(options.remembered),
      sessions_(session_options(options), options.connections) {
    auto const rows = sessions_.run([&](Connection& connection) {
        looked_at_ = core::read<std::string>(connection.execute(kNow)[0][0]);
        return connection.execute(kAnyKey);
    });
    for (auto const& row : rows) std::ignore = open(core::read<std::string>(row[0]), core::read_bytes(row[1]));
}

std::string PostgresKeyring::open(std::string const& person, std::string const& sealed) const {
    auto key = master_keys_.open(kMasterItself, sealed, person);
    if (!key) {
        throw std::runtime_error(
            "The stored key of " + person +
            " does not open: the master key (master_key_file) is not the one that it was sealed with.");
    }
    return *std::move(key);
}

PostgresKeyring::Entry const* PostgresKeyring::find(std::string const& person) const {
    auto const found = keys_.find(person);
    if (found == keys_.end()) return nullptr;
    found->second.used.store(true, std::memory_order_relaxed);
    return &found->second;
}

void PostgresKeyring::make_room() {
    if (keys_.size() <= remembered_) return;
    // What is stored nowhere else stays: new keys, and that somebody was forgotten.
    auto const stays = [&](std::string const& person) {
        return unstored_.contains(person) || undestroyed_.contains(person);
    };
    // Second chance: a key that was used since the hand came by stays for another round. The hand goes on where it
    // stopped, so that the key which was fetched last is not the first to leave, wherever the table has put it.
    auto const enough = remembered_ / 4 * 3;
    auto const buckets = keys_.bucket_count();
    for (std::size_t visited = 0; visited < 2 * buckets && keys_.size() > enough; ++visited) {
        hand_ = (hand_ + 1) % buckets;
        std::vector<std::string> leaving;
        for (auto entry = keys_.begin(hand_); entry != keys_.end(hand_); ++entry) {
            if (!entry->second.used.exchange(false, std::memory_order_relaxed) && !stays(entry->first)) {
                leaving.push_back(entry->first);
            }
        }
        for (auto const& person : leaving) keys_.erase(person);
    }
}

std::string PostgresKeyring::key_to_seal(std::string const& person) {
    auto const usable = [&](Entry const& entry) -> std::string const& {
        if (!entry.key) throw std::runtime_error("the key of " + person + " was destroyed");
        return *entry.key;
    };
    {
        std::shared_lock const lock(mutex_);
        if (auto const* found = find(person)) return usable(*found);
    }
    auto fresh = core::random_bytes(kDataKeyBytes);
    std::unique_lock const lock(mutex_);
    auto const [entry, added] = keys_.try_emplace(person, std::move(fresh));
    if (added) unstored_.insert(person);
    return usable(entry->second);
}

bool PostgresKeyring::holds(std::string const& person) const {
    std::shared_lock const lock(mutex_);
    return find(person) != nullptr;
}

std::optional<std::string> PostgresKeyring::key_to_open(std::string const& person) {
    auto const look = [&]() -> std::optional<std::optional<std::string>> {
        std::shared_lock const lock(mutex_);
        auto const* found = find(person);
        if (!found) return std::nullopt;
        return std::optional<std::optional<std::string>>(std::in_place, found->key);
    };
    if (auto const known = look()) return *known;
    auto const stored = fetch({person});
    // What memory says counts, for the person may have been forgotten since; that it says nothing means nothing.
    if (auto const known = look()) return *known;
    return stored.empty() ? std::nullopt : stored.front().second;
}

void PostgresKeyring::prefetch(std::span<std::string const> persons) {
    std::set<std::string> missing;
    {
        std::shared_lock const lock(mutex_);
        for (auto const& person : persons) {
            if (!find(person)) missing.insert(person);
        }
    }
    if (!missing.empty()) std::ignore = fetch({missing.begin(), missing.end()});
}

PostgresKeyring::Stored PostgresKeyring::load(std::vector<std::string> const& persons) {
    auto const rows = sessions_.run([&](Connection& connection) { return connection.execute(kLoad, persons); });
    Stored stored;
    for (auto const& row : rows) {
        auto person = core::read<std::string>(row[0]);
        std::optional<std::string> key;
        if (!row[1].is_null()) key = open(person, core::read_bytes(row[1]));
        stored.emplace_back(std::move(person), std::move(key));
    }
    return stored;
}

PostgresKeyring::Stored PostgresKeyring::fetch(std::vector<std::string> const& persons) {
    for (;;) {
        auto const before = [&] {
            std::shared_lock const lock(mutex_);
            return forgotten_;
        }();
        auto stored = load(persons);
        std::unique_lock const lock(mutex_);
        if (forgotten_ != before) continue;  // a key that was destroyed meanwhile must not come back
        make_room();
        for (auto const& [person, key] : stored) keys_.try_emplace(person, key);
        return stored;
    }
}

bool PostgresKeyring::has_unstored() const {
    std::shared_lock const lock(mutex_);
    return !unstored_.empty();
}

std::vector<PostgresKeyring::NewKey> PostgresKeyring::unstored() const {
    std::shared_lock const lock(mutex_);
    std::vector<NewKey> keys;
    for (auto const& person : unstored_) keys.push_back({person, keys_.at(person).key.value()});
    return keys;
}

bool PostgresKeyring::store(std::vector<NewKey> const& keys) {
    auto const master_key = master_keys_.in_use();
    std::vector<std::string> persons;
    std::vector<std::string> sealed;
    for (auto const& [person, key] : keys) {
        persons.push_back(person);
        sealed.push_back(core::aes_gcm_seal(master_key, key, person));
    }
    std::vector<core::Bytes> const bytes(sealed.begin(), sealed.end());
    auto const inserted = sessions_.run([&](Connection& connection) {
        return connection.execute(kStore, persons, bytes, master_key_id(master_key)).affected_rows();
    });
    return inserted == keys.size();
}

void PostgresKeyring::persist() {
    // One at a time: a second caller may find its keys in the first one's batch, and waits until that is durable.
    std::lock_guard const only(persisting_);
    auto const keys = unstored();
    if (keys.empty()) return;
    Stored stored;
    for (;;) {
        auto const master_key = master_keys_.in_use();
        if (store(keys)) {
            for (auto const& [person, key] : keys) stored.emplace_back(person, key);
            break;
        }
        std::vector<std::string> persons;
        for (auto const& key : keys) persons.push_back(key.person);
        stored = load(persons);
        if (stored.size() == keys.size()) break;
        bool const known =
            sessions_.run([&](Connection& connection) { return follow_master_key(connection, master_keys_); });
        if (!known) throw std::runtime_error("the master key was replaced by one that this process does not know");
        if (master_keys_.in_use() == master_key) break;
    }
    settle(keys, stored);
}

/// Compares the keys that were to be stored with the stored ones. A key that was stored before, as after a lost answer,
/// is ours.
void PostgresKeyring::settle(std::vector<NewKey> const& keys, Stored const& stored) {
    std::unordered_map<std::string, std::optional<std::string>> const found(stored.begin(), stored.end());
    std::string lost;
    std::unique_lock const lock(mutex_);
    for (auto const& [person, key] : keys) {
        auto const row = found.find(person);
        if (row == found.end()) throw std::logic_error("the key of " + person + " was neither stored nor there");
        unstored_.erase(person);
        if (row->second == key) continue;
        ++conflicts_;
        lost += (lost.empty() ? "" : ", ") + person;
        auto& entry = keys_[person];
        if (entry.key) entry.key = row->second;  // unless it was forgotten meanwhile
    }
    make_room();
    if (!lost.empty()) throw KeyConflict("another process made or destroyed the key first: " + lost);
}

void PostgresKeyring::forget(std::string const& person) {
    std::unique_lock const lock(mutex_);
    auto const [entry, added] = keys_.try_emplace(person);
    if (!added && !entry->second.key) return;  // known to be destroyed, or waiting for it
    entry->second.key.reset();
    unstored_.erase(person);
    undestroyed_.insert(person);
    ++forgotten_;
}

void PostgresKeyring::release(std::string const& person) {
    std::unique_lock const lock(mutex_);
    auto const found = keys_.find(person);
    if (found != keys_.end() && found->second.key && !unstored_.contains(person)) keys_.erase(found);
}

void destroy_keys(Connection& connection, std::vector<std::string> const& persons) {
    connection.execute(kDestroy, persons);
}

void PostgresKeyring::destroy(std::vector<std::string> const& persons) {
    sessions_.run([&](Connection& connection) { destroy_keys(connection, persons); });
    for (auto const& person : persons) forget(person);
    std::unique_lock const lock(mutex_);
    for (auto const& person : persons) undestroyed_.erase(person);
}

std::vector<std::string> PostgresKeyring::undestroyed() const {
    std::shared_lock const lock(mutex_);
    return {undestroyed_.begin(), undestroyed_.end()};
}

void PostgresKeyring::forget_destroyed() {
    auto const since = [&] {
        std::shared_lock const lock(mutex_);
        return looked_at_;
    }();
    std::string now;
    auto const rows = sessions_.run([&](Connection& connection) {
        now = core::read<std::string>(connection.execute(kNow)[0][0]);
        return connection.execute(kDestroyed, since);
    });
    for (auto const& row : rows) {
        auto const person = core::read<std::string>(row[0]);
        forget(person);
        std::unique_lock const lock(mutex_);
        undestroyed_.erase(person);
    }
    std::unique_lock const lock(mutex_);
    looked_at_ = now;
}

}  // namespace workforce::events
