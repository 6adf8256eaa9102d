// GET /timesheets: logs of work, and approving several at once.
#include "core/json_values.hpp"
#include "operations/dashboard/credential_forms.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kTimesheetsPage = "pages.timesheets";
constexpr std::string_view kPick = "pick:";
constexpr std::string_view kPicked = "pickable";

std::vector<TableColumn> log_columns() {
    return {{.member = "date", .header = "Day", .link = "/timesheets/"},
            {.member = "facilityId", .header = "Facility", .shows = Shows::facility},
            {.member = "clockIn", .header = "Began", .shows = Shows::clock},
            {.member = "clockOut", .header = "Ended", .shows = Shows::clock},
            {.member = "workedMinutes", .header = "Hours", .shows = Shows::hours},
            {.member = "overtimeMinutes", .header = "Overtime", .shows = Shows::hours},
            {.member = "grossAmount", .header = "Worth", .shows = Shows::money},
            {.member = "status", .header = "Status"}};
}

ListShape timesheet_list_shape() {
    ListShape shape{.operation = "timesheets.list",
                    .path = "/timesheets",
                    .sort = "-clockIn",
                    .filters = {{.name = "status",
                                 .label = "Status",
                                 .kind = FieldKind::choice,
                                 .values = {"open", "submitted", "approved", "rejected", "paid", "void"},
                                 .blank = "any"},
                                {.name = "from", .label = "From", .kind = FieldKind::date},
                                {.name = "to", .label = "Until", .kind = FieldKind::date},
                                {.name = "facilityId", .label = "Facility", .kind = FieldKind::id, .blank = "all"},
                                {.name = "staffId", .label = "", .kind = FieldKind::kept},
                                {.name = "payrollRunId", .label = "payroll run", .kind = FieldKind::kept}},
                    .table = {.caption = "Timesheets, the newest first; times by the clocks of the facility",
                              .none = "There are none.",
                              .columns = log_columns()}};
    shape.table.columns.insert(
        shape.table.columns.begin() + 1,
        {.member = "staffId", .header = "Person", .shows = Shows::person, .link = "/staff/", .link_member = "staffId"});
    return shape;
}

boost::asio::awaitable<void> fill_timesheets(Call& call, PageContent& content) {
    RowNames names(call);
    auto shape = timesheet_list_shape();
    bool const approves = may_ask(*call.caller, "timesheets.approve_many");
    if (approves) shape.table.picked_by = kPicked;
    co_await add_list_page(call, content, names, shape, [&](core::JsonValue& row, Allocator& allocator) {
        bool const waits = row["status"] == "submitted" && may_approve_log(*call.caller, row);
        row.AddMember("pickable", waits, allocator);
    });
    content.add_json("approves", approves ? "true" : "false");
    content.add_text("hint", may_ask(*call.caller, "timesheets.create")
                                 ? "Work is recorded, and people are clocked in, on the page of the person."
                                 : "");
}

core::Result<Question> approve_picked(Call const& /*call*/, FormFields const& fields) {
    std::string ids;
    for (auto const& [name, value] : fields) {
        if (!name.starts_with(kPick)) continue;
        auto const id = core::parse_integer(std::string_view(name).substr(kPick.size()));
        if (!id) return tl::unexpected(core::validation_problem({{"pick", "type", "must be an id"}}));
        ids += fmt::format("{}{}", ids.empty() ? "" : ",", *id);
    }
    return Question{.operation = "timesheets.approve_many", .body = fmt::format(R"({{"ids":[{}]}})", ids)};
}

}  // namespace

TableShape const& logs_of_person() {
    static TableShape const shape{.caption = "Timesheets, the newest first; times by the clocks of the facility",
                                  .none = "There are none.",
                                  .columns = log_columns()};
    return shape;
}

bool may_approve_log(Caller const& caller, core::JsonValue const& log) {
    bool const admin = caller.user.role == events::Role::admin || caller.user.role == events::Role::super_admin;
    bool const own = caller.user.staffId.value && log["staffId"] == *caller.user.staffId.value;
    return may_ask(caller, "timesheets.approve") && (admin || !own);
}

DashboardSection timesheets_section() {
    return {{.name = kTimesheetsPage,
             .path = "/timesheets",
             .title = "Timesheets",
             .summary = "Logs of work",
             .needs = "timesheets.list",
             .text = templates::dashboard_timesheets,
             .parameters = list_parameters(timesheet_list_shape()),
             .fill = fill_timesheets},
            {{.name = "pages.approve_timesheets",
              .path = "/timesheets",
              .summary = "Approve several timesheets by the form",
              .page = kTimesheetsPage,
              .done = "What could be approved is.",
              .shows_answer = true,
              .question = approve_picked}}};
}

}  // namespace workforce::operations
