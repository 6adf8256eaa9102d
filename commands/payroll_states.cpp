// Runs as commands find them, and what their logs come to.
#include "commands/payroll_states.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace workforce::commands {
namespace {

using events::PayrollRunRecord;
using events::PayrollRunStatus;
using events::TimesheetRecord;

constexpr std::string_view kPayrollRun = "payroll run";
constexpr std::size_t kNamedLocked = 100;

/// What the state permits, as details.allowed lists it.
std::vector<std::string> allowed(PayrollRunStatus status) {
    switch (status) {
        case PayrollRunStatus::draft:
            return {"update", "approve", "cancel", "delete"};
        case PayrollRunStatus::failed:
            return {"approve", "cancel"};
        case PayrollRunStatus::processing:
        case PayrollRunStatus::paid:
        case PayrollRunStatus::partially_paid:
        case PayrollRunStatus::cancelled:
            return {};
    }
    return {};
}

void add_adjustment(events::PaymentAmounts& payment, events::PayrollAmount const& adjustment) {
    auto const amount = adjustment.amount.hundredths;
    payment.adjustmentAmount.hundredths += adjustment.kind == events::AdjustmentKind::deduction ? -amount : amount;
}

/// What came of the payment of a person's work.
char outcome_of(PayrollRunRecord const& run, std::string const& settled, Id staff) {
    auto const& people = run.internals.paymentStaffIds;
    auto const found = std::ranges::lower_bound(people, staff);
    if (found == people.end() || *found != staff) return events::PayrollInternals::kOpen;
    return settled.at(static_cast<std::size_t>(found - people.begin()));
}

}  // namespace

NewEvent run_event(Id id, core::Nullable<Id> const& facility, events::PayrollRunEvent event) {
    return {{events::Kind::payroll_run, id}, facility.value.value_or(0), std::move(event)};
}
NewEvent run_event(PayrollRunRecord const& run, events::PayrollRunEvent event) {
    return run_event(run.id, run.facilityId, std::move(event));
}

Result<PayrollRunRecord const*> find_run(View const& view, Id id, Context const& context) {
    auto const* run = view.get<PayrollRunRecord>(id);
    bool const seen = run && !run->deleted &&
                      (run->facilityId.value ? context.reaches(*run->facilityId.value) : context.facilities.empty());
    if (!seen) return not_found(kPayrollRun, id);
    return run;
}

events::PayrollRun shown_run(View const& view, Id id) { return *view.get<PayrollRunRecord>(id); }

tl::unexpected<core::Problem> refuse_move(PayrollRunRecord const& run, std::string_view command,
                                          std::string const& reason) {
    return invalid_transition(kPayrollRun, core::enum_name(run.status), command, allowed(run.status), reason);
}

tl::unexpected<core::Problem> refuse_locked(std::vector<Id> timesheets, std::string message) {
    if (timesheets.size() > kNamedLocked) timesheets.resize(kNamedLocked);
    core::JsonWriter details;
    details.begin_object();
    details.key("timesheetIds");
    core::write_json(details, timesheets);
    details.end_object();
    return refuse(Code::timesheet_locked, std::move(message), details.take());
}

Payments payments_of(View const& view, std::span<Id const> timesheets,
                     std::span<events::PayrollAmount const> adjustments) {
    Requirements(view).rows<TimesheetRecord>(timesheets).require();
    Payments payments;
    for (Id const id : timesheets) {
        auto const& log = *view.get<TimesheetRecord>(id);
        auto& payment = payments[log.staffId];
        payment.grossAmount.hundredths += log.grossAmount.hundredths;
        payment.regularMinutes += log.workedMinutes - log.overtimeMinutes;
        payment.overtimeMinutes += log.overtimeMinutes;
    }
    for (auto const& adjustment : adjustments) add_adjustment(payments[adjustment.staffId], adjustment);
    for (auto& [staff, payment] : payments) {
        payment.staffId = staff;
        payment.netAmount.hundredths = payment.grossAmount.hundredths + payment.adjustmentAmount.hundredths;
    }
    return payments;
}

void release_timesheets(View const& view, PayrollRunRecord const& run, std::string const& settled,
                        std::span<Id const> timesheets, std::vector<NewEvent>& events) {
    if (timesheets.empty()) return;
    Requirements(view).rows<TimesheetRecord>(timesheets).require();
    for (Id const id : timesheets) {
        auto const* log = view.get<TimesheetRecord>(id);
        bool const unpaid = log && !log->deleted && log->status == events::TimesheetStatus::approved;
        if (!unpaid || outcome_of(run, settled, log->staffId) != events::PayrollInternals::kPaid) continue;
        events.push_back(
            {{events::Kind::timesheet, id}, log->facilityId, events::TimesheetEvent(events::TimesheetPaid{run.id})});
    }
    events.push_back(
        run_event(run, events::PayrollRunTimesheetsReleased{std::vector<Id>(timesheets.begin(), timesheets.end())}));
}

Result<void> require_unheld(View const& view, Id timesheet) {
    auto const* run = view.first_by<events::RunHolding>(timesheet);
    if (!run) return {};
    return refuse_locked({timesheet}, fmt::format("Payroll run {} pays the timesheet.", run->id));
}

}  // namespace workforce::commands
