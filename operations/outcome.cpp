// Refusals as text.
#include "operations/outcome.hpp"

#include <fmt/format.h>

#include "core/excerpt.hpp"
#include "core/json.hpp"
#include "operations/pages/page.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMostMessageBytes = 2000;  // of a refusal's text, which may repeat what was sent

std::string envelope(core::Problem const& problem, std::string_view request_id) {
    auto const& row = core::info(problem.code);
    core::JsonWriter w;
    w.begin_object();
    w.key("error");
    w.begin_object();
    w.member("message", core::excerpt(problem.message, kMostMessageBytes));
    w.member("code", row.name);
    if (!problem.details.empty()) {
        w.key("details");
        w.raw(problem.details);
    }
    w.member("suggestion", problem.suggestion.empty() ? row.suggestion : std::string_view(problem.suggestion));
    w.member("retryable", row.retryable);
    w.end_object();
    w.member("requestId", request_id);
    w.end_object();
    return w.take();
}

/// What RFC 6749 calls a refusal that an endpoint does not name itself.
std::string_view oauth_code(std::uint16_t status) {
    if (status == 401) return "invalid_client";
    if (status == 403) return "unauthorized_client";
    if (status == 503 || status == 429) return "temporarily_unavailable";
    return status >= 500 ? "server_error" : "invalid_request";
}

std::string oauth_error(core::Problem const& problem) {
    // RFC 6749 5.2 has a description of these characters alone.
    std::string description = core::excerpt(problem.message, kMostMessageBytes);
    for (char& c : description) {
        if (c == '"' || c == '\\') c = '\'';
        if (c < ' ' || c > '~') c = '?';
    }
    core::JsonWriter w;
    w.begin_object();
    w.member("error", oauth_code(core::info(problem.code).status));
    w.member("error_description", description);
    w.end_object();
    return w.take();
}

std::string page(core::Problem const& problem, std::string_view request_id) {
    auto const& row = core::info(problem.code);
    auto const suggestion = problem.suggestion.empty() ? row.suggestion : std::string_view(problem.suggestion);
    return message_page("That was not done", core::excerpt(problem.message, kMostMessageBytes), suggestion, request_id);
}

}  // namespace

std::string render_problem(core::Problem const& problem, std::string_view request_id, ErrorForm form) {
    switch (form) {
        case ErrorForm::oauth:
            return oauth_error(problem);
        case ErrorForm::page:
            return page(problem, request_id);
        case ErrorForm::envelope:
            break;
    }
    return envelope(problem, request_id);
}

MediaType media_type_of(ErrorForm form) { return form == ErrorForm::page ? MediaType::html : MediaType::json; }

Outcome refusal(core::Problem const& problem, std::string_view request_id, ErrorForm form) {
    Outcome outcome;
    outcome.status = core::info(problem.code).status;
    outcome.body = render_problem(problem, request_id, form);
    outcome.refused = problem.code;
    outcome.retry_after = problem.retry_after;
    return outcome;
}

}  // namespace workforce::operations
