// GET /payroll: payroll runs and drawing one up; payments alone for those who see no runs.
#include "core/json_values.hpp"
#include "operations/dashboard/payroll_forms.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kPayrollPage = "pages.payroll";
constexpr std::string_view kDrawRun = "pages.draw_payroll_run";

ListShape const& payroll_run_list() {
    static ListShape const shape{
        .operation = "payroll_runs.list",
        .path = "/payroll",
        .sort = "-periodStart",
        .filters = {{.name = "status",
                     .label = "Status",
                     .kind = FieldKind::choice,
                     .values = {"draft", "processing", "paid", "partially_paid", "failed", "cancelled"},
                     .blank = "any"},
                    {.name = "from", .label = "From", .kind = FieldKind::date},
                    {.name = "to", .label = "Until", .kind = FieldKind::date},
                    {.name = "facilityId", .label = "Facility", .kind = FieldKind::id, .blank = "all"}},
        .table = {.caption = "Payroll runs, the latest period first",
                  .none = "There are none.",
                  .columns = {{.member = "period", .header = "Period", .link = "/payroll/"},
                              {.member = "facilityId", .header = "Facility", .shows = Shows::facility_or_all},
                              {.member = "type", .header = "Sort", .shows = Shows::words},
                              {.member = "payDate", .header = "Pay day"},
                              {.member = "people", .header = "People"},
                              {.member = "net", .header = "Is paid", .shows = Shows::money},
                              {.member = "status", .header = "Status", .shows = Shows::words}}}};
    return shape;
}

/// Payments of whoever sees no runs: their own.
ListShape const& payment_list() {
    static ListShape const shape{.operation = "payroll_payments.list",
                                 .path = "/payroll",
                                 .sort = "-createdAt",
                                 .filters = {{.name = "status",
                                              .label = "Status",
                                              .kind = FieldKind::choice,
                                              .values = {"pending", "processing", "paid", "failed", "cancelled"},
                                              .blank = "any"},
                                             {.name = "from", .label = "From", .kind = FieldKind::date},
                                             {.name = "to", .label = "Until", .kind = FieldKind::date}},
                                 .table = payments_table(true)};
    return shape;
}

FormShape draw_form() {
    return {.form = kDrawRun,
            .inputs = {
                {.name = "periodStart", .label = "First day", .kind = FieldKind::date, .required = true},
                {.name = "periodEnd", .label = "Last day", .kind = FieldKind::date, .required = true},
                {.name = "payDate",
                 .label = "Pay day",
                 .kind = FieldKind::date,
                 .hint = "nothing: five days after the last"},
                {.name = "type", .label = "Sort", .kind = FieldKind::choice, .values = {"regular", "off_cycle"}},
                {.name = "facilityId", .label = "Facility", .kind = FieldKind::id, .blank = "the whole organization"}}};
}

boost::asio::awaitable<void> fill_payroll(Call& call, PageContent& content) {
    RowNames names(call);
    if (!may_ask(*call.caller, "payroll_runs.list")) {
        co_await add_list_page(call, content, names, payment_list());
        co_return;
    }
    co_await add_list_page(call, content, names, payroll_run_list(), [](core::JsonValue& row, Allocator& allocator) {
        auto const period = fmt::format("{} to {}", row["periodStart"].GetString(), row["periodEnd"].GetString());
        row.AddMember("period", core::JsonValue(period, allocator), allocator);
        row.AddMember("people", core::JsonValue(row["totals"]["staffCount"], allocator), allocator);
        row.AddMember("net", core::JsonValue(row["totals"]["netAmount"], allocator), allocator);
    });
    if (!may_ask(*call.caller, "payroll_runs.create")) co_return;
    InputOptions options;
    auto const facilities = co_await ask(call, {.operation = "facilities.list", .parameters = {{"limit", "200"}}});
    if (facilities.status < 300) {
        options.emplace("facilityId", options_of(*core::parse_json(facilities.body), {"name"}));
    }
    content.add_json("draw", shown_form(call, draw_form(), {}, options));
}

core::Result<Question> draw_run(Call const& /*call*/, FormFields const& fields) {
    return body_from(draw_form(), fields).map([](std::string body) {
        return Question{.operation = "payroll_runs.create", .body = std::move(body)};
    });
}

}  // namespace

TableShape payments_table(bool of_several) {
    TableShape shape{.caption = "What people get",
                     .none = "There are none.",
                     .columns = {{.member = "staffId",
                                  .header = "Person",
                                  .shows = Shows::person,
                                  .link = "/staff/",
                                  .link_member = "staffId"},
                                 {.member = "regularMinutes", .header = "Hours", .shows = Shows::hours},
                                 {.member = "overtimeMinutes", .header = "Overtime", .shows = Shows::hours},
                                 {.member = "grossAmount", .header = "Worth", .shows = Shows::money},
                                 {.member = "adjustmentAmount", .header = "Adjustments", .shows = Shows::money},
                                 {.member = "netAmount", .header = "Is paid", .shows = Shows::money},
                                 {.member = "status", .header = "Status"},
                                 {.member = "failureReason", .header = "Reason"}}};
    if (of_several) shape.columns.insert(shape.columns.begin() + 1, {.member = "createdAt", .header = "Made out"});
    return shape;
}

DashboardSection payroll_section() {
    return {{.name = kPayrollPage,
             .path = "/payroll",
             .title = "Payroll",
             .summary = "Payroll runs, or one's own payments",
             .needs = "payroll_payments.list",
             .text = templates::dashboard_payroll,
             .parameters = list_parameters(payroll_run_list()),
             .fill = fill_payroll},
            {{.name = kDrawRun,
              .path = "/payroll",
              .summary = "Draw up a payroll run by the form",
              .page = kPayrollPage,
              .done = "The draft is drawn up. It pays nothing before it is approved.",
              .leads_to = "pages.payroll_run",
              .made = "/id",
              .question = draw_run}}};
}

}  // namespace workforce::operations
