// Statements on auth.api_key_secret and auth.shown_secret.
#include "workers/store/secret_store.hpp"

#include "events/master_key_table.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr core::Statement kPut{"secret_store_put", R"(
WITH shown AS (INSERT INTO auth.shown_secret (secret_id, sealed, master_key) VALUES ($1, $2, $6))
INSERT INTO auth.api_key_secret (digest, key_id, organization_id, secret_id) VALUES ($3, $4, $5, $1))"};
constexpr core::Statement kShown{
    "secret_store_shown",
    "SELECT sealed FROM auth.shown_secret WHERE secret_id = $1 AND created_at > now() - interval '24 hours 1 minute'"};
constexpr core::Statement kForget{"secret_store_forget", R"(
WITH shown AS (DELETE FROM auth.shown_secret WHERE secret_id = $1)
DELETE FROM auth.api_key_secret WHERE secret_id = $1 AND settled_at IS NULL)"};
// One that was revoked stays, so that it is known as such.
constexpr core::Statement kOpen{"secret_store_open", R"(
SELECT s.organization_id, s.key_id, s.secret_id, s.digest
FROM auth.api_key_secret s
JOIN ops.organization_home h ON h.organization_id = s.organization_id AND h.partition = ANY ($1::int[])
WHERE s.settled_at IS NULL AND s.revoked_at IS NULL AND s.created_at < now() - interval '60 s'
ORDER BY s.organization_id, s.created_at
LIMIT 500)"};
constexpr core::Statement kStand{"secret_store_stand",
                                 "UPDATE auth.api_key_secret SET settled_at = now() WHERE digest = ANY ($1::bytea[])"};
constexpr core::Statement kFall{"secret_store_fall", R"(
WITH fallen AS (
    DELETE FROM auth.api_key_secret WHERE digest = ANY ($1::bytea[]) AND settled_at IS NULL RETURNING secret_id
)
DELETE FROM auth.shown_secret s USING fallen f WHERE s.secret_id = f.secret_id)"};
// As answers are kept: with an hour's grace for clocks.
constexpr core::Statement kPurge{"secret_store_purge", R"(
DELETE FROM auth.shown_secret WHERE created_at < now() - interval '25 hours')"};

}  // namespace

SecretStore::SecretStore(core::Database& writes, events::MasterKeys keys) : writes_(writes), keys_(std::move(keys)) {}

awaitable<void> SecretStore::put(events::KeySecret const& secret, core::Id organization, core::Id key) {
    co_await writes_.transact([this, secret, organization, key](core::Connection& connection) {
        auto const held = events::hold_master_key(connection, keys_);
        auto const sealed = held.seal(events::kShownSecrets, secret.token, secret.id);
        connection.execute(kPut, secret.id, core::Bytes{sealed}, core::Bytes{secret.digest}, key, organization,
                           held.ids().front());
    });
}

awaitable<std::optional<std::string>> SecretStore::shown(std::string id) {
    auto const rows = co_await writes_.execute(kShown, id);
    if (rows.empty()) co_return std::nullopt;
    co_return keys_.open(events::kShownSecrets, core::read_bytes(rows[0][0]), id);
}

awaitable<void> SecretStore::forget(std::string id) { co_await writes_.execute(kForget, id); }

awaitable<std::vector<OpenSecret>> SecretStore::open(std::vector<int> partitions) {
    auto const rows = co_await writes_.execute(kOpen, partitions);
    std::vector<OpenSecret> all;
    for (auto const& row : rows) {
        all.push_back({core::read<core::Id>(row[0]), core::read<core::Id>(row[1]), core::read<std::string>(row[2]),
                       core::read_bytes(row[3])});
    }
    co_return all;
}

awaitable<void> SecretStore::settle(std::vector<OpenSecret> secrets, bool stand) {
    if (secrets.empty()) co_return;
    std::vector<core::Bytes> digests;
    for (auto const& secret : secrets) digests.push_back({secret.digest});
    co_await writes_.execute(stand ? kStand : kFall, digests);
}

awaitable<void> SecretStore::purge() { co_await writes_.execute(kPurge); }

}  // namespace workforce::workers
