// Access tokens of OAuth clients: JWTs as RFC 9068 has them, by which any process finds whom they stand for.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/credentials/signing_key.hpp"
#include "core/database.hpp"
#include "core/es256.hpp"
#include "core/time.hpp"

namespace workforce::api {

/// The `typ` of such tokens.
inline constexpr std::string_view kAccessTokenType = "at+jwt";

/// The issuer of access tokens, and the audiences that are this service.
struct TokenIssuer {
    std::string issuer;
    std::vector<std::string> audiences;
};

/// The claims of an access token.
struct AccessClaims {
    core::Id user = 0;
    core::Id organization = 0;
    core::Id chain = 0;  ///< of refresh tokens that it was issued from: begins its `jti`
    std::string client_id;
    std::string scope;
    std::vector<std::string> audience;
    core::Timestamp issued_at;
    core::Timestamp ends_at;
};

/// A signing key as it signs: read once.
struct TokenKey {
    std::string id;  ///< `kid` of what it signs
    core::Es256Key key;
};
/// Throws as core::Es256Key.
TokenKey token_key(SigningKey const& key);

/// The token. Errors: std::runtime_error where OpenSSL fails.
std::string sign_access_token(TokenKey const& key, std::string const& issuer, AccessClaims const& claims);

/// What the token says, where the key (PEM) signed it, this service issued it, and it is meant for it; whether it has
/// ended is left to who asks. Nothing for any other text.
std::optional<AccessClaims> read_access_token(std::string_view token, std::string const& public_key,
                                              TokenIssuer const& issuer);

/// Signs access tokens by the installation's key, which it looks up again each minute. Thread-safe.
class AccessTokenSigner {
   public:
    /// `database` has sessions of role workforce_writer. Both outlive this.
    AccessTokenSigner(core::Database& database, events::MasterKeys const& keys, std::string issuer)
        : database_(database), keys_(keys), issuer_(std::move(issuer)) {}

    /// The token. Throws core::DatabaseUnavailable, core::DatabaseBusy, and as signing_key() and sign_access_token().
    boost::asio::awaitable<std::string> sign(AccessClaims claims);

   private:
    boost::asio::awaitable<TokenKey> key();

    core::Database& database_;
    events::MasterKeys const& keys_;
    std::string const issuer_;
    std::mutex mutex_;
    std::optional<TokenKey> key_;  // under the mutex, as the next
    std::chrono::steady_clock::time_point read_at_{};
};

}  // namespace workforce::api
