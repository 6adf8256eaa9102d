// GET /approvals: calls of tools that wait for a person, and what became of others.
#include "operations/dashboard/pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

boost::asio::awaitable<void> fill_approvals(Call& /*call*/, PageContent& content) {
    co_await content.add("pending",
                         {.operation = "approvals.list", .parameters = {{"status", "pending"}, {"limit", "50"}}});
    co_await content.add("decided", {.operation = "approvals.list",
                                     .parameters = {{"status", "approved,rejected,expired"}, {"limit", "20"}}});
}

core::Result<Question> decide_approval(Call const& call, FormFields const& fields) {
    auto const decision = field(fields, "decision");
    if (decision == "approve") return Question{.operation = "ai_actions.approve", .path = call.input.path};
    if (decision != "reject") {
        return tl::unexpected(core::validation_problem({{"decision", "enum", "must be approve or reject"}}));
    }
    core::JsonWriter w;
    w.begin_object();
    if (auto const reason = field(fields, "reason"); !reason.empty()) w.member("reason", reason);
    w.end_object();
    return Question{.operation = "ai_actions.reject", .path = call.input.path, .body = w.take()};
}

}  // namespace

DashboardSection approvals_section() {
    return {{.name = "pages.approvals",
             .path = "/approvals",
             .title = "Approvals",
             .summary = "Calls that wait for a person",
             .needs = "approvals.list",
             .text = templates::dashboard_approvals,
             .fill = fill_approvals},
            {{.name = "pages.decide_approval",
              .path = "/approvals/{id:int}",
              .summary = "Approve or reject a call by the form",
              .page = "pages.approvals",
              .done = "It is decided; what came of the call stands below.",
              .question = decide_approval}}};
}

}  // namespace workforce::operations
