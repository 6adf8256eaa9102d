// Statements on auth.signing_secret.
#include "workers/store/signing_secrets.hpp"

#include <stdexcept>

#include "core/ids.hpp"
#include "events/master_key_table.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr core::Statement kPutSigning{"signing_secret_put", R"(
INSERT INTO auth.signing_secret (id, organization_id, webhook_id, sealed, master_key) VALUES ($1, $2, $3, $4, $5))"};
constexpr core::Statement kShownSigning{
    "signing_secret_shown",
    "SELECT sealed FROM auth.signing_secret WHERE id = $1 AND created_at > now() - interval '24 hours 1 minute'"};
constexpr core::Statement kForgetSigning{"signing_secret_forget",
                                         "DELETE FROM auth.signing_secret WHERE id = $1 AND settled_at IS NULL"};
constexpr core::Statement kOpenSigning{"signing_secret_open", R"(
SELECT s.organization_id, s.webhook_id, s.id
FROM auth.signing_secret s
JOIN ops.organization_home h ON h.organization_id = s.organization_id AND h.partition = ANY ($1::int[])
WHERE s.settled_at IS NULL AND s.created_at < now() - interval '60 s'
ORDER BY s.organization_id, s.created_at
LIMIT 500)"};
constexpr core::Statement kStandSigning{
    "signing_secret_stand", "UPDATE auth.signing_secret SET settled_at = now() WHERE id = ANY ($1::text[])"};
constexpr core::Statement kFallSigning{
    "signing_secret_fall", "DELETE FROM auth.signing_secret WHERE id = ANY ($1::text[]) AND settled_at IS NULL"};
constexpr core::Statement kReadSigning{"signing_secret_read",
                                       "SELECT id, sealed FROM auth.signing_secret WHERE id = ANY ($1::text[])"};

}  // namespace

awaitable<std::string> SigningSecretStore::put(std::string secret, core::Id organization, core::Id webhook) {
    auto id = core::uuid_v7(core::now());
    co_await writes_.transact([this, secret, id, organization, webhook](core::Connection& connection) {
        auto const held = events::hold_master_key(connection, keys_);
        auto const sealed = held.seal(events::kSigningSecrets, secret, id);
        connection.execute(kPutSigning, id, organization, webhook, core::Bytes{sealed}, held.ids().front());
    });
    co_return id;
}

awaitable<std::optional<std::string>> SigningSecretStore::shown(std::string id) {
    auto const rows = co_await writes_.execute(kShownSigning, id);
    if (rows.empty()) co_return std::nullopt;
    co_return keys_.open(events::kSigningSecrets, core::read_bytes(rows[0][0]), id);
}

awaitable<void> SigningSecretStore::forget(std::string id) { co_await writes_.execute(kForgetSigning, id); }

awaitable<std::vector<OpenSigningSecret>> SigningSecretStore::open(std::vector<int> partitions) {
    auto const rows = co_await writes_.execute(kOpenSigning, partitions);
    std::vector<OpenSigningSecret> all;
    for (auto const& row : rows) {
        all.push_back({core::read<core::Id>(row[0]), core::read<core::Id>(row[1]), core::read<std::string>(row[2])});
    }
    co_return all;
}

awaitable<void> SigningSecretStore::settle(std::vector<OpenSigningSecret> secrets, bool stand) {
    if (secrets.empty()) co_return;
    std::vector<std::string> ids;
    for (auto const& secret : secrets) ids.push_back(secret.id);
    co_await writes_.execute(stand ? kStandSigning : kFallSigning, ids);
}

std::map<std::string, std::string> SigningSecretStore::read(core::Connection& connection,
                                                            std::vector<std::string> const& ids) const {
    std::map<std::string, std::string> secrets;
    for (auto const& row : connection.execute(kReadSigning, ids)) {
        auto id = core::read<std::string>(row[0]);
        auto secret = keys_.open(events::kSigningSecrets, core::read_bytes(row[1]), id);
        if (!secret) throw std::runtime_error("the signing secret " + id + " does not open under any master key");
        secrets.emplace(std::move(id), *std::move(secret));
    }
    return secrets;
}

}  // namespace workforce::workers
