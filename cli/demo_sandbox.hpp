// The sandbox of the demo customer, so that it has rows from the start.
#pragma once

#include <string>

#include "core/config.hpp"

namespace workforce::cli {

/// Fills the sandbox of the first facility that the demo's file names, once: what was ever reset stays as it is.
/// Through the running service where there is one. No file, no reset. What stands in the way, as a service of the
/// release before does, is told in a line: the next call tries again. Blocks.
void fill_demo_sandbox(core::Config const& config, std::string const& file);

}  // namespace workforce::cli
