// GET /requests: what people asked for and a planner decides.
#include <array>

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
        content, "claims", {.operation = "shift_claims.list", .parameters = {{"status", "pending"}, {"limit", "50"}}},
        {{"staffId", NamedMember::What::person, "person"}, {"shiftId", NamedMember::What::shift, "shift"}});
    co_await names.add_list(
        content, "swaps",
        {.operation = "shift_swaps.list", .parameters = {{"status", "pending_approval"}, {"limit", "50"}}},
        {{"staffId", NamedMember::What::person, "person"},
         {"shiftId", NamedMember::What::shift, "shift"},
         {"otherStaffId", NamedMember::What::person, "other_person"},
         {"otherShiftId", NamedMember::What::shift, "other_shift"}});
    co_await names.add_list(content, "time_off",
                            {.operation = "time_off.list", .parameters = {{"status", "pending"}, {"limit", "50"}}},
                            {{"staffId", NamedMember::What::person, "person"}});
}

core::Result<Question> decide_claim(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"yes", "shift_claims.approve"},
                                         Choice{"no", "shift_claims.decline", true}};
    return chosen_question(call, fields, kChoices);
}
core::Result<Question> decide_swap(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"yes", "shift_swaps.approve"},
                                         Choice{"no", "shift_swaps.reject", true}};
    return chosen_question(call, fields, kChoices);
}
core::Result<Question> decide_time_off(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"yes", "time_off.approve"}, Choice{"no", "time_off.decline", true}};
    return chosen_question(call, fields, kChoices);
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
