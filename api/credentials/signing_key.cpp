// Keys made by OpenSSL, and kept sealed.
#include "api/credentials/signing_key.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <stdexcept>

#include "core/crypto.hpp"
#include "events/master_key_table.hpp"

namespace workforce::api {
namespace {

constexpr core::Statement kLockKeys{"person_tokens_lock", "SELECT pg_advisory_xact_lock(7823641120952)"};
// A new key is shown for an hour before it signs, for those who keep what they read of keys.
constexpr core::Statement kSigningKey{"signing_key_of_now", R"(
SELECT id, sealed_private_key, (SELECT max(created_at) FROM auth.signing_key) < now() - interval '90 days' AS due
FROM auth.signing_key ORDER BY created_at > now() - interval '1 hour', created_at DESC, id LIMIT 1)"};
// What it signed has ended when it was not the one that signs for longer than tokens last.
constexpr core::Statement kPruneKeys{"signing_key_prune", R"(
DELETE FROM auth.signing_key k WHERE EXISTS (
    SELECT FROM auth.signing_key n WHERE n.created_at > k.created_at AND n.created_at < now() - interval '4 hours'))"};
constexpr core::Statement kStoreKey{
    "person_tokens_store",
    "INSERT INTO auth.signing_key (id, public_key, sealed_private_key, master_key) VALUES ($1, $2, $3, $4)"};

template <class Write>
std::string pem(Write write) {
    std::unique_ptr<BIO, decltype(&BIO_free)> const bio(BIO_new(BIO_s_mem()), &BIO_free);
    if (!bio || write(bio.get()) != 1) throw std::runtime_error("a signing key could not be written");
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

SigningKey make_key(core::Connection& connection, events::MasterKeys const& keys) {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    if (!key) throw std::runtime_error("a signing key could not be made");
    auto const public_key = pem([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key.get()); });
    auto private_key =
        pem([&](BIO* bio) { return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    auto id = core::base64url_encode(core::bytes(core::sha256(public_key))).substr(0, 16);
    auto const held = events::hold_master_key(connection, keys);
    auto const sealed = held.seal(events::kSigningKeys, private_key, id);
    connection.execute(kStoreKey, id, public_key, core::Bytes{sealed}, held.ids().front());
    return {std::move(id), std::move(private_key)};
}

}  // namespace

bool is_token_text(std::string_view text) {
    constexpr std::size_t kParts = 3;
    for (std::size_t part = 1; part <= kParts; ++part) {
        auto const end = text.find('.');
        if ((end == std::string_view::npos) != (part == kParts) || end == 0) return false;
        auto const decoded = core::base64url_decode(text.substr(0, end));
        if (!decoded || decoded->empty()) return false;
        text.remove_prefix(part == kParts ? text.size() : end + 1);
    }
    return true;
}

SigningKey signing_key(core::Connection& connection, events::MasterKeys const& keys) {
    return connection.transaction([&] {
        connection.execute(kLockKeys);
        auto const rows = connection.execute(kSigningKey);
        if (rows.empty()) return make_key(connection, keys);
        if (core::read<bool>(rows[0]["due"])) make_key(connection, keys);
        auto id = core::read<std::string>(rows[0][0]);
        auto key = keys.open(events::kSigningKeys, core::read_bytes(rows[0][1]), id);
        if (!key) throw std::runtime_error("the master key does not open the installation's signing key");
        return SigningKey{std::move(id), *std::move(key)};
    });
}

void prune_signing_keys(core::Connection& connection) { connection.execute(kPruneKeys); }

}  // namespace workforce::api
