// Resetting sandboxes, whoever asks.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "commands/engine/processor.hpp"
#include "commands/sandbox.hpp"

namespace workforce::operations {

/// Submits a reset that counts what was deleted before it and has these ids for what it makes; gives why it was
/// refused, if it was.
using ResetAttempt = std::function<boost::asio::awaitable<std::optional<core::Code>>(events::SandboxCounts before,
                                                                                     std::vector<core::Id> new_ids)>;

/// Runs one reset of the facility's sandbox: `attempt`, and again each time that some of a great many rows were deleted
/// before it. False: another one of the facility runs in this process, which as the owner of the organization's
/// partition runs all of them. `context` is that of the attempts. Thread-safe. Errors: as IdBlocks::take.
boost::asio::awaitable<bool> run_reset(commands::Processor& processor, commands::Context context, core::Id facility,
                                       ResetAttempt attempt);

/// The refusal where another one runs.
core::Problem reset_is_running();

}  // namespace workforce::operations
