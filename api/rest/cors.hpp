// Scripts of other origins (CORS, the Fetch standard): which routes they may ask is a trait of the row.
#pragma once

#include <optional>

#include "api/rest/route.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The answer to a browser that asks whether a script may ask a route; nothing for any other request, and for a path
/// whose routes are for scripts of no other origin.
std::optional<net::Reply> answer_preflight(net::Request const& request, Router const& router);

/// Lets scripts of every origin read the answer, without cookies.
void add_cors_headers(net::Reply& reply);

/// The answer to a preflight for the MCP host, whose script may ask; and what lets it read an answer. `origin` is one
/// that Hosts::allows_origin() takes.
net::Reply mcp_preflight(std::string_view origin);
void allow_origin(net::Reply& reply, std::string_view origin);

}  // namespace workforce::api
