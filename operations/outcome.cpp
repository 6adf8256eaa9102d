// Refusals as text.
#include "operations/outcome.hpp"

#include "core/json.hpp"

namespace workforce::operations {

std::string render_problem(core::Problem const& problem, std::string_view request_id) {
    auto const& row = core::info(problem.code);
    core::JsonWriter w;
    w.begin_object();
    w.key("error");
    w.begin_object();
    w.member("message", problem.message);
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

Outcome refusal(core::Problem const& problem, std::string_view request_id) {
    Outcome outcome;
    outcome.status = core::info(problem.code).status;
    outcome.body = render_problem(problem, request_id);
    outcome.refused = problem.code;
    return outcome;
}

}  // namespace workforce::operations
