// GET /timesheets/{id}: a log of work, and what may become of it.
#include <algorithm>
#include <array>

#include "core/json_values.hpp"
#include "operations/dashboard/credential_forms.hpp"
#include "operations/dashboard/work_forms.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kTimesheetPage = "pages.timesheet";
constexpr std::string_view kChangeLog = "pages.change_timesheet";

/// Adds what the state and the caller's rights allow (domain 2.3).
void add_log_offers(Call& call, PageContent& content, core::JsonValue const& log) {
    auto const& caller = *call.caller;
    std::string_view const status = log["status"].GetString();
    auto const offer = [&](std::string_view member, std::string_view operation, bool fits) {
        content.add_json(member, fits && may_ask(caller, operation) ? "true" : "false");
    };
    bool const waits = status == "submitted";
    bool const open = status == "open";
    bool const counts = waits || open || status == "approved" || status == "rejected";
    offer("ends", "timesheets.clock_out", open && log["clockOut"].IsNull());
    offer("submits", "timesheets.submit", open && !log["clockOut"].IsNull());
    offer("approves", "timesheets.approve", waits && may_approve_log(caller, log));
    offer("rejects", "timesheets.reject", waits);
    offer("unapproves", "timesheets.unapprove", status == "approved");
    offer("voids", "timesheets.void", counts);
}

/// Whether the caller may change the log: one of their own alone while it is open.
bool may_change_log(Caller const& caller, std::string_view status) {
    if (!may_ask(caller, "timesheets.update")) return false;
    if (status == "open") return true;
    return caller.permits("timesheets.edit") && (status == "submitted" || status == "rejected");
}

/// Adds the breaks as sentences, by the facility's clocks.
void add_breaks_taken(PageContent& content, core::JsonValue const& breaks, std::string_view zone) {
    std::vector<std::string> told;
    for (auto const& each : breaks.GetArray()) {
        told.push_back(fmt::format("{} to {}, {}", wall_clock(each["start"], zone), wall_clock(each["end"], zone),
                                   each["paid"].IsTrue() ? "paid" : "not paid"));
    }
    content.add_json("breaks_shown", told.empty() ? "false" : "true");
    content.add_json("breaks", core::to_json(told));
}

awaitable<void> fill_timesheet(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    content.add_text("log_id", std::to_string(id));
    auto const found = co_await content.add_subject("log", {.operation = "timesheets.get", .path = path_of(id)});
    if (!found) co_return;
    auto const& log = *found;
    RowNames names(call);
    auto const person = co_await names.person(log["staffId"].GetInt64());
    auto const place = log["facilityId"].GetInt64();
    auto const facility = co_await names.name(NamedMember::What::facility, place);
    auto const zone = co_await names.zone(place);
    content.set_title(fmt::format("{}, {}", person, log["date"].GetString()));
    content.add_text("person", person);
    content.add_text("facility", facility);
    content.add_text("zone", zone);
    content.add_text("began", wall_clock(log["clockIn"], zone));
    content.add_text("ended", wall_clock(log["clockOut"], zone));
    content.add_text("hours", hours_text(log["workedMinutes"]));
    content.add_text("overtime", hours_text(log["overtimeMinutes"]));
    content.add_text("pay", money_text(log["rate"]));
    content.add_text("gross", money_text(log["grossAmount"]));
    if (log["shiftId"].IsInt64()) content.add_text("shift", co_await names.shift(log["shiftId"].GetInt64()));
    if (log["approvedBy"].IsInt64())
        content.add_text("approver", co_await names.name(NamedMember::What::user, log["approvedBy"].GetInt64()));
    add_breaks_taken(content, log["breaks"], zone);
    add_log_offers(call, content, log);
    if (!may_change_log(*call.caller, log["status"].GetString())) co_return;
    auto const shape = log_form(kChangeLog);
    content.add_json("change", shown_form(call, shape, held_fields(shape, log, zone)));
}

core::Result<Question> change_log(Call const& call, FormFields const& fields) {
    return body_from(log_form(kChangeLog), fields).map([&](std::string body) {
        return Question{.operation = "timesheets.update", .path = call.input.path, .body = std::move(body)};
    });
}

core::Result<Question> decide_log(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{
        Choice{"clock_out", "timesheets.clock_out"}, Choice{"submit", "timesheets.submit"},
        Choice{"approve", "timesheets.approve"},     Choice{"reject", "timesheets.reject", true},
        Choice{"unapprove", "timesheets.unapprove"}, Choice{"void", "timesheets.void"}};
    return chosen_question(call, fields, kChoices);
}

}  // namespace

DashboardSection timesheet_section() {
    return {{.name = kTimesheetPage,
             .path = "/timesheets/{id:int}",
             .title = "Timesheet",
             .summary = "A log of work",
             .needs = "timesheets.get",
             .in_menu = false,
             .text = templates::dashboard_timesheet,
             .fill = fill_timesheet},
            {{.name = kChangeLog,
              .path = "/timesheets/{id:int}",
              .summary = "Correct a timesheet by the form",
              .page = kTimesheetPage,
              .done = "The timesheet is changed.",
              .of_version = true,
              .question = change_log},
             {.name = "pages.decide_timesheet",
              .path = "/timesheets/{id:int}/decide",
              .summary = "Clock out, submit, approve, reject or void a timesheet by the form",
              .page = kTimesheetPage,
              .done = "It is done.",
              .of_version = true,
              .question = decide_log}}};
}

}  // namespace workforce::operations
