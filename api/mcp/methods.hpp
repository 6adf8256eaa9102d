// The methods of MCP besides the transport (domain 6.1, 6.2).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "api/mcp/tool_call.hpp"

namespace workforce::api::mcp {

/// Whether there is a method of the request's name in its era.
bool has_method(Exchange const& exchange);

/// Answers a request by its method. `diagnostics`: whether the conformance suite's tools are there. Errors:
/// method_not_found, which is HTTP 404 in the stateless era; as ToolCaller::call. Never throws.
boost::asio::awaitable<Answer> answer_method(Exchange& exchange, ToolCaller& tools, bool diagnostics);

/// The answer of GET /mcp/health.
std::string health_document();

}  // namespace workforce::api::mcp
