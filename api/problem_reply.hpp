// Refusals as REST answers: text, status and headers.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "net/http.hpp"
#include "operations/operation.hpp"

namespace workforce::api {

/// The whole answer in that form, with its headers.
net::Reply problem_reply(core::Problem const& problem, std::string_view request_id, std::string_view base_url,
                         operations::ErrorForm form = operations::ErrorForm::envelope);

/// Adds what a refusal says in headers: Retry-After for what is busy or away, not what a retry can't mend, and
/// WWW-Authenticate for 401 (RFC 9110 11.6.1, RFC 6749 5.2).
void add_problem_headers(net::Reply& reply, core::Code code, std::string_view base_url,
                         operations::ErrorForm form = operations::ErrorForm::envelope);

/// The problem behind a request that the server could not read whole. `max_body`: bytes that its route takes.
core::Problem fault_problem(net::RequestFault fault, std::uint64_t max_body = operations::kMaxBody);

/// Tells an OAuth client which scopes the operation takes that it lacks (RFC 6750 3.1), and the one of the permission
/// that the refusal's details name, for a handler may ask for more than its row. `metadata`: the address of the
/// resource's own.
void add_scope_challenge(net::Reply& reply, operations::Operation const& operation, std::string_view metadata);

}  // namespace workforce::api
