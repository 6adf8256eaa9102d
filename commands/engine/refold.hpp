// Folding from the log what no row tells.
#pragma once

#include <functional>

#include "commands/engine/state_store.hpp"
#include "events/keyring.hpp"
#include "events/log/log.hpp"

namespace workforce::commands {

/// Puts in the place of rows that lack a skipped event what the partition's log says of their resources up to position
/// `last`; one that it does not tell of by then leaves. Reads the partition once from its beginning, and nothing where
/// no row lacks any; `go_on` is asked now and then, and ends that when false. Returns how many rows lacked one. Blocks.
/// Errors: as EventLog::scan; UnknownEvent, DamagedEvent.
std::size_t refold_lacking(Found& found, events::EventLog& log, events::Keyring& keyring, int partition,
                           std::int64_t last, std::function<bool()> const& go_on);

}  // namespace workforce::commands
