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
using ResetAttempt = std::function<boost::asio::awaitable<std::optional<core::Problem>>(events::SandboxCounts before,
                                                                                        std::vector<core::Id> new_ids)>;

/// One reset, as all of its attempts have it.
struct ResetRun {
    commands::Context context;
    core::Id facility = 0;
    std::optional<events::SandboxSeed> seed{};
    std::optional<commands::Idempotency> idempotency{};
};

/// Runs one reset of the facility's sandbox: `attempt`, and again each time that some of a great many rows were deleted
/// before it. Returns nothing once it ran, whatever the last attempt was told; else the refusal, since another reset of
/// the facility, or one with the same idempotency key, runs in this process, which as the owner of the organization's
/// partition runs all of them. Thread-safe. Errors: as IdBlocks::take.
boost::asio::awaitable<std::optional<core::Problem>> run_reset(commands::Processor& processor, ResetRun run,
                                                               ResetAttempt attempt);

}  // namespace workforce::operations
