// GET /me: a person's own shifts, time off and calendar; programs that act for them, and their sessions.
#include "core/json_values.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kOwnPage = "pages.own";

/// Adds the person's time off; what can still be cancelled stands.
boost::asio::awaitable<void> add_time_off(Call& call, PageContent& content, std::string staff) {
    auto const outcome =
        co_await ask(call, {.operation = "time_off.list",
                            .parameters = {{"staffId", std::move(staff)}, {"sort", "-startDate"}, {"limit", "20"}}});
    if (outcome.status >= 300) co_return;
    auto document = core::parse_json(outcome.body);
    for (auto& row : (*document)["data"].GetArray()) {
        bool const standing = row["status"] == "pending" || row["status"] == "approved";
        row.AddMember("standing", standing, document->GetAllocator());
    }
    content.add_json("time_off", core::json_of(*document));
}

boost::asio::awaitable<void> fill_own(Call& call, PageContent& content) {
    auto const staff = call.caller->user.staffId.value.value_or(0);
    content.add_json("no_staff", staff == 0 ? "true" : "false");
    content.add_rights({"shifts.acknowledge", "time_off.create"});
    co_await content.add("grants", {.operation = "oauth.grants"});
    co_await content.add("sessions", {.operation = "auth.sessions"});
    if (staff == 0) co_return;
    auto const id = std::to_string(staff);
    auto const yesterday = core::Date{core::local_date(core::now(), "UTC").days - 1};
    co_await content.add(
        "shifts",
        {.operation = "shifts.list",
         .parameters = {{"staffId", id}, {"from", to_string(yesterday)}, {"sort", "startsAt"}, {"limit", "50"}}});
    co_await add_time_off(call, content, id);
}

core::Result<Question> share_calendar(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "calendars.share", .path = path_of(call.caller->user.staffId.value.value_or(0))};
}

core::Result<Question> ask_for_time_off(Call const& call, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("staffId", call.caller->user.staffId.value.value_or(0));
    for (auto const* name : {"type", "startDate", "endDate", "note"}) w.member(name, field(fields, name));
    w.end_object();
    return Question{.operation = "time_off.create", .body = w.take()};
}

}  // namespace

DashboardSection own_section() {
    return {{.name = kOwnPage,
             .path = "/me",
             .title = "Me",
             .summary = "One's own shifts, time off, programs and sessions",
             .text = templates::dashboard_own,
             .fill = fill_own},
            {{.name = "pages.acknowledge",
              .path = "/me/shifts/{id:int}/acknowledge",
              .summary = "Acknowledge one's own shift by the form",
              .page = kOwnPage,
              .done = "Your planner knows that you know.",
              .operation = "shifts.acknowledge"},
             {.name = "pages.share_calendar",
              .path = "/me/calendar",
              .summary = "Have an address for one's calendar by the form",
              .page = kOwnPage,
              .done = "Here is the address; the one before is no more.",
              .shows_answer = true,
              .question = share_calendar},
             {.name = "pages.ask_for_time_off",
              .path = "/me/time-off",
              .summary = "Ask for time off by the form",
              .page = kOwnPage,
              .done = "Your request is there.",
              .question = ask_for_time_off},
             {.name = "pages.cancel_time_off",
              .path = "/me/time-off/{id:int}/cancel",
              .summary = "Cancel one's own time off by the form",
              .page = kOwnPage,
              .done = "It is cancelled.",
              .operation = "time_off.cancel"},
             {.name = "pages.revoke_grant",
              .path = "/me/programs/{id:int}/revoke",
              .summary = "Let a program act for one no more, by the form",
              .page = kOwnPage,
              .done = "The program acts for you no more.",
              .operation = "oauth.revoke_grant"},
             {.name = "pages.end_session",
              .path = "/me/sessions/{id:int}/end",
              .summary = "End one of one's sessions by the form",
              .page = kOwnPage,
              .done = "The session is ended.",
              .operation = "auth.end_session"}}};
}

}  // namespace workforce::operations
