// Payroll runs and payments.
#include <algorithm>
#include <iterator>
#include <map>

#include "commands/payroll_run.hpp"
#include "operations/declare.hpp"
#include "operations/payroll_provider.hpp"
#include "operations/words/words.hpp"
#include "projections/payroll_payments/payroll_payments.hpp"
#include "projections/payroll_runs/payroll_runs.hpp"
#include "projections/timesheets/timesheets.hpp"

namespace workforce::operations {

/// A run with its first payments: those of a draft as they would be, without ids.
struct PayrollPreview : events::PayrollRun {
    std::vector<events::Payment> payments;
};
BOOST_DESCRIBE_STRUCT(PayrollPreview, (events::PayrollRun), (payments))

namespace {

using boost::asio::awaitable;
using events::Kind;
using projections::payroll_payments;
using projections::payroll_runs;

/// So many payments a preview shows.
constexpr std::int64_t kPreviewed = 1'000;

/// What people would get of a draft: what their logs come to, with adjustments.
std::vector<events::Payment> expected_payments(events::PayrollRun const& run,
                                               std::vector<events::PaymentAmounts> const& logged) {
    std::map<Id, events::PaymentAmounts> people;
    for (auto const& amounts : logged) people.emplace(amounts.staffId, amounts);
    for (auto const& adjustment : run.adjustments) {
        auto& amounts = people[adjustment.staffId];
        amounts.staffId = adjustment.staffId;
        auto const change = adjustment.amount.hundredths;
        amounts.adjustmentAmount.hundredths += adjustment.kind == events::AdjustmentKind::deduction ? -change : change;
    }
    std::vector<events::Payment> payments;
    for (auto& [id, amounts] : people) {
        if (std::ssize(payments) == kPreviewed) break;
        amounts.netAmount.hundredths = amounts.grossAmount.hundredths + amounts.adjustmentAmount.hundredths;
        events::Payment payment;
        payment.organizationId = run.organizationId;
        static_cast<events::PaymentAmounts&>(payment) = amounts;
        payment.payrollRunId = run.id;
        payment.facilityId = run.facilityId;
        payment.currency = run.currency;
        payment.createdAt = run.updatedAt;
        payment.updatedAt = run.updatedAt;
        payments.push_back(std::move(payment));
    }
    return payments;
}

awaitable<Outcome> preview_run(Call& call) {
    auto scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const id = call.input.path.id();
    auto& database = call.services.database_of(*scope);
    auto const found = co_await payroll_runs().find(database, *scope, id);
    if (!found) co_return refuse(call, commands::not_found(payroll_runs().spec().noun, id).value());
    auto const run = core::from_stored_json<events::PayrollRun>(found->doc);
    std::vector<events::Payment> payments;
    if (run.status == events::PayrollRunStatus::draft) {
        payments = expected_payments(run, co_await projections::logged_amounts(database, *scope, run.id));
    } else {
        payments = co_await projections::payments_of_run(database, *scope, run.id, kPreviewed);
    }
    Outcome outcome;
    outcome.body = found->doc;
    outcome.body.pop_back();
    outcome.body.append(R"(,"payments":)").append(core::to_json(payments)).append("}");
    co_return outcome;
}

Operation preview() {
    auto row = query_with<PayrollPreview, TargetQuery>("payroll_runs.preview", "What a payroll run pays, by person",
                                                       preview_run);
    row.description =
        "Returns the run with its first 1,000 payments; those of a draft are as they would be made if it were approved "
        "now, and have no ids yet. For all of an approved run use {payroll_payments.list}.";
    row.reads = {payroll_runs().spec().name, payroll_payments().spec().name, projections::timesheets().spec().name};
    return row;
}

template <class Command>
Operation run_change(std::string_view name, std::string_view summary) {
    return command<Command>(name, summary).on(Kind::payroll_run).needs("payroll.run").audit();
}

/// As run_change(), of what the provider has a word in.
template <class Command>
Operation provider_change(std::string_view name, std::string_view summary, Handler handler) {
    auto row = run_change<Command>(name, summary).with_provider();
    row.handler = handler;
    return row;
}

std::vector<Operation> run_operations() {
    using enum net::Method;
    using enum core::Code;
    return {
        list<payroll_runs>("payroll_runs.list", "List payroll runs")
            .says(
                "Returns a page of payroll runs: what was paid, or is to be, for a period. Narrow it by status and by "
                "days of the period (from, to). For what single people get use {payroll_payments.list}.")
            .needs("payroll.view")
            .at(get, "/api/payroll/runs")
            .as_tool({.name = "payroll_runs_list"}),
        one<payroll_runs>("payroll_runs.get", "Read a payroll run")
            .says("Returns one payroll run with its totals, adjustments and the first 1,000 of its timesheets.")
            .needs("payroll.view")
            .at(get, "/api/payroll/runs/{id:int}")
            .as_tool({.name = "payroll_runs_get", .renamed = {{"runId", "id"}}}),
        preview().needs("payroll.view").at(get, "/api/payroll/runs/{id:int}/preview"),
        command<commands::CreatePayrollRun>("payroll_runs.create", "Draw up a payroll run")
            .says(
                "Draws up a payroll run for a period and returns the draft, which pays nothing before it is approved. "
                "It takes timesheetIds, else all approved timesheets of the period that no other run holds, drafts "
                "included. Look before: {timesheets.list} with status approved, for without any it pays adjustments "
                "alone, and {payroll_runs.list}, for another regular draft of the facility with days of the period "
                "refuses it, but for type off_cycle. A retry is answered without the adjustments' notes.")
            .refuses({payroll_overlap, timesheet_locked, limit_reached})
            .needs("payroll.run")
            .audit()
            .creates(Kind::payroll_run)
            .at(post, "/api/payroll/runs")
            .as_tool(
                {.name = "payroll_runs_create", .tier = events::ModelTier::advanced, .approval = Approval::headless}),
        run_change<commands::UpdatePayrollRun>("payroll_runs.update", "Change a draft")
            .says("Changes the period, the timesheets or the adjustments of a draft; timesheetIds null takes those of "
                  "the period that are approved now.")
            .refuses({payroll_overlap, timesheet_locked, limit_reached})
            .at(patch, "/api/payroll/runs/{id:int}")
            .also_put("payroll_runs.put"),
        run_change<commands::DeletePayrollRun>("payroll_runs.delete", "Delete a draft")
            .says("Deletes a draft; its timesheets are free for another run.")
            .destroys()
            .at(del, "/api/payroll/runs/{id:int}"),
        provider_change<commands::ApprovePayrollRun>("payroll_runs.approve", "Approve a payroll run: have it paid",
                                                     approve_payroll_run)
            .says("Makes out a payment for each person of a draft, or of a run that failed, and has the provider pay "
                  "them: the run is processing from then on. Returns it with the provider's externalPayrollId; null "
                  "where the provider did not answer within ten seconds: it is asked again until it does. A run that "
                  "the provider refuses fails. The webhook payroll_completed says that the provider has it.")
            .refuses({payroll_empty})
            .at(post, "/api/payroll/runs/{id:int}/approve")
            .as_tool({.name = "payroll_runs_approve",
                      .tier = events::ModelTier::advanced,
                      .approval = Approval::always,
                      .destructive = true,
                      .renamed = {{"runId", "id"}}}),
        provider_change<commands::CancelPayrollRun>("payroll_runs.cancel", "Cancel a payroll run", cancel_payroll_run)
            .says("Cancels a draft, a run that failed, or one that is processing if the provider still can; its "
                  "timesheets are free for another run.")
            .at(post, "/api/payroll/runs/{id:int}/cancel"),
    };
}

}  // namespace

std::vector<Operation> payroll_run_operations() {
    auto all = run_operations();
    std::ranges::move(payroll_provider_operations(), std::back_inserter(all));
    return all;
}

std::vector<Operation> payroll_payment_operations() {
    using enum net::Method;
    return {
        list<payroll_payments>("payroll_payments.list", "List payments")
            .says("Returns a page of payments: what people get of payroll runs, and what came of it. Narrow it by run, "
                  "person, status and the day on which they were made out (from, to).")
            .needs("payroll.view")
            .reaches_own_rows()
            .at(get, "/api/payroll/payments")
            .as_tool({.name = "payroll_payments_list"}),
        one<payroll_payments>("payroll_payments.get", "Read a payment")
            .says("Returns one payment.")
            .needs("payroll.view")
            .reaches_own_rows()
            .at(get, "/api/payroll/payments/{id:int}"),
    };
}

std::vector<StructWords> payroll_run_words() {
    return {
        {{"runs/"}, {{"id", "The payroll run's id, from {payroll_runs.list}"}}},
        {{"PayrollRunPlace", "UpdatePayrollRun"},
         {{"facilityId", "Facility whose work it pays; null: the whole organization's. Fixed"}}},
        {{"PayrollRunPlace"}, {{"currency", "Currency of its amounts, an ISO 4217 code"}}},
        {{"CreatePayrollRun"},
         {{"facilityId", "Facility whose work it pays, from {facilities.list}; null: the whole organization's"}}},
        {{"PayrollPeriod", "CreatePayrollRun", "UpdatePayrollRun"},
         {{"periodStart", "First day whose work it pays"},
          {"periodEnd", "Last such day, included; the period has at most 62"},
          {"payDate", "Day on which it is to pay; five days after the period by default, even where that is past"}}},
        {{"PayrollStanding", "CreatePayrollRun", "UpdatePayrollRun"},
         {{"type", "Regular, or besides the regular ones (off_cycle), whose periods may overlap; fixed"}}},
        {{"PayrollStanding"},
         {{"status", "Where it stands"},
          {"externalPayrollId", "The run's id with the payroll provider; null: it does not have it yet"},
          {"approvedBy", "User who approved it last; null: nobody, or a key without one"},
          {"approvedAt", "When it was approved last; null: never"},
          {"failureReason", "Why it failed; else empty"}}},
        {{"PayrollContent"},
         {{"timesheetIds", "Timesheets that it pays, the first 1,000 of them"},
          {"timesheetCount", "How many timesheets it pays"},
          {"totals", "What it comes to"}}},
        {{"CreatePayrollRun"},
         {{"timesheetIds",
           "Approved timesheets to pay, ids from {timesheets.list}, at most 10,000; without it all of the period"}}},
        {{"UpdatePayrollRun"},
         {{"timesheetIds", "All that it is to pay from now on; null: those of the period that are approved now"}}},
        {{"PayrollContent", "CreatePayrollRun", "UpdatePayrollRun"},
         {{"adjustments", "What people get besides the worth of their time, or have taken off it; at most 100"}}},
        {{"PayrollAmount"},
         {{"staffId", "Whose pay it changes, an id from {staff.list}"},
          {"kind", "Whether it is added (bonus, reimbursement) or taken off (deduction)"},
          {"amount", "How much; never below 0"}}},
        {{"PayrollAdjustment"}, {{"note", "What it is for"}}},
        {{"PayrollTotals"},
         {{"staffCount", "People who get something"},
          {"regularMinutes", "Minutes of work without overtime"},
          {"overtimeMinutes", "Minutes past the organization's limit of the week"},
          {"grossAmount", "What the work is worth"},
          {"adjustmentAmount", "Sum of the adjustments; below 0 where more is taken off than added"},
          {"netAmount", "What is paid"}}},
        {{"PayrollPreview"}, {{"payments", "The first 1,000 payments; of a draft as they would be, with id 0"}}},
        {{"PayrollRunFilter"},
         {{"status", "Only those that stand so"},
          {"from", "Only runs whose period ends on that day or later"},
          {"to", "Only runs whose period begins on that day or before"}}},
        {{"PayrollRunType"}, {{"", "Whether a run is one of the regular ones"}}},
        {{"PayrollRunStatus"},
         {{"", "processing: with the provider; partially_paid: some payments failed; failed: none was made"}}},
        {{"AdjustmentKind"}, {{"", "What changes somebody's pay"}}},
    };
}

std::vector<StructWords> payroll_payment_words() {
    return {
        {{"payments/"}, {{"id", "The payment's id, from {payroll_payments.list}"}}},
        {{"PaymentAmounts"},
         {{"staffId", "Who is paid"},
          {"grossAmount", "What their work is worth"},
          {"adjustmentAmount", "What adjustments add; below 0 where they take off"},
          {"netAmount", "What is paid"},
          {"regularMinutes", "Minutes of work without overtime"},
          {"overtimeMinutes", "Minutes past the organization's limit of the week"}}},
        {{"PaymentFacts"},
         {{"payrollRunId", "Payroll run that it is of"},
          {"facilityId", "Facility of that run; null: it is of the whole organization"},
          {"currency", "Currency of its amounts, an ISO 4217 code"},
          {"method", "How it is paid"},
          {"createdAt", "When it was made out (UTC)"}}},
        {{"PaymentStanding"},
         {{"status", "Where it stands"},
          {"externalPaymentId", "The payment's id with the provider; null: none is known"},
          {"failureReason", "Why it failed, as the provider says; else empty"},
          {"paidAt", "When it was paid; null: it was not"},
          {"updatedAt", "When it last changed (UTC)"}}},
        {{"PaymentFilter"},
         {{"payrollRunId", "Only of this run, an id from {payroll_runs.list}"},
          {"staffId", "Only of this person, an id from {staff.list}"},
          {"status", "Only those that stand so"},
          {"from", "First day on which they were made out, in UTC"},
          {"to", "Last such day, included"}}},
        {{"PaymentStatus"}, {{"", "pending: waits for an attempt of its run; processing: with the provider"}}},
        {{"PaymentMethod"}, {{"", "How somebody is paid"}}},
        {{"PayrollCompletedData"},
         {{"payrollRunId", "The payroll run that the provider has"},
          {"externalPayrollId", "Its id with the provider"},
          {"status", "Where it stood when the provider had it"}}},
    };
}

}  // namespace workforce::operations
