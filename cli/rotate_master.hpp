// `workforce keys rotate-master`: puts a new master key in the place of the one in use, beside running services.
#pragma once

#include <string>

#include "core/config.hpp"

namespace workforce::cli {

/// Makes the key in `file` the master key and seals anew what the former one sealed. Called again, it finishes what was
/// interrupted. Returns the exit code. Errors: std::runtime_error with one line for the operator.
int rotate_master(core::Config const& config, std::string const& file);

}  // namespace workforce::cli
