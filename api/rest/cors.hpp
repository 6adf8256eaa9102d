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

}  // namespace workforce::api
