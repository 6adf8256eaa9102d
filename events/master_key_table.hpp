// Which master key is in use, as the database says, and its replacement.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "core/connection.hpp"
#include "events/master_keys.hpp"

namespace workforce::events {

/// Ids of vault.master_key; empty: none.
struct MasterKeyIds {
    std::string in_use;
    std::string former;  ///< which still seals something
};

/// The keys in the configured files, that of master_key_file first. Errors: std::runtime_error with one line.
std::vector<std::string> read_master_keys(core::Config const& config);

/// Reads which is in use. Errors: pqxx's.
MasterKeyIds read_master_key_ids(core::Connection& connection);

/// The configured keys, that in use first, and what is kept of former ones. The session is of role workforce_writer or
/// workforce_projector. Blocks. Errors: std::runtime_error with one line for the operator where the files lack the key
/// in use, or a former one that still seals something; pqxx's.
MasterKeys load_master_keys(core::Config const& config, core::Connection& connection);

/// Takes in what is kept of former ones. Errors: std::runtime_error where no key opens it; pqxx's.
void load_kept(core::Connection& connection, MasterKeys const& keys);

/// Records the key in use, where none is recorded. Errors: std::runtime_error where it does not open what is stored;
/// pqxx's.
void record_master_key(core::Connection& connection, MasterKeys const& keys);

/// Uses the key that is in use by now. False: it is none of these. Errors: pqxx's.
bool follow_master_key(core::Connection& connection, MasterKeys const& keys);

/// Keeps the key in use as it is until the open transaction's end, uses it, and returns it alone: what is stored in
/// this transaction is to be sealed by that. Errors: std::runtime_error where it is none of these; pqxx's.
MasterKeys hold_master_key(core::Connection& connection, MasterKeys const& keys);

/// Puts another key into use, of which `keys` has both, in the open transaction: whoever seals waits for its end. What
/// is kept of the former one is sealed under the new one. As the owner of the tables. Errors: std::logic_error where
/// the former is not the one in use; pqxx's.
void replace_master_key(core::Connection& connection, MasterKeys const& keys, std::string const& id);

/// Records the keys of a restored database in the place of what was recorded: the one in use, and the id of a former
/// one that seals something, or "". In the open transaction, as the owner of the tables. Errors: pqxx's.
void restore_master_keys(core::Connection& connection, MasterKeys const& keys, std::string const& former);

/// Seals under the key in use what lies in the database under another of these, some hundred rows a transaction, and
/// tells `progress` how many rows more these were. What it has done stays done when it is killed. As the owner of the
/// tables. Blocks. Errors: std::runtime_error for a row that none of these keys opens; pqxx's.
void reseal(core::Connection& connection, MasterKeys const& keys, std::function<void(std::int64_t)> const& progress);

/// How many rows reseal() would seal anew. Errors: pqxx's.
std::int64_t count_sealed_by_others(core::Connection& connection, MasterKeys const& keys);

/// Says that the former key seals nothing any more. As the owner of the tables. Errors: pqxx's.
void end_former_master_key(core::Connection& connection);

}  // namespace workforce::events
