// First-party tokens of people (JWT, ES256): how programs of their own act for them without a browser; and verifying
// all tokens that the installation signed, those of OAuth clients too.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/credentials/access_tokens.hpp"
#include "core/batcher.hpp"
#include "core/database.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "events/master_keys.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::api {

/// Whom a token stands for.
struct Person {
    core::Id user = 0;
    core::Id organization = 0;
};

/// A token for the person, from now on, as the database's clock has it, and for workers::kTokenLife, with a session
/// that it stands for. Makes the installation's signing key at the first call; its private part lies in the database
/// sealed by a key derived from the master key. Nothing as workers::open_session gives none; `hash` as there. The role
/// is workforce_writer. Blocks. Errors: pqxx's; std::runtime_error when no master key opens what is stored, or OpenSSL
/// fails.
std::optional<std::string> mint_person_token(core::Connection& connection, events::MasterKeys const& keys,
                                             Person const& person, workers::Origin const& origin = {},
                                             std::string const& hash = {});

/// Whether the text has the form of a token, whoever signed it.
bool is_person_token(std::string_view token);

/// Whom a token stands for, once its signature was verified; of a client's what it says.
struct TokenHolder {
    Person person;
    std::optional<AccessClaims> access{};
};

/// Verifies tokens. Thread-safe. Keys that it does not know are looked up by one statement at a time, however many
/// tokens name however many.
class PersonTokens {
   public:
    /// `database` has sessions of role workforce_operator. `issuer`: of access tokens.
    PersonTokens(core::Database& database, TokenIssuer issuer);

    /// Whom the token stands for; `digest` is its SHA-256, by which that is known once the signature was verified.
    /// Whether it has ended its session's row knows, by the database's clock: this process's may be off. Errors:
    /// UNAUTHENTICATED for one that is not ours, was changed, or is meant for another purpose. Throws
    /// core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<core::Result<TokenHolder>> verify(std::string digest, std::string token);

    /// Ends what waits for a look-up with core::DatabaseUnavailable, as Authenticator::stop.
    void stop();

   private:
    /// Whose a token is, and the key that signed it.
    struct Verified {
        TokenHolder holder;
        std::string key;
    };

    std::optional<TokenHolder> verified_before(std::string const& digest);
    /// The public key of that name, or "".
    boost::asio::awaitable<std::string> public_key(std::string id);
    boost::asio::awaitable<std::vector<std::string>> find_all(std::vector<std::string> ids);

    core::Database& database_;
    TokenIssuer const issuer_;
    core::Batcher<std::string, std::string> finder_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::string> keys_;   // PEM, by their names
    std::unordered_map<std::string, Verified> verified_;  // by the tokens' digests
};

}  // namespace workforce::api
