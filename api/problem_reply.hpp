// Refusals as REST answers: the envelope with its status and headers (spec 2.10).
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The whole answer, envelope and headers.
net::Reply problem_reply(core::Problem const& problem, std::string_view request_id, std::string_view base_url);

/// Adds what a refusal says in headers: Retry-After for what is busy or away, not what a retry can't mend, and
/// WWW-Authenticate for 401 (RFC 9110 11.6.1).
void add_problem_headers(net::Reply& reply, core::Code code, std::string_view base_url);

/// The problem behind a request that the server could not read whole.
core::Problem fault_problem(net::RequestFault fault);

}  // namespace workforce::api
