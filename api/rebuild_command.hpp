// `workforce rebuild`: read models anew from the log, with progress.
#pragma once

#include <string>
#include <vector>

#include "core/config.hpp"

namespace workforce::api {

/// Rebuilds the named read models (none: all). Refuses while a process serves this database. Blocks.
/// Errors: std::runtime_error, std::invalid_argument with one line.
void rebuild_command(core::Config const& config, std::vector<std::string> const& names);

}  // namespace workforce::api
