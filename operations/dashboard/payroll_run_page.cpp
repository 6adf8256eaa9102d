// GET /payroll/{id}: a payroll run, what people get by it, and what may become of it.
#include <array>

#include "core/json_values.hpp"
#include "operations/dashboard/payroll_forms.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kRunPage = "pages.payroll_run";
constexpr std::string_view kChangeRun = "pages.change_payroll_run";
constexpr std::string_view kPaymentsCursor = "cursor";
constexpr std::size_t kMostExpected = 100;  // payments of a draft

FormShape run_form() {
    return {.form = kChangeRun,
            .inputs = {{.name = "periodStart", .label = "First day", .kind = FieldKind::date, .required = true},
                       {.name = "periodEnd", .label = "Last day", .kind = FieldKind::date, .required = true},
                       {.name = "payDate", .label = "Pay day", .kind = FieldKind::date, .required = true}},
            .rows = {{.name = "adjustments",
                      .legend = "Adjustment",
                      .inputs = {{.name = "staffId",
                                  .label = "Person",
                                  .kind = FieldKind::id,
                                  .required = true,
                                  .blank = "nobody"},
                                 {.name = "kind",
                                  .label = "Sort",
                                  .kind = FieldKind::choice,
                                  .values = {"bonus", "deduction", "reimbursement"}},
                                 {.name = "amount", .label = "Amount", .kind = FieldKind::number, .required = true},
                                 {.name = "note", .label = "What it is for"}}}},
            .changes = true};
}

/// The people whom adjustments can name: active ones, and those who have some.
awaitable<InputOptions> adjustable_people(Call& call, RowNames& names, core::JsonValue const& run) {
    std::vector<InputOption> people;
    auto const listed =
        co_await ask(call, {.operation = "staff.list", .parameters = {{"sort", "lastName"}, {"limit", "200"}}});
    if (listed.status < 300) people = options_of(*core::parse_json(listed.body), {"firstName", "lastName"});
    for (auto const& adjustment : run["adjustments"].GetArray()) {
        auto const id = adjustment["staffId"].GetInt64();
        if (std::ranges::count(people, std::to_string(id), &InputOption::value) > 0) continue;
        people.push_back({std::to_string(id), co_await names.person(id)});
    }
    co_return InputOptions{{"staffId", std::move(people)}};
}

/// Adds the payments: of a draft those that it would make.
awaitable<void> add_run_payments(Call& call, PageContent& content, RowNames& names, bool draft) {
    auto const id = call.input.path.id();
    if (!draft) {
        QueryMap query{{"payrollRunId", std::to_string(id)}, {"limit", "50"}};
        if (auto cursor = parameter_of(call, kPaymentsCursor); !cursor.empty())
            query.emplace(kPaymentsCursor, std::move(cursor));
        co_await add_table(call, content, names, "payments", payments_table(false),
                           {.operation = "payroll_payments.list", .parameters = std::move(query)},
                           fmt::format("/payroll/{}", id));
        co_return;
    }
    auto const preview = co_await ask(call, {.operation = "payroll_runs.preview", .path = path_of(id)});
    if (preview.status >= 300) co_return;
    auto document = core::parse_json(preview.body);
    auto& payments = (*document)["payments"];
    if (payments.Size() > kMostExpected) {
        content.remark("There are more payments than this page shows.");
        payments.Erase(payments.Begin() + kMostExpected, payments.End());
    }
    co_await add_table_of(content, names, "payments", payments_table(false), payments);
}

/// Adds what the state and the caller's rights allow (domain 2.3).
void add_run_offers(Call& call, PageContent& content, core::JsonValue const& run) {
    std::string_view const status = run["status"].GetString();
    bool const draft = status == "draft";
    bool const waits = draft || status == "failed";
    bool const empty = run["timesheetCount"] == 0 && run["adjustments"].Empty();
    auto const offer = [&](std::string_view member, std::string_view operation, bool fits) {
        content.add_json(member, fits && may_ask(*call.caller, operation) ? "true" : "false");
    };
    offer("approves", "payroll_runs.approve", waits && !empty);
    offer("refills", "payroll_runs.update", draft);
    offer("cancels", "payroll_runs.cancel", waits || status == "processing");
    offer("deletes", "payroll_runs.delete", draft);
}

awaitable<void> fill_payroll_run(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    content.add_text("run_id", std::to_string(id));
    auto const found = co_await content.add_subject("run", {.operation = "payroll_runs.get", .path = path_of(id)});
    if (!found) co_return;
    auto const& run = *found;
    RowNames names(call);
    auto const& totals = run["totals"];
    content.set_title(fmt::format("Payroll, {} to {}", run["periodStart"].GetString(), run["periodEnd"].GetString()));
    auto const& place = run["facilityId"];
    content.add_text("facility", place.IsInt64() ? co_await names.name(NamedMember::What::facility, place.GetInt64())
                                                 : "the whole organization");
    if (run["approvedBy"].IsInt64())
        content.add_text("approver", co_await names.name(NamedMember::What::user, run["approvedBy"].GetInt64()));
    content.add_text("standing", spoken(run["status"].GetString()));
    content.add_text("sort", spoken(run["type"].GetString()));
    content.add_text("hours", hours_text(totals["regularMinutes"]));
    content.add_text("overtime", hours_text(totals["overtimeMinutes"]));
    for (auto const* amount : {"grossAmount", "adjustmentAmount", "netAmount"}) {
        content.add_text(amount, fmt::format("{} {}", money_text(totals[amount]), run["currency"].GetString()));
    }
    bool const draft = run["status"] == "draft";
    co_await add_run_payments(call, content, names, draft);
    add_run_offers(call, content, run);
    if (!draft || !may_ask(*call.caller, "payroll_runs.update")) co_return;
    auto const shape = run_form();
    content.add_json("change",
                     shown_form(call, shape, held_fields(shape, run), co_await adjustable_people(call, names, run)));
}

core::Result<Question> change_run(Call const& call, FormFields const& fields) {
    return body_from(run_form(), fields).map([&](std::string body) {
        return Question{.operation = "payroll_runs.update", .path = call.input.path, .body = std::move(body)};
    });
}

core::Result<Question> refill_run(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "payroll_runs.update", .path = call.input.path, .body = R"({"timesheetIds":null})"};
}

core::Result<Question> decide_run(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"approve", "payroll_runs.approve"},
                                         Choice{"cancel", "payroll_runs.cancel"}};
    return chosen_question(call, fields, kChoices);
}

}  // namespace

DashboardSection payroll_run_section() {
    return {{.name = kRunPage,
             .path = "/payroll/{id:int}",
             .title = "Payroll run",
             .summary = "A payroll run and its payments",
             .needs = "payroll_runs.get",
             .in_menu = false,
             .text = templates::dashboard_payroll_run,
             .parameters = {kPaymentsCursor},
             .fill = fill_payroll_run},
            {{.name = kChangeRun,
              .path = "/payroll/{id:int}",
              .summary = "Change the draft of a payroll run by the form",
              .page = kRunPage,
              .done = "The draft is changed.",
              .of_version = true,
              .question = change_run},
             {.name = "pages.refill_payroll_run",
              .path = "/payroll/{id:int}/refill",
              .summary = "Have a draft take what is approved by the form",
              .page = kRunPage,
              .done = "The draft has what is approved now.",
              .of_version = true,
              .question = refill_run},
             {.name = "pages.decide_payroll_run",
              .path = "/payroll/{id:int}/decide",
              .summary = "Approve or cancel a payroll run by the form",
              .page = kRunPage,
              .done = "It is decided.",
              .of_version = true,
              .question = decide_run},
             {.name = "pages.delete_payroll_run",
              .path = "/payroll/{id:int}/delete",
              .summary = "Delete the draft of a payroll run by the form",
              .page = kRunPage,
              .done = "The draft is deleted.",
              .leads_to = "pages.payroll",
              .operation = "payroll_runs.delete"}}};
}

}  // namespace workforce::operations
