// Second factors of people (RFC 6238), beside the log: the secret that their program shares with us, sealed, and codes
// for who lost it, as SHA-256.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/database.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::workers {

inline constexpr int kRecoveryCodes = 10;

/// What came of a code that was given with a right password.
enum class SecondFactor : std::uint8_t {
    none,     ///< the account has no second factor
    lacking,  ///< it has one, and no code was given
    wrong,    ///< the code is not of now, or was used before
    right,
};

/// Thread-safe. Errors of all: core::DatabaseUnavailable, core::DatabaseBusy.
class MfaStore {
   public:
    /// `writes` has sessions of role workforce_writer; secrets are sealed by what follows from `secret`.
    MfaStore(core::Database& writes, std::string_view secret);

    /// Judges a code, of the program or for recovery; one that is right is used up.
    boost::asio::awaitable<SecondFactor> check(AccountRef whom, std::optional<std::string> code);
    /// A new secret, which counts once it is confirmed; nothing where the account has one that is.
    boost::asio::awaitable<std::optional<std::string>> enrol(AccountRef whom);
    /// Confirms the secret by a code of the program: from now on signing in takes one. Returns codes for recovery;
    /// nothing where the code is wrong, or nothing waits to be confirmed. The log is told.
    boost::asio::awaitable<std::optional<std::vector<std::string>>> confirm(AccountRef whom, std::string code,
                                                                            Origin origin);
    /// Signing in takes no code any more. The log is told, unless `silently`.
    boost::asio::awaitable<void> remove(AccountRef whom, Origin origin, bool silently = false);

   private:
    core::Database& writes_;
    std::string const key_;
};

/// The six digits of a secret's step (RFC 4226 5.3). Pure.
std::string totp_code(std::string_view secret, std::int64_t step);
/// As programs take a secret (RFC 4648 6), without padding. Pure.
std::string base32_encode(std::string_view data);

}  // namespace workforce::workers
