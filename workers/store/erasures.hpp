// The end of an erasure: once its event is durable, the person's key is destroyed, by whichever process comes first.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "core/database.hpp"
#include "events/postgres_keyring.hpp"
#include "workers/store/row_store.hpp"

namespace workforce::workers {

/// Keeps addresses of users' keys and requests from being deleted until the session's open transaction ends: a
/// statement of that transaction that comes after this one sees whose are gone for good. Errors: pqxx's.
void hold_addresses(core::Connection& connection);

/// Destroys the keys of persons of whose erasure the keyring has heard, and frees what they had
/// reserved, and the addresses that their API keys were used from and audited requests came from, all or nothing.
/// Idempotent. `writes` has sessions of role workforce_writer. Errors: core::DatabaseUnavailable; all of it is tried
/// again by the next call.
boost::asio::awaitable<void> finish_erasures(core::Database& writes, events::PostgresKeyring& keyring);

/// As finish_erasures, of what this process has read of in the log, its own or those of a process that died, after
/// forgetting keys that other processes destroyed. A round of each second.
boost::asio::awaitable<void> follow_erasures(core::Database& writes, events::PostgresKeyring& keyring);

/// Destroys the keys of answers (commands/engine/answer_key.hpp) that no retry is told any more.
boost::asio::awaitable<void> end_answer_keys(core::Database& writes);

/// Has the keyring hear of persons who were erased and whose keys still stand: who decoded the erasure may have died
/// since, and it may be past where others begin to read the log. Blocks. Errors: core::DatabaseUnavailable.
void look_for_erasures(events::PostgresKeyring& keyring, RowStore& store);

}  // namespace workforce::workers
