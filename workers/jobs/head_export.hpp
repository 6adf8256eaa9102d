// Signed heads to a file from time to time: what later proves that the log was not cut or rewritten.
#pragma once

#include <string>

#include "core/config.hpp"
#include "events/log/log.hpp"
#include "events/master_keys.hpp"

namespace workforce::workers {

/// Appends every partition's signed head to the file `heads_file`. Blocks. Errors: std::exception of what failed.
void export_heads(events::EventLog& log, core::Config const& config, events::MasterKeys const& keys);

}  // namespace workforce::workers
