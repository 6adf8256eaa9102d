// Sessions of people, beside the log: a cookie's value or a token opens what its row says.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "events/user.hpp"

namespace workforce::workers {

inline constexpr std::chrono::hours kSessionIdle{12};      ///< a cookie that is not used ends
inline constexpr std::chrono::hours kSessionLife{7 * 24};  ///< of a cookie, however often it is used
inline constexpr std::chrono::seconds kTokenLife{3600};    ///< of a token
inline constexpr int kMostSessions = 100;                  ///< of a user and a kind; a new one ends the oldest

/// From where somebody signs in, as the request said.
struct Origin {
    std::string address;
    std::string agent;
    std::string request_id;
};

/// A session as its user is shown it (domain 1.2).
struct Session {
    core::Id id = 0;
    core::Id userId = 0;
    events::SessionKind kind = events::SessionKind::cookie;
    core::Timestamp createdAt;
    core::Timestamp lastSeenAt;
    core::Timestamp expiresAt;  ///< unless it is used before
    std::string ip;
    std::string userAgent;
    bool current = false;  ///< it is the request's own
};
BOOST_DESCRIBE_STRUCT(Session, (), (id, userId, kind, createdAt, lastSeenAt, expiresAt, ip, userAgent, current))

/// A user, and their organization.
struct AccountRef {
    core::Id organization = 0;
    core::Id user = 0;
    bool operator==(AccountRef const&) const = default;
};

/// A session to be opened.
struct NewSession {
    AccountRef account;
    events::SessionKind kind = events::SessionKind::cookie;
    std::string secret;  ///< the cookie's value or the token
    Origin origin;
    std::string hash{};  ///< of the password that was right; empty: none was asked for
};

/// Opens a session and notes that for the log; what failed before is forgiven. Nothing where the password is another by
/// now, or the account was deactivated or erased. The session's role is workforce_writer. Blocks. Errors: pqxx's.
std::optional<Session> open_session(core::Connection& connection, NewSession const& session);

/// A cookie's value: 256 random bits and a checksum.
std::string make_session_secret();
/// Whether the text is a cookie's value that this platform could have made. Needs no look-up.
bool is_session_secret(std::string_view text);

/// Thread-safe. Errors of all: core::DatabaseUnavailable, core::DatabaseBusy.
class SessionStore {
   public:
    /// `writes` has sessions of role workforce_writer.
    explicit SessionStore(core::Database& writes) : writes_(writes) {}

    /// As open_session().
    boost::asio::awaitable<std::optional<Session>> open(NewSession session);
    /// The account's sessions, newest first.
    boost::asio::awaitable<std::vector<Session>> list(AccountRef account);
    /// Whether the account's session is open, and was opened within that time, as the database has it.
    boost::asio::awaitable<bool> opened_within(AccountRef account, core::Id session, std::chrono::seconds time);
    /// Ends a session of the account; false where it has none of that id.
    boost::asio::awaitable<bool> end(AccountRef account, core::Id session, Origin origin);
    /// Says that these were used now.
    boost::asio::awaitable<void> note_uses(std::vector<core::Id> sessions);
    /// Deletes those that ended by themselves some time ago.
    boost::asio::awaitable<void> prune();

   private:
    core::Database& writes_;
};

}  // namespace workforce::workers
