// `workforce keys`: makes and revokes API keys, through the running service where there is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "events/api_key.hpp"

namespace workforce::api {

/// Makes a key and prints it as JSON, once. Blocks. Errors: std::runtime_error with one line.
void create_key_command(core::Config const& config, core::Id organization, events::ApiKeyDetails key);
/// Revokes a key and prints it as JSON. Errors as above.
void revoke_key_command(core::Config const& config, core::Id organization, core::Id key);

}  // namespace workforce::api
