// The keyring in Postgres: one row a person, sealed by the master key, those used of late kept in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/session_pool.hpp"
#include "events/keyring.hpp"
#include "events/master_keys.hpp"

namespace workforce::events {

/// A new key was not stored, since another process had stored or destroyed the person's key first. What was sealed must
/// be sealed again; the key that counts is in memory by now.
struct KeyConflict : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Destroys the persons' keys in the session's open transaction, for good; those that were not made yet never will be.
/// Idempotent. Errors: pqxx's.
void destroy_keys(core::Connection& connection, std::vector<std::string> const& persons);

/// How a PostgresKeyring works.
struct PostgresKeyringOptions {
    std::string database_url;
    std::string role = "workforce_writer";  ///< one that may only read can open, not persist or destroy
    MasterKeys master_keys;
    std::size_t connections = 2;
    std::size_t remembered = 50'000;  ///< keys kept in memory, some 200 bytes each
};

/// key_to_seal can't ask the database, and a second key for a person would be a conflict: whoever seals for somebody
/// who may have a key asks holds(), and has it fetched first.
class PostgresKeyring final : public Keyring {
   public:
    /// Tries the master keys on a stored key, if there is one. Errors: std::runtime_error when none opens it;
    /// core::DatabaseUnavailable.
    explicit PostgresKeyring(PostgresKeyringOptions const& options);

    std::string key_to_seal(std::string const& person) override;
    [[nodiscard]] bool holds(std::string const& person) const override;
    /// Errors: core::DatabaseUnavailable; std::runtime_error when no master key opens what is stored.
    std::optional<std::string> key_to_open(std::string const& person) override;
    /// Errors: as key_to_open.
    void prefetch(std::span<std::string const> persons) override;
    /// Further errors: KeyConflict; the other keys of the call are stored then. std::runtime_error where the master key
    /// was replaced by one that is not known here.
    void persist() override;
    [[nodiscard]] bool has_unstored() const override;
    [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_; }
    void forget(std::string const& person) override;
    void release(std::string const& person) override;

    /// As destroy_keys, in a session of its own. Blocks. Errors: core::DatabaseUnavailable.
    void destroy(std::string const& person) { destroy(std::vector{person}); }
    void destroy(std::vector<std::string> const& persons);

    /// Persons who were forgotten here and whose keys are not destroyed yet, as far as is known. Each process that
    /// reads the log finds those that died with another before it came to destroy them.
    [[nodiscard]] std::vector<std::string> undestroyed() const;

    /// Forgets the keys that were destroyed elsewhere since the last call or the construction. Blocks.
    /// Errors: core::DatabaseUnavailable.
    void forget_destroyed();

   private:
    using Stored = std::vector<std::pair<std::string, std::optional<std::string>>>;  // person, key unless destroyed

    struct Entry {
        explicit Entry(std::optional<std::string> of_person = std::nullopt) : key(std::move(of_person)) {}
        std::optional<std::string> key;  // nothing: destroyed
        mutable std::atomic<bool> used{true};
    };
    struct NewKey {
        std::string person;
        std::string key;
    };

    /// What is in memory of the person, or null. The caller holds the lock.
    [[nodiscard]] Entry const* find(std::string const& person) const;
    /// Drops what was not used of late when there is too much. The caller holds the lock alone.
    void make_room();
    [[nodiscard]] std::string open(std::string const& person, std::string const& sealed) const;
    Stored load(std::vector<std::string> const& persons);
    /// Takes what is stored of these persons into memory. Returns it, for it may leave again at once.
    Stored fetch(std::vector<std::string> const& persons);
    std::vector<NewKey> unstored() const;
    /// Whether all were stored. Some were not where others were first, or another master key is in use by now.
    bool store(std::vector<NewKey> const& keys);
    void settle(std::vector<NewKey> const& keys, Stored const& stored);

    MasterKeys const master_keys_;
    std::size_t const remembered_;
    core::SessionPool sessions_;
    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, Entry> keys_;
    std::size_t hand_ = 0;            // the bucket whose turn it was last to let go
    std::set<std::string> unstored_;  // ordered, so that processes that store the same keys don't deadlock
    std::set<std::string> undestroyed_;
    std::string looked_at_;        // when forget_destroyed last looked, by the database's clock
    std::uint64_t forgotten_ = 0;  // how often a key was forgotten: what was loaded before that may be out of date
    std::atomic<std::uint64_t> conflicts_{0};
    std::mutex persisting_;
};

}  // namespace workforce::events
