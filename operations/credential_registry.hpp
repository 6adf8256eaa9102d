// Registries that know whether a credential is good (domain 2.2).
#pragma once

#include <string_view>

#include "commands/credential.hpp"
#include "core/result.hpp"

namespace workforce::operations {

/// What the registry `registry_sim` says of a credential, which the number's end decides, so that each outcome can be
/// tried out: 0000 does not match, 9998 has expired, 9999 is UPSTREAM_ERROR, all others match. Pure; no network.
core::Result<commands::RegistryFinding> ask_simulated_registry(core::Id credential, std::string_view number);

}  // namespace workforce::operations
