// From the Authorization header to a caller: API keys as bearer tokens.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/batcher.hpp"
#include "core/database.hpp"
#include "core/result.hpp"
#include "operations/caller.hpp"

namespace workforce::api {

using core::Id;
using operations::Caller;

/// A new key's secret: the token to show once, what to store, and what people may see of it.
struct KeySecret {
    std::string token;
    std::string digest;  ///< SHA-256 of the token, binary
    events::ApiKeySecretHint hint;
};
/// Makes a token of the type's prefix, 43 base62 characters and a checksum of 6.
KeySecret make_key_secret(events::ApiKeyType type);

/// Whether the text is a token that this platform could have made: prefix, length and checksum. Needs no look-up.
bool is_well_formed_key(std::string_view token);

/// How long a key that was looked up is trusted: from so long after its secret was marked as revoked no process takes
/// it.
inline constexpr std::chrono::milliseconds kKeyTrust{1000};

/// Statements that look up tokens at a time, so that one session that hangs does not keep all from being looked up; who
/// makes an Authenticator gives it a pool of as many sessions, which nothing slow shares.
inline constexpr std::size_t kKeySessions = 2;

/// Authenticates requests. Thread-safe. A key that was looked up is trusted for kKeyTrust, which is how fast a
/// revocation made elsewhere holds, whatever read models do; its own partition refuses it at once. Keys are looked up
/// by few statements at a time, however many requests bring however many tokens: it comes before all that counts an
/// organization's requests.
class Authenticator {
   public:
    explicit Authenticator(core::Database& database);

    /// The caller behind an Authorization header (nothing: none was sent).
    /// Errors: UNAUTHENTICATED for a missing, unknown kind of, expired or revoked credential; INVALID_API_KEY for a
    /// token that is no key of ours. Throws core::DatabaseUnavailable.
    boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> authenticate(
        std::optional<std::string_view> header);

    /// Ends what waits for a look-up with core::DatabaseUnavailable. Call it while the callers' io_contexts still
    /// exist.
    void stop();

   private:
    using Clock = std::chrono::steady_clock;
    using Outcome = core::Result<std::shared_ptr<Caller const>>;
    struct Entry {
        Outcome outcome;
        Clock::time_point fetched;
        bool refreshing = false;
    };

    /// A key's row, its user's and its organization's, each as far as the read models have it; and whether its secret
    /// says that it was revoked, which no read model decides.
    struct Stored {
        bool revoked = false;
        std::optional<std::string> key;
        std::optional<std::string> user;
        std::optional<std::string> organization;
    };
    static core::Result<std::shared_ptr<Caller const>> caller_of(Stored const& stored);

    boost::asio::awaitable<std::vector<std::optional<Stored>>> find_all(std::vector<std::string> digests);

    std::optional<Outcome> cached(std::string const& digest);
    boost::asio::awaitable<Outcome> look_up(std::string digest);
    /// What the tables say of the token; nothing while its secret is stored but the read model lacks the key.
    boost::asio::awaitable<std::optional<Outcome>> find(std::string digest);

    core::Database& database_;
    core::Batcher<std::string, std::optional<Stored>> finder_;  // by digest
    std::mutex mutex_;
    std::unordered_map<std::string, Entry> entries_;
};

}  // namespace workforce::api
