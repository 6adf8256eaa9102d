// From a credential to a caller: API keys and first-party tokens of people as bearer tokens, sessions as cookies.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <pqxx/row>
#include <string>
#include <string_view>
#include <vector>

#include "api/credentials/credential_cache.hpp"
#include "api/credentials/person_tokens.hpp"
#include "api/credentials/presented.hpp"
#include "core/batcher.hpp"
#include "core/database.hpp"
#include "core/result.hpp"
#include "operations/caller.hpp"

namespace workforce::api {

using core::Id;
using core::Timestamp;
using operations::Caller;

/// Statements that look up tokens at a time, so that one session that hangs does not keep all from being looked up; who
/// makes an Authenticator gives it a pool of as many sessions, which nothing slow shares.
inline constexpr std::size_t kKeySessions = 2;

/// Authenticates requests. Thread-safe. A key that was looked up is trusted for kKeyTrust, which is how fast a
/// revocation made elsewhere holds, whatever read models do; its own partition refuses it at once. Keys are looked up
/// by few statements at a time, however many requests bring however many tokens: it comes before all that counts an
/// organization's requests.
class Authenticator {
   public:
    /// `sessions` is for what people present, so that no flood of it keeps keys from being looked up. Callers that are
    /// remembered take `bytes` of memory at most.
    /// `issuer`: of the access tokens that it takes.
    Authenticator(core::Database& keys, core::Database& sessions, std::size_t bytes, TokenIssuer issuer = {});

    /// The caller behind what a request presents, if anything.
    /// Errors: UNAUTHENTICATED for a missing, unknown kind of, expired or revoked credential; INVALID_API_KEY for a
    /// token that is no key of ours; READ_MODEL_BEHIND for a key that was made and can't be read yet. Throws
    /// core::DatabaseUnavailable.
    boost::asio::awaitable<CallerResult> authenticate(Presented presented);

    /// What an OAuth client's access token says that has not ended; nothing for any other text. Throws as
    /// authenticate().
    boost::asio::awaitable<std::optional<AccessClaims>> read_access(std::string token);

    /// The user as one who signed in, by a look-up of now. Errors: UNAUTHENTICATED for one who may not. Throws as
    /// authenticate().
    boost::asio::awaitable<CallerResult> find_user(workers::AccountRef account);

    /// Some of the user's sessions ended: what is known of any is looked up again.
    void forget(Id user) { cache_.forget(user); }

    /// What is remembered of callers.
    [[nodiscard]] CredentialCache const& cache() const { return cache_; }

    /// The caller behind a credential that another process authenticated: an API key or a user of the organization, or
    /// what an OAuth client's tokens come of.
    /// Errors: UNAUTHENTICATED, also for a key none of whose secrets is good any more. Throws
    /// core::DatabaseUnavailable.
    boost::asio::awaitable<CallerResult> find_caller(events::ActorType credential, Id id, Id organization);

    /// Ends what waits for a look-up with core::DatabaseUnavailable. Call it while the callers' io_contexts still
    /// exist.
    void stop();

   private:
    using Clock = CredentialCache::Clock;
    using Outcome = CallerResult;
    using Known = KnownCredential;
    /// A token's digest, and the row versions that are known of what is behind it.
    struct Asked {
        std::string digest;
        std::string versions;
        auto operator<=>(Asked const&) const = default;
    };

    /// What the log says of a user's rights past the row of the read model; nothing: as the row says.
    struct LaterRights {
        std::optional<std::string> role;
        std::optional<std::vector<Id>> facilities;
        std::optional<std::string> staff;  ///< empty: none

        static LaterRights read(pqxx::row const& row);
        void apply_to(events::User& user) const;
    };
    /// A key's row, its user's and its organization's, each as far as the read models have it; and what its secret's
    /// own row says, which no read model decides.
    struct Stored {
        std::string versions{};  ///< of the rows
        bool same = false;       ///< they are those that were known, and are left out
        bool revoked = false;
        bool inactive = false;  ///< the organization or the user, as the log says
        std::optional<Timestamp> valid_until;
        std::string secret_id;
        std::optional<std::string> key;
        std::optional<std::string> user;
        std::optional<std::string> organization;
        LaterRights rights;
    };
    /// Nothing while the key does not have that secret: it is not folded yet, or never was appended.
    static std::optional<Outcome> caller_of(Stored const& stored);
    /// The same, once the secret's own row is seen to say nothing against it.
    static std::optional<Outcome> outcome_of(Stored const& stored, Outcome const& known = {});
    static Stored read_stored(pqxx::row const& row);

    boost::asio::awaitable<std::vector<std::optional<Stored>>> find_all(std::vector<Asked> asked);

    /// Looks up again what requests go on with, all of it by one statement.
    boost::asio::awaitable<void> refresh_soon();
    boost::asio::awaitable<Outcome> look_up(std::string digest, Known known);
    boost::asio::awaitable<Outcome> authenticate_bearer(std::string_view header);
    boost::asio::awaitable<Outcome> authenticate_cookie(std::optional<std::string_view> cookie);
    /// The person whom a token stands for, once its signature is verified.
    boost::asio::awaitable<Outcome> look_up_token(std::string digest, std::string token);
    /// The person whose session that is, as the read models have them.
    boost::asio::awaitable<Outcome> look_up_session(std::string digest);
    boost::asio::awaitable<std::vector<std::optional<Outcome>>> find_sessions(std::vector<std::string> digests);
    static core::Result<std::shared_ptr<Caller>> person_of(pqxx::row const& row);
    /// A chain of OAuth tokens, and until when a token of it is good.
    using Issued = std::pair<Id, Timestamp>;
    /// The person for whom an OAuth client acts, with the rights that both have.
    boost::asio::awaitable<Outcome> look_up_access(std::string digest, Issued issued);
    boost::asio::awaitable<std::vector<std::optional<Outcome>>> find_chains(std::vector<Issued> issued);
    boost::asio::awaitable<Outcome> find_key(Id id, Id organization);
    /// What is known from here on, of a token of which that was; nothing while the read model lacks the key.
    static std::optional<Known> known_of(std::optional<Stored> const& stored, Known const& known);
    /// What the tables say of the token, where something of it is known; nothing while its secret is stored but the
    /// read model lacks the key.
    boost::asio::awaitable<std::optional<Known>> find(std::string const& digest, Known const& known);

    core::Database& database_;
    core::Database& sessions_;
    PersonTokens tokens_;
    core::Batcher<Asked, std::optional<Stored>> finder_;
    core::Batcher<std::string, std::optional<Outcome>> session_finder_;  // by digest; nothing: there is none
    core::Batcher<Issued, std::optional<Outcome>> chain_finder_;         // nothing: it has ended
    CredentialCache cache_;
};

}  // namespace workforce::api
