// GET /approvals: calls of tools that wait for a person, and what became of others.
#include <array>

#include "operations/dashboard/pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

boost::asio::awaitable<void> fill_approvals(Call& call, PageContent& content) {
    // Those who may approve may reject, and whoever asked may withdraw.
    auto const mark = [user = call.caller->user.id](core::JsonValue& row, Allocator& allocator) {
        bool const own = row["requestedBy"]["userId"] == user;
        row.AddMember("canReject", own || row["canApprove"].IsTrue(), allocator);
    };
    co_await content.add_rows(
        "pending", {.operation = "approvals.list", .parameters = {{"status", "pending"}, {"limit", "50"}}}, mark);
    co_await content.add("decided", {.operation = "approvals.list",
                                     .parameters = {{"status", "approved,rejected,expired"}, {"limit", "20"}}});
}

core::Result<Question> decide_approval(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"approve", "ai_actions.approve"},
                                         Choice{"reject", "ai_actions.reject", true}};
    return chosen_question(call, fields, kChoices);
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
              .done = "It is decided.",
              .shows_answer = true,
              .question = decide_approval}}};
}

}  // namespace workforce::operations
