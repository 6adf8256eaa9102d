// Which engine keeps the log: the one place that knows them all.
#pragma once

#include <cstdint>
#include <memory>

#include "core/config.hpp"
#include "events/log.hpp"

namespace workforce::events {

/// Who opens a log.
enum class Opener : std::uint8_t {
    command,  ///< ends soon, and says itself what went wrong
    service,  ///< logs what the engine's client says
};

/// Opens the log that the configuration names. Blocks, and logs when that takes long.
/// Errors: LogUnavailable, LogUnfit; std::runtime_error when it was not made yet. Each is one line for the operator.
std::unique_ptr<EventLog> open_log(core::Config const& config, Opener opener = Opener::command);

/// Makes the log that the configuration names, with its partitions; what is there stays. Blocks.
/// Errors: as open_log, and std::runtime_error when it has another number of partitions.
void create_log(core::Config const& config);

}  // namespace workforce::events
