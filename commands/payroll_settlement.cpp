// Rules of what a provider says of payroll runs and their payments.
#include <fmt/format.h>

#include <algorithm>

#include "commands/payroll_states.hpp"
#include "events/staff.hpp"

namespace workforce::commands {
namespace {

using events::PaymentStatus;
using events::PayrollInternals;
using events::PayrollRunRecord;
using events::PayrollRunStatus;

bool any_open(std::string const& settled) { return settled.find(PayrollInternals::kOpen) != std::string::npos; }
bool all_open(std::string const& settled) {
    return settled.find_first_not_of(PayrollInternals::kOpen) == std::string::npos;
}

/// Why these are no outcomes of the run's payments, or nothing.
std::optional<core::FieldError> fault_of(PayrollRunRecord const& run, std::vector<PaymentOutcome> const& outcomes) {
    if (outcomes.size() > events::kPaymentsOfEvent)
        return core::FieldError{"payments", "max_items", "must be at most 500"};
    for (auto const& outcome : outcomes) {
        auto const number = events::number_of_payment(outcome.paymentId);
        bool const own = events::run_of_payment(outcome.paymentId) == run.id && number >= 1 &&
                         number <= run.internals.settled.size();
        if (!own) return core::FieldError{"payments", "known", "must be payments of the run"};
        if (outcome.status != PaymentStatus::paid && outcome.status != PaymentStatus::failed) {
            return core::FieldError{"payments", "settled", "must be paid or failed"};
        }
    }
    return std::nullopt;
}

/// Outcomes of payments that nothing was known of, each once; `settled` is as they leave it.
std::vector<PaymentOutcome const*> news(std::vector<PaymentOutcome> const& outcomes, std::string& settled) {
    std::vector<PaymentOutcome const*> found;
    for (auto const& outcome : outcomes) {
        auto& mark = settled[events::number_of_payment(outcome.paymentId) - 1];
        if (mark != PayrollInternals::kOpen) continue;
        mark = outcome.status == PaymentStatus::paid ? PayrollInternals::kPaid : PayrollInternals::kFailed;
        found.push_back(&outcome);
    }
    return found;
}

/// Adds why payments failed, under the keys of those whose they are; of who was erased nothing is told.
void explain(View const& view, PayrollRunRecord const& run, std::vector<PaymentOutcome const*> const& outcomes,
             std::vector<NewEvent>& events) {
    auto const told = [](PaymentOutcome const* outcome) {
        return outcome->status == PaymentStatus::failed && !outcome->failureReason.value.empty();
    };
    auto const staff_of = [&](PaymentOutcome const* outcome) {
        return run.internals.paymentStaffIds.at(events::number_of_payment(outcome->paymentId) - 1);
    };
    std::vector<Id> people;
    for (auto const* outcome : outcomes) {
        if (told(outcome)) people.push_back(staff_of(outcome));
    }
    Requirements(view).rows<events::StaffRecord>(people).require();
    for (auto const* outcome : outcomes) {
        if (!told(outcome)) continue;
        events::AggregateRef const person{events::Kind::staff, staff_of(outcome)};
        if (view.erased(person)) continue;
        events.push_back(run_event(
            run, events::PayrollRunPaymentExplained{outcome->paymentId, outcome->failureReason, to_string(person)}));
    }
}

/// Adds how the run ended, with the first of its logs. No payment is open.
void end_run(View const& view, PayrollRunRecord const& run, std::string const& settled, std::vector<NewEvent>& events) {
    auto const paid = std::ranges::count(settled, PayrollInternals::kPaid);
    if (paid == 0) {
        events.push_back(
            run_event(run, events::PayrollRunFailed{run.internals.attempt, "None of the payments was made.", false}));
        return;  // it may be tried again, and holds its logs
    }
    if (paid == std::ssize(settled)) {
        events.push_back(run_event(run, events::PayrollRunPaid{}));
    } else {
        events.push_back(run_event(run, events::PayrollRunPartiallyPaid{}));
    }
    std::span const held(run.heldTimesheetIds);
    release_timesheets(view, run, settled, held.first(std::min(held.size(), events::kPaymentsOfEvent)), events);
}

}  // namespace

Result<Decision> decide(View const& view, RecordPayrollSubmission const& command, Context const& context) {
    auto const found = find_run(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& run = **found;
    auto const& internals = run.internals;
    if (command.attempt != internals.attempt || internals.submitted == internals.attempt) return Decision{};
    bool const refused = run.status == PayrollRunStatus::failed && any_open(internals.settled);
    if (refused || run.status == PayrollRunStatus::cancelled) return refuse_move(run, "submit");
    return Decision{{run_event(run, events::PayrollRunSubmitted{command.attempt, command.externalPayrollId.value,
                                                                PayrollRunStatus::processing})},
                    {}};
}
events::PayrollRun answer(View const& view, RecordPayrollSubmission const& command, Decision const&) {
    return shown_run(view, command.id);
}

Result<Decision> decide(View const& view, RecordPayrollRefusal const& command, Context const& context) {
    auto const found = find_run(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& run = **found;
    auto const& internals = run.internals;
    if (command.attempt != internals.attempt || run.status == PayrollRunStatus::failed) return Decision{};
    bool const begun = internals.submitted == internals.attempt || !all_open(internals.settled);
    if (run.status != PayrollRunStatus::processing || begun) return refuse_move(run, "fail");
    return Decision{{run_event(run, events::PayrollRunFailed{command.attempt, command.reason.value, true})}, {}};
}
events::PayrollRun answer(View const& view, RecordPayrollRefusal const& command, Decision const&) {
    return shown_run(view, command.id);
}

Result<Decision> decide(View const& view, SettlePayments const& command, Context const& context) {
    auto const found = find_run(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& run = **found;
    if (auto const fault = fault_of(run, command.payments)) return tl::unexpected(core::validation_problem({*fault}));
    if (command.attempt != run.internals.attempt) return Decision{};
    auto settled = run.internals.settled;
    auto const outcomes = news(command.payments, settled);
    if (outcomes.empty()) return Decision{};
    if (run.status != PayrollRunStatus::processing) return refuse_move(run, "settle");
    events::PayrollRunPaymentsSettled told;
    for (auto const* outcome : outcomes) {
        core::Nullable<std::string> external;
        if (outcome->externalPaymentId.value) external = outcome->externalPaymentId.value->value;
        told.payments.push_back({outcome->paymentId, outcome->status, std::move(external)});
    }
    Decision decision;
    decision.events.push_back(run_event(run, std::move(told)));
    explain(view, run, outcomes, decision.events);
    if (!any_open(settled)) end_run(view, run, settled, decision.events);
    return decision;
}
events::PayrollRun answer(View const& view, SettlePayments const& command, Decision const&) {
    return shown_run(view, command.id);
}

Result<Decision> decide(View const& view, MarkTimesheetsPaid const& command, Context const&) {
    Requirements(view).keys<events::RunHolding>(command.ids).require();
    std::map<Id, std::vector<Id>> of_runs;
    for (Id const id : command.ids) {
        auto const* run = view.first_by<events::RunHolding>(id);
        if (!run) continue;
        bool const over = run->status == PayrollRunStatus::paid || run->status == PayrollRunStatus::partially_paid;
        if (over) of_runs[run->id].push_back(id);
    }
    Decision decision;
    for (auto const& [id, timesheets] : of_runs) {
        auto const& run = *view.get<PayrollRunRecord>(id);
        release_timesheets(view, run, run.internals.settled, timesheets, decision.events);
    }
    return decision;
}

}  // namespace workforce::commands
