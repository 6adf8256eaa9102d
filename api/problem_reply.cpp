// Refusals with status and headers.
#include "api/problem_reply.hpp"

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/json_values.hpp"
#include "operations/outcome.hpp"

namespace workforce::api {

using core::Code;

using operations::ErrorForm;

namespace {

/// The scope of the permission that a refusal names in its details, of REST or of MCP; "" where it names none.
std::string_view lacking_scope(std::string_view body) {
    auto const document = core::parse_json(body);
    if (!document) return {};
    auto const* error = core::find_member(&*document, "error");
    if (auto const* data = core::find_member(error, "data")) error = data;
    auto const* const name = core::find_member(core::find_member(error, "details"), "permission");
    if (name == nullptr || !name->IsString()) return {};
    auto const permission = core::Permission::named({name->GetString(), name->GetStringLength()});
    return permission ? core::least_scope(*permission) : std::string_view();
}

}  // namespace

net::Reply problem_reply(core::Problem const& problem, std::string_view request_id, std::string_view base_url,
                         ErrorForm form) {
    net::Reply reply;
    reply.status = core::info(problem.code).status;
    reply.body = operations::render_problem(problem, request_id, form);
    reply.content_type = operations::info(operations::media_type_of(form)).content_type;
    add_problem_headers(reply, problem.code, base_url, form);
    return reply;
}

void add_problem_headers(net::Reply& reply, Code code, std::string_view base_url, ErrorForm form) {
    auto const status = core::info(code).status;
    if (status == 503 || code == Code::idempotency_in_progress) reply.headers.emplace_back("Retry-After", "1");
    if (status == 401 && form == ErrorForm::oauth) {
        reply.headers.emplace_back("WWW-Authenticate", "Basic realm=\"clients\"");
    } else if (status == 401) {
        reply.headers.emplace_back("WWW-Authenticate", "Bearer resource_metadata=\"" + std::string(base_url) +
                                                           "/.well-known/oauth-protected-resource\"");
    }
}

void add_scope_challenge(net::Reply& reply, operations::Operation const& operation, std::string_view metadata) {
    auto scopes = operations::needed_scopes(operation);
    auto const lacking = lacking_scope(reply.body);
    auto const padded = ' ' + scopes + ' ';
    if (!lacking.empty() && padded.find(fmt::format(" {} ", lacking)) == std::string::npos) {
        scopes.append(scopes.empty() ? "" : " ").append(lacking);
    }
    reply.headers.emplace_back(
        "WWW-Authenticate",
        fmt::format(R"(Bearer error="insufficient_scope", scope="{}", resource_metadata="{}")", scopes, metadata));
}

core::Problem fault_problem(net::RequestFault fault, std::uint64_t max_body) {
    switch (fault) {
        case net::RequestFault::headers_too_large:
            return {Code::headers_too_large, "The header fields take more than 16 KiB."};
        case net::RequestFault::target_too_long:
            return {Code::uri_too_long, "The request target takes more than 8 KiB."};
        case net::RequestFault::body_too_large:
            return {Code::payload_too_large,
                    fmt::format("The body is larger than the {} KiB that this route takes.", max_body / 1024),
                    fmt::format(R"({{"maxBytes":{}}})", max_body)};
        case net::RequestFault::timed_out:
            return {Code::request_timeout, "The request did not arrive in time."};
        case net::RequestFault::overloaded:
            return {Code::service_unavailable, "The server has as many connections or bodies at hand as it may."};
        case net::RequestFault::malformed:
        case net::RequestFault::none:
            break;
    }
    return {Code::validation_error, "The request is not valid HTTP.", R"({"reason":"malformed_request"})",
            "Send a request that RFC 9112 takes."};
}

}  // namespace workforce::api
