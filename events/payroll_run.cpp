// How events of payroll runs fold: the one definition, for the write side's memory and for read models.
#include "events/payroll_run.hpp"

#include <algorithm>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void draw_up(PayrollRunRecord& run, PayrollDraft const& draft) {
    static_cast<PayrollPeriod&>(run) = draft;
    auto const& ids = draft.timesheetIds;
    auto const shown = std::min(ids.size(), kShownTimesheets);
    run.timesheetIds.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shown));
    run.timesheetCount = std::ssize(ids);
    run.adjustments.clear();
    for (auto const& amount : draft.adjustments) run.adjustments.push_back({amount, {}});
    run.totals = draft.totals;
    run.heldTimesheetIds = ids;
    run.toldOfStaffIds.clear();
}

void tell_of(PayrollRunRecord& run, Id staff) {
    auto& told = run.toldOfStaffIds;
    if (std::ranges::count(told, staff) == 0) told.push_back(staff);
}

void note(PayrollRunRecord& run, PayrollRunNoted const& noted) {
    auto& adjustment = run.adjustments.at(static_cast<std::size_t>(noted.adjustment));
    adjustment.note = noted.note;
    tell_of(run, adjustment.staffId);
}

void add_payments(PayrollRunRecord& run, PayrollRunPaymentsCreated const& created) {
    for (auto const& payment : created.payments) run.internals.paymentStaffIds.push_back(payment.staffId);
    run.internals.settled.resize(run.internals.paymentStaffIds.size(), PayrollInternals::kOpen);
}

void approve(PayrollRunRecord& run, PayrollRunApproved const& approved, Envelope const& meta) {
    run.status = PayrollRunStatus::processing;
    run.externalPayrollId = {};
    run.failureReason.clear();
    run.approvedAt = meta.time;
    run.approvedBy = {};
    if (meta.actor.user != 0) run.approvedBy = meta.actor.user;
    auto& internals = run.internals;
    internals.attempt = approved.attempt;
    internals.settled.assign(internals.paymentStaffIds.size(), PayrollInternals::kOpen);
}

void settle(PayrollRunRecord& run, PayrollRunPaymentsSettled const& settled) {
    for (auto const& payment : settled.payments) {
        run.internals.settled.at(number_of_payment(payment.paymentId) - 1) =
            payment.status == PaymentStatus::paid ? PayrollInternals::kPaid : PayrollInternals::kFailed;
    }
}

/// Nothing is to come of it but the release of the logs that it holds.
void end(PayrollRunRecord& run, PayrollRunStatus status) {
    run.status = status;
    run.closed = run.heldTimesheetIds.empty();
}

void release(PayrollRunRecord& run, std::vector<Id> const& ids) {
    auto released = ids;
    std::ranges::sort(released);
    std::erase_if(run.heldTimesheetIds, [&](Id id) { return std::ranges::binary_search(released, id); });
    run.closed = run.heldTimesheetIds.empty();
}

void let_go(PayrollRunRecord& run) {
    run.heldTimesheetIds.clear();
    run.closed = true;
}

void forget(PayrollRunRecord& run, Id staff) {
    for (auto& adjustment : run.adjustments) {
        if (adjustment.staffId == staff) adjustment.note = {};
    }
    std::erase(run.toldOfStaffIds, staff);
}

}  // namespace

std::optional<PayrollRun> answer_for_retries(PayrollRun const& run) {
    auto const has_note = [](PayrollAdjustment const& adjustment) { return !adjustment.note.value.value.empty(); };
    if (std::ranges::none_of(run.adjustments, has_note)) return std::nullopt;
    auto kept = run;
    for (auto& adjustment : kept.adjustments) adjustment.note = {};
    return kept;
}

void evolve(PayrollRunRecord& run, PayrollRunEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](PayrollRunCreated const& e) {
                              static_cast<PayrollRunPlace&>(run) = e;
                              run.type = e.type;
                              run.internals.createdBy = meta.actor.user;
                              draw_up(run, e);
                          },
                          [&](PayrollRunUpdated const& e) { draw_up(run, e); },
                          [&](PayrollRunNoted const& e) { note(run, e); },
                          [&](PayrollRunPaymentsCreated const& e) { add_payments(run, e); },
                          [&](PayrollRunApproved const& e) { approve(run, e, meta); },
                          [&](PayrollRunSubmitted const& e) {
                              run.externalPayrollId = e.externalPayrollId;
                              run.internals.submitted = e.attempt;
                          },
                          [&](PayrollRunPaymentsSettled const& e) { settle(run, e); },
                          [&](PayrollRunPaymentExplained const& e) {
                              auto const number = number_of_payment(e.paymentId);
                              tell_of(run, run.internals.paymentStaffIds.at(number - 1));
                          },
                          [&](PayrollRunPaid const&) { end(run, PayrollRunStatus::paid); },
                          [&](PayrollRunPartiallyPaid const&) { end(run, PayrollRunStatus::partially_paid); },
                          [&](PayrollRunFailed const& e) {
                              run.status = PayrollRunStatus::failed;
                              run.failureReason = e.reason;
                          },
                          [&](PayrollRunCancelled const&) {
                              run.status = PayrollRunStatus::cancelled;
                              let_go(run);
                          },
                          [&](PayrollRunDeleted const&) {
                              run.deleted = true;
                              let_go(run);
                          },
                          [&](PayrollRunTimesheetsReleased const& e) { release(run, e.timesheetIds); },
                          [&](PayrollRunPersonErased const& e) { forget(run, e.staffId); }},
               event);
    stamp(run, meta);
}

template struct DataCodec<PayrollRunEvent>;

}  // namespace workforce::events
