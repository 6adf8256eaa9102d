// The tokens of API keys: how they are made and recognised.
#pragma once

#include <string>
#include <string_view>

#include "events/api_key.hpp"

namespace workforce::events {

/// A new key's secret: the token to show once, what to store, and what people may see of it.
struct KeySecret {
    std::string id;  ///< names it, in events and beside the log
    std::string token;
    std::string digest;  ///< SHA-256 of the token, binary
    ApiKeySecretHint hint;
};
/// Makes a token of the type's prefix, 43 base62 characters and a checksum of 6.
KeySecret make_key_secret(ApiKeyType type);

/// Whether the text begins as tokens of this platform do, so that it may be one.
bool begins_as_key(std::string_view text);

/// Whether the text is a token that this platform could have made: prefix, length and checksum. Needs no look-up.
bool is_well_formed_key(std::string_view token);

}  // namespace workforce::events
