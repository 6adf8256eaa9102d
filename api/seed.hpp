// `workforce seed`: the bootstrap of an installation, through ordinary commands, once.
#pragma once

#include <string>

#include "core/config.hpp"

namespace workforce::api {

/// Makes the internal organization with its first administrator; with `demo` also a customer with facilities, staff and
/// shifts, and keys for it. Writes what developers need to `out` (mode 0600) when given. Repeated, it makes nothing,
/// and brings the addresses in `out` up to date. Blocks. Errors: std::runtime_error with one line.
void seed(core::Config const& config, bool demo, std::string const& out);

}  // namespace workforce::api
