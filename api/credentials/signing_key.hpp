// The key that tokens of the installation are signed with (ES256).
#pragma once

#include <string>
#include <string_view>

#include "core/connection.hpp"
#include "events/master_keys.hpp"

namespace workforce::api {

inline constexpr char const* kTokenAlgorithm = "ES256";

struct SigningKey {
    std::string id;           ///< `kid` of what it signs
    std::string private_key;  ///< PEM
};

/// Whether a text has the form of a signed token: three parts in base64url. No other may get to the library, whose
/// decoder looks up other bytes outside of its table.
bool is_token_text(std::string_view text);

/// The installation's signing key; makes it at the first call, and every 90 days another, which signs an hour later.
/// Its private part lies in the database sealed by a key derived from the master key. The session's role is
/// workforce_writer. Blocks. Errors: pqxx's; std::runtime_error when no master key opens what is stored, or OpenSSL
/// fails.
SigningKey signing_key(core::Connection& connection, events::MasterKeys const& keys);

/// Deletes keys all of whose tokens have ended. The session's role is workforce_writer. Blocks. Errors: pqxx's.
void prune_signing_keys(core::Connection& connection);

}  // namespace workforce::api
