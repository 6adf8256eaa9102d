// Passwords, attempts to sign in, and links that set a password, beside the log.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "core/database.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::workers {

inline constexpr int kMostFailures = 5;  ///< within 15 minutes; then the account is locked for as long

/// An attempt to sign in that has begun: it counts as failed until it succeeds, or is undone.
struct Attempt {
    std::string account;   ///< what it counts for, of a name that nobody has as well
    AccountRef whom;       ///< 0: nobody has the name
    std::string hash;      ///< of the password; empty: there is none
    bool locked = false;   ///< nobody signs in now, whatever the password: it is not counted
    bool crowded = false;  ///< that is so because of others, of which it is not known yet whether they fail
    bool recent = false;   ///< the password was set moments ago
};

/// A user who has a name.
struct KnownAccount {
    AccountRef whom;
    bool has_password = false;
};

/// What a link is for.
enum class LinkPurpose : std::uint8_t { invite, reset };
BOOST_DESCRIBE_ENUM(LinkPurpose, invite, reset)

/// How long a link is good for.
inline constexpr std::chrono::hours kInviteLife{72};
inline constexpr std::chrono::hours kResetLife{1};

/// A link that is there to be used.
struct Link {
    std::string id;  ///< a UUID
    AccountRef whom;
};

/// Thread-safe. Names of accounts come as the digest that reserves them. Errors of all: core::DatabaseUnavailable,
/// core::DatabaseBusy.
class PasswordStore {
   public:
    /// `writes` has sessions of role workforce_writer. `link_secret` is what tokens of links are derived by.
    PasswordStore(core::Database& writes, std::string link_secret)
        : writes_(writes), link_secret_(std::move(link_secret)) {}

    /// Counts an attempt for whoever has the name, unless as many count as may.
    boost::asio::awaitable<Attempt> begin_attempt(std::string name_digest);
    /// The same for a user.
    boost::asio::awaitable<Attempt> begin_attempt(AccountRef whom);
    /// The attempt was not judged: it does not count.
    boost::asio::awaitable<void> undo(Attempt attempt);
    /// The password was wrong: the log is told. The last of kMostFailures locks the account.
    boost::asio::awaitable<void> fail(Attempt attempt, Origin origin);

    /// Whose name that is; nothing where it is nobody's.
    boost::asio::awaitable<std::optional<KnownAccount>> find(std::string name_digest);
    /// Stores the hash of a new user's password, or of one who has none. Replaces another.
    boost::asio::awaitable<void> put(AccountRef whom, std::string hash);
    /// Forgets password and links of a user who never came to be.
    boost::asio::awaitable<void> forget(AccountRef whom);
    /// Replaces the password; all sessions but one (0: all), links and locks end.
    boost::asio::awaitable<void> change(AccountRef whom, std::string hash, core::Id kept, Origin origin);

    /// Makes a link for the user, who gets it by mail; earlier ones end. It invites unless there is a password. It goes
    /// to the address that the user has at that version or later. Where there is one of a later version, none is made.
    /// `retried`: nor where there is one of that version, or a password, for the link was made and maybe used.
    boost::asio::awaitable<void> make_link(AccountRef whom, std::int64_t version = 0, bool retried = false);
    /// Sends an open invitation anew, to the address of that version or later, where events::mark_ends ended it with
    /// the former address. Idempotent.
    boost::asio::awaitable<void> move_links(AccountRef whom, std::int64_t version);
    /// A link for whoever has the name, if anybody, and as a rule none of the last minute.
    boost::asio::awaitable<void> make_reset(std::string name_digest);
    /// The link of that token; nothing for one that was used, has ended or never was.
    boost::asio::awaitable<std::optional<Link>> find_link(LinkPurpose purpose, std::string token);
    /// Uses the link up: sets the password, ends all sessions, links and locks. False where it was used meanwhile.
    boost::asio::awaitable<bool> use_link(Link link, std::string hash, Origin origin);

    /// The token of a link.
    [[nodiscard]] std::string token_of(std::string_view link) const;

   private:
    core::Database& writes_;
    std::string const link_secret_;
};

}  // namespace workforce::workers
