// Refusals as the client reads them: the one place where a Problem becomes a status and the error envelope (spec 2.10).
#pragma once

#include <string>
#include <string_view>

#include "api/http.hpp"
#include "core/result.hpp"

namespace workforce::api {

/// The envelope's JSON text.
std::string render_problem(core::Problem const& problem, std::string_view request_id);

/// The whole answer, with Retry-After where a retry makes sense and WWW-Authenticate for 401.
Reply problem_reply(core::Problem const& problem, std::string_view request_id, std::string_view base_url);

/// Whether the answer tells the client when to come again: what is busy or away, not what a retry can't mend.
bool wants_retry_after(core::Code code);

/// The problem behind a request that the server could not read whole.
core::Problem fault_problem(RequestFault fault);

}  // namespace workforce::api
