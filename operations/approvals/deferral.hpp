// Calls of tools that wait for a person from now on.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "commands/approval.hpp"
#include "operations/tools/tool_runner.hpp"

namespace workforce::operations {

/// The status of an outcome that tells that the call waits.
inline constexpr std::uint16_t kWaitsStatus = 202;

/// What a call that is to wait says of itself, where its caller and channel are known. `arguments` are the tool's.
commands::ApprovalRequest approval_request_of(Caller const& caller, Tool const& tool, core::JsonValue const& arguments,
                                              ToolDeferral const& deferral);

/// Has the call wait: the outcome tells the client that it does, {status: "pending_approval", approvalId, expiresAt,
/// tool}, or why it can't. `session` is the client's Mcp-Session-Id, or empty; `perform` as run_tool() takes it.
/// Errors: as resolve_target(); NOT_FOUND for a target that is not there.
boost::asio::awaitable<Outcome> defer_tool_call(Services& services, ToolRequest const& request,
                                                ToolDeferral const& deferral, std::string_view session,
                                                PerformCall const& perform = {});

/// The operation by which the owner of the partition records it.
std::vector<Operation> deferral_operations();

}  // namespace workforce::operations
