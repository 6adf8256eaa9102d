// Tools for the conformance suite of MCP, which do nothing of use. They are there only where `mcp_diagnostics` says so.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <span>
#include <string>
#include <string_view>

#include "api/mcp/tool_call.hpp"

namespace workforce::api::mcp {

struct DiagnosticTool {
    std::string_view name;
    std::string definition;  ///< as tools/list shows it
    boost::asio::awaitable<tl::expected<std::string, RpcError>> (*call)(Exchange&);
};

std::span<DiagnosticTool const> diagnostic_tools();
/// The one of that name, or null.
DiagnosticTool const* find_diagnostic(std::string_view name);

}  // namespace workforce::api::mcp
