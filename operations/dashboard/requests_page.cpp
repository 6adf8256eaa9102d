// GET /requests: what people asked for and a planner decides.
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_names.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kRequestsPage = "pages.requests";

boost::asio::awaitable<void> fill_requests(Call& call, PageContent& content) {
    RowNames names(call);
    content.add_rights({"shift_claims.approve"});
    co_await names.add_list(
        content, "claims",
        {.operation = "shift_claims.list", .parameters = {{"status", "pending"}, {"limit", "50"}}},
        {{"staffId", false, "person"}, {"shiftId", true, "shift"}});
    co_await names.add_list(
        content, "swaps",
        {.operation = "shift_swaps.list", .parameters = {{"status", "pending_approval"}, {"limit", "50"}}},
        {{"staffId", false, "person"},
         {"shiftId", true, "shift"},
         {"otherStaffId", false, "other_person"},
         {"otherShiftId", true, "other_shift"}});
    co_await names.add_list(content, "time_off",
                            {.operation = "time_off.list", .parameters = {{"status", "pending"}, {"limit", "50"}}},
                            {{"staffId", false, "person"}});
}

/// What a form asks that says yes by one operation, and no, with a reason, by another one.
core::Result<Question> decided_by(Call const& call, FormFields const& fields, std::string_view yes,
                                  std::string_view no) {
    auto const decision = field(fields, "decision");
    if (decision == "yes") return Question{.operation = yes, .path = call.input.path};
    if (decision != "no") {
        return tl::unexpected(core::validation_problem({{"decision", "enum", "must be yes or no"}}));
    }
    core::JsonWriter w;
    w.begin_object();
    if (auto const reason = field(fields, "reason"); !reason.empty()) w.member("reason", reason);
    w.end_object();
    return Question{.operation = no, .path = call.input.path, .body = w.take()};
}

core::Result<Question> decide_claim(Call const& call, FormFields const& fields) {
    return decided_by(call, fields, "shift_claims.approve", "shift_claims.decline");
}
core::Result<Question> decide_swap(Call const& call, FormFields const& fields) {
    return decided_by(call, fields, "shift_swaps.approve", "shift_swaps.reject");
}
core::Result<Question> decide_time_off(Call const& call, FormFields const& fields) {
    return decided_by(call, fields, "time_off.approve", "time_off.decline");
}

}  // namespace

DashboardSection requests_section() {
    return {{.name = kRequestsPage,
             .path = "/requests",
             .title = "Requests",
             .summary = "What people asked for, and a planner decides",
             .needs = "time_off.approve",
             .text = templates::dashboard_requests,
             .fill = fill_requests},
            {{.name = "pages.decide_claim",
              .path = "/requests/shifts/{id:int}/claims/{claimId:int}",
              .summary = "Decide a claim of a shift by the form",
              .page = kRequestsPage,
              .done = "The claim is decided.",
              .question = decide_claim},
             {.name = "pages.decide_swap",
              .path = "/requests/swaps/{id:int}",
              .summary = "Decide a swap of shifts by the form",
              .page = kRequestsPage,
              .done = "The swap is decided.",
              .question = decide_swap},
             {.name = "pages.decide_time_off",
              .path = "/requests/time-off/{id:int}",
              .summary = "Decide a request for time off by the form",
              .page = kRequestsPage,
              .done = "The time off is decided.",
              .question = decide_time_off}}};
}

}  // namespace workforce::operations
