// The public keys of the tokens that the installation signs (RFC 7517).
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "core/crypto.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

/// A public key of ES256.
struct JsonWebKey {
    std::string kty = "EC";
    std::string crv = "P-256";
    std::string alg = "ES256";
    std::string use = "sig";
    std::string kid;
    std::string x;
    std::string y;
};
BOOST_DESCRIBE_STRUCT(JsonWebKey, (), (kty, crv, alg, use, kid, x, y))

struct JsonWebKeySet {
    std::vector<JsonWebKey> keys;
};
BOOST_DESCRIBE_STRUCT(JsonWebKeySet, (), (keys))

namespace {

/// All keys that a token may be signed by, also where newer ones sign now. A new one signs at once, so no cache keeps
/// the answer for whoever verifies.
constexpr core::Statement kPublicKeys{"public_signing_keys", "SELECT id, public_key FROM auth.signing_key ORDER BY id"};

template <class T, void (*Free)(T*)>
struct FreedBy {
    void operator()(T* thing) const { Free(thing); }
};

/// One coordinate of a point of P-256, as RFC 7518 6.2.1 writes it.
std::string coordinate(EVP_PKEY* key, char const* name) {
    BIGNUM* raw = nullptr;
    int const got = EVP_PKEY_get_bn_param(key, name, &raw);
    std::unique_ptr<BIGNUM, FreedBy<BIGNUM, BN_free>> const number(raw);
    std::array<unsigned char, 32> bytes{};
    if (got != 1 || BN_bn2binpad(number.get(), bytes.data(), static_cast<int>(bytes.size())) < 0) {
        throw std::runtime_error("a signing key is not of P-256");
    }
    return core::base64url_encode(std::string(bytes.begin(), bytes.end()));
}

JsonWebKey web_key(std::string id, std::string const& pem) {
    std::unique_ptr<BIO, decltype(&BIO_free)> const bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                        &BIO_free);
    std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY, EVP_PKEY_free>> const key(
        bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr) : nullptr);
    if (!key) throw std::runtime_error("a signing key could not be read");
    JsonWebKey shown;
    shown.kid = std::move(id);
    shown.x = coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_X);
    shown.y = coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y);
    return shown;
}

boost::asio::awaitable<Outcome> list_signing_keys(Call& call) {
    auto read = [](core::Connection& connection) {
        JsonWebKeySet set;
        for (auto const& row : connection.execute(kPublicKeys)) {
            set.keys.push_back(web_key(core::read<std::string>(row[0]), core::read<std::string>(row[1])));
        }
        return set;
    };
    auto const set = co_await call.services.operators.run(std::move(read));
    co_return Outcome{.body = core::to_json(set)};
}

}  // namespace

std::vector<Operation> signing_key_operations() {
    auto keys = query<JsonWebKeySet>("signing_keys.list", "What tokens of people are signed with", list_signing_keys)
                    .says("Returns the public keys by which tokens of people are verified (RFC 7517).")
                    .for_any_origin()
                    .at(net::Method::get, "/.well-known/jwks.json");
    keys.access = Access::open;
    return {std::move(keys)};
}

std::vector<StructWords> signing_key_words() {
    return {
        {{"JsonWebKeySet"}, {{"keys", "All keys that tokens may be signed by"}}},
        {{"JsonWebKey"},
         {{"kty", "Key type, EC"},
          {"crv", "Curve, P-256"},
          {"alg", "Algorithm, ES256"},
          {"use", "What for: sig, signatures"},
          {"kid", "Names the key, as tokens' headers do"},
          {"x", "First coordinate, base64url"},
          {"y", "Second coordinate, base64url"}}},
    };
}

}  // namespace workforce::operations
