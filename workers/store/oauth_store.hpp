// What OAuth keeps beside the log: clients' secrets, authorization codes, and chains of refresh tokens. All that opens
// something lies there as its SHA-256.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/database.hpp"
#include "events/oauth_client.hpp"
#include "events/oauth_grant.hpp"

namespace workforce::workers {

inline constexpr std::size_t kRefreshTokenLength = 43;  ///< base62: 256 bits
inline constexpr std::chrono::seconds kCodeLife{120};
inline constexpr std::chrono::hours kRefreshLife{30 * 24};  ///< of a chain since it was used last
inline constexpr std::chrono::seconds kAccessLife{3600};
inline constexpr int kMostDocuments = 10'000;      ///< of clients that have one of their own; those unused for long go
inline constexpr int kMostUnusedClients = 10'000;  ///< more are not registered

/// A client, as far as the read model shows it, and the digest of its secret.
struct KnownClient {
    core::Id id = 0;
    std::optional<events::OAuthClient> record{};  ///< nothing: it was registered, and can't be read yet
    std::optional<std::string> secret_digest{};
};

/// What a client's own document said when it was fetched.
struct KnownDocument {
    std::string doc;
    bool fresh = false;   ///< it holds
    bool recent = false;  ///< it may hold on where nobody can tell whether it does
};

/// What a user lets a client do, and for which resource; empty: for both hosts.
struct Consent {
    core::Id organization = 0;
    core::Id user = 0;
    core::Id grant = 0;
    std::string client_id;
    std::string scope;
    std::string resource;
};

/// A code to be handed out.
struct NewCode {
    Consent consent;
    std::string code;
    std::string redirect_uri;  ///< as the request had it; empty: it had none
    std::string challenge;
    core::Id session = 0;  ///< by which its user let the client
};

/// A chain from which an access token is issued now, by the database's clock, with its youngest refresh token.
struct IssuedChain {
    core::Id chain = 0;
    Consent consent;
    core::Timestamp now;
    std::string refresh_token;
};

/// Why there is no token.
enum class Denial : std::uint8_t {
    unknown,   ///< there is no such code or token, or it has ended
    mismatch,  ///< it is another client's, or not for what was sent with it
    replayed,  ///< it was used before: its chain has ended now
};

/// The result of the use of a code or a refresh token.
struct Exchange {
    std::optional<IssuedChain> issued{};
    Denial denial = Denial::unknown;
    Consent replayed{};  ///< of what was replayed
    core::Id chain = 0;  ///< likewise
};

/// What is sent with a code.
struct CodeUse {
    std::string code;
    std::string client_id;
    std::string redirect_uri;
    std::string challenge;  ///< that follows from the verifier
    std::string resource;   ///< empty: what was consented to
};

/// What there is to say of a token that opens something.
struct LiveToken {
    Consent consent;
    core::Timestamp issued_at;
    core::Timestamp ends_at;
};

/// Thread-safe. Errors of all: core::DatabaseUnavailable, core::DatabaseBusy.
class OAuthStore {
   public:
    /// `writes` has sessions of role workforce_writer, `reads` of workforce_operator. `grace`: for so long a refresh
    /// token that was spent brings the same successor once more.
    OAuthStore(core::Database& writes, core::Database& reads, std::chrono::seconds grace)
        : writes_(writes), reads_(reads), grace_(grace) {}

    /// Adds a client before the log is told of it; false where too many are registered that nobody uses. `secret`:
    /// empty where it has none.
    boost::asio::awaitable<bool> add_client(std::string client_id, std::string secret);
    /// The log tells of the client by that id.
    boost::asio::awaitable<void> name_client(std::string client_id, core::Id id);
    /// Takes back a client of which the log was not told.
    boost::asio::awaitable<void> drop_client(std::string client_id);
    /// The client of that name; nothing where there is none.
    boost::asio::awaitable<std::optional<KnownClient>> find_client(std::string client_id);

    /// A client's document as it was fetched last; nothing where it never was.
    boost::asio::awaitable<std::optional<KnownDocument>> find_document(std::string client_id);
    /// Keeps a document that holds for so long; false where as many are kept as may be.
    boost::asio::awaitable<bool> put_document(std::string client_id, std::string doc, std::chrono::seconds fresh);

    /// Forgets a document that was withdrawn.
    boost::asio::awaitable<void> drop_document(std::string client_id);
    /// Has one hold for so long, though nobody could tell whether it does.
    boost::asio::awaitable<void> trust_document(std::string client_id, std::chrono::seconds fresh);

    /// Keeps a code, and that its client is used; false, and nothing is kept, where the session has ended.
    boost::asio::awaitable<bool> add_code(NewCode code);
    /// Begins the chain of a code. A code that comes again ends the chain that it began.
    boost::asio::awaitable<Exchange> use_code(CodeUse use);
    /// Goes on with the chain of a refresh token, which is spent. One that comes again ends its chain, past the grace.
    boost::asio::awaitable<Exchange> refresh(std::string token, std::string client_id, std::string resource);

    /// What a refresh token opens; nothing where that is nothing any more.
    boost::asio::awaitable<std::optional<LiveToken>> find_token(std::string token);
    /// What the chain is for; nothing where it has ended.
    boost::asio::awaitable<std::optional<Consent>> find_chain(core::Id chain);
    /// Ends the client's chain, or the one of its refresh token; access tokens of it go on to their own end. False
    /// where it is none of the client's, or has ended.
    boost::asio::awaitable<bool> end_chain(core::Id chain, std::string client_id);
    boost::asio::awaitable<bool> end_chain_of(std::string token, std::string client_id);

    /// Deletes what ended some time ago, some rows at a time.
    boost::asio::awaitable<void> prune();

   private:
    core::Database& writes_;
    core::Database& reads_;
    std::chrono::seconds const grace_;
};

}  // namespace workforce::workers
