// Calls of tools as calls of operations, for every way in.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <variant>

#include "operations/tools/tool_gate.hpp"

namespace workforce::operations {

/// A call of a tool that check_tool_access() and check_arguments() allow. What it refers to outlives the call.
struct ToolRequest {
    Tool const& tool;
    core::JsonValue const& arguments;      ///< an object
    std::shared_ptr<Caller const> caller;  ///< with the rights that hold for tools
    ToolContext context{};
    /// Request id, idempotency, and of the cause what its adapter knows: the dedupe key, the run. The runner adds
    /// channel and tool.
    CallMeta meta;
};

/// What came of a call: its outcome, or that it waits for a person.
struct ToolResult {
    std::variant<Outcome, ToolDeferral> what;
    bool stale = false;    ///< as Call
    Id organization = 0;   ///< that it was about; 0: not known, or all of them
    bool sandbox = false;  ///< that it was about
};

/// The caller with the rights that hold for tools.
std::shared_ptr<Caller const> const& acting_caller(std::shared_ptr<Caller const> const& caller);

/// A tool's call as its operation's, about its organization. Errors: VALIDATION_ERROR for an id that is none; as
/// resolve_target(), by unless_behind().
boost::asio::awaitable<core::Result<Call>> prepare_tool_call(Services& services, ToolRequest const& request);

/// Prepares the call, has check_tool_call() judge it by the guardrails of its organization, and performs it where it
/// goes on. Refusals of the three are
/// outcomes. What was answered under the request's idempotency key before is told again, whatever policies say since.
/// `perform` is called where the call goes on, and only there; nothing: the process that writes the partition carries
/// it out (Services::perform). Throws what looks things up, and handlers, do.
boost::asio::awaitable<ToolResult> run_tool(Services& services, ToolRequest request, PerformCall perform = {});

}  // namespace workforce::operations
