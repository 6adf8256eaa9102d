// Rules of payroll runs up to their approval (domain 1.7, 2.3, and "Time and pay" of 15 and 16).
#include "commands/payroll_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/payroll_states.hpp"
#include "commands/staff.hpp"

namespace workforce::commands {
namespace {

using events::PayrollRunRecord;
using events::PayrollRunStatus;
using events::PayrollRunType;
using events::TimesheetRecord;
using events::TimesheetStatus;

constexpr int kLongestPeriodDays = 62;
constexpr int kPayDelayDays = 5;
constexpr core::Date kFirstPayrollDay{10'957};  // 2000-01-01
constexpr core::Date kLastPayrollDay{47'846};   // 2100-12-31
constexpr std::int64_t kPayrollDayMs = 24 * 3'600'000LL;
/// No zone is further from UTC.
constexpr std::int64_t kWidestZoneMs = 15 * 3'600'000LL;

/// All that makes days no period.
std::vector<core::FieldError> faults_of(events::PayrollPeriod const& period) {
    auto const in_range = [](core::Date day) { return day >= kFirstPayrollDay && day <= kLastPayrollDay; };
    std::vector<core::FieldError> faults;
    if (!in_range(period.periodStart)) faults.push_back({"periodStart", "range", "must be of the years 2000 to 2100"});
    if (!in_range(period.periodEnd)) faults.push_back({"periodEnd", "range", "must be of the years 2000 to 2100"});
    if (!faults.empty()) return faults;
    if (period.periodEnd < period.periodStart) {
        faults.push_back({"periodEnd", "order", "must not be before periodStart"});
    } else if (period.periodEnd.days - period.periodStart.days >= kLongestPeriodDays) {
        faults.push_back({"periodEnd", "range", "must make a period of at most 62 days"});
    }
    return faults;
}

/// What a draft is made of.
struct Order {
    Id run = 0;
    core::Nullable<Id> facility;
    PayrollRunType type = PayrollRunType::regular;
    events::PayrollPeriod period;
    std::optional<std::vector<Id>> timesheets;  ///< those that are named; else the period's
    std::vector<events::PayrollAdjustment> adjustments;
    std::vector<events::PayrollAdjustment> kept{};  ///< those that the draft has
};

/// The organization's open runs but this one.
std::vector<PayrollRunRecord const*> other_runs(View const& view, Id own, Context const& context) {
    auto runs = view.by<events::OpenRuns>(context.organization, false);
    std::erase_if(runs, [&](auto const* run) { return run->id == own; });
    return runs;
}

Result<void> check_overlap(std::vector<PayrollRunRecord const*> const& others, Order const& order) {
    if (order.type != PayrollRunType::regular) return {};
    for (auto const* run : others) {
        bool const like = run->type == PayrollRunType::regular && run->status == PayrollRunStatus::draft &&
                          run->facilityId == order.facility;
        bool const apart = run->periodEnd < order.period.periodStart || order.period.periodEnd < run->periodStart;
        if (!like || apart) continue;
        core::JsonWriter details;
        details.begin_object();
        details.member("payrollRunId", run->id);
        details.end_object();
        return refuse(Code::payroll_overlap, fmt::format("The draft {} is of days of this period, too.", run->id),
                      details.take());
    }
    return {};
}

/// The logs that other runs hold, in order.
std::vector<Id> held_by(std::vector<PayrollRunRecord const*> const& runs) {
    std::vector<Id> held;
    for (auto const* run : runs) held.insert(held.end(), run->heldTimesheetIds.begin(), run->heldTimesheetIds.end());
    std::ranges::sort(held);
    return held;
}

/// Every approved log of the period that nobody holds, in order.
Result<std::vector<Id>> logs_of_period(View const& view, Order const& order, std::vector<Id> const& held) {
    std::vector<Id> facilities;
    if (order.facility.value) {
        facilities.push_back(*order.facility.value);
    } else {
        for (auto const& [id, facility] : view.all<events::Facility>()) facilities.push_back(id);
    }
    Timestamp const from{order.period.periodStart.days * kPayrollDayMs - kWidestZoneMs};
    Timestamp const to{(order.period.periodEnd.days + 1) * kPayrollDayMs + kWidestZoneMs};
    Requirements(view).keys<events::ApprovedWork>(facilities, from).require();
    std::vector<Id> ids;
    for (Id const facility : facilities) {
        for (auto const& entry : view.overlapping<events::ApprovedWork>(from, to, facility)) ids.push_back(entry.id);
    }
    Requirements(view).rows<TimesheetRecord>(ids).require();
    std::erase_if(ids, [&](Id id) {
        auto const date = view.get<TimesheetRecord>(id)->date;
        return date < order.period.periodStart || order.period.periodEnd < date || std::ranges::binary_search(held, id);
    });
    if (ids.size() > events::kMostTimesheetsOfRun) {
        return refuse(Code::limit_reached, fmt::format("{} timesheets are to be paid; a run takes 10000.", ids.size()),
                      {}, "Make a run for each facility, or for fewer days.");
    }
    std::ranges::sort(ids);
    return ids;
}

/// The logs that are named, in order. Errors: NOT_FOUND, VALIDATION_ERROR for those of another facility than the run,
/// TIMESHEET_LOCKED.
Result<std::vector<Id>> named_logs(View const& view, Order const& order, std::vector<Id> const& held,
                                   Context const& context) {
    auto ids = *order.timesheets;
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    Requirements(view).rows<TimesheetRecord>(ids).require();
    std::vector<Id> locked;
    for (Id const id : ids) {
        auto const* log = view.get<TimesheetRecord>(id);
        if (!log || log->deleted || !context.reaches(log->facilityId)) return not_found("timesheet", id);
        if (order.facility.value && log->facilityId != *order.facility.value) {
            return invalid_field("timesheetIds", "facility", "must be of the run's facility");
        }
        if (log->status != TimesheetStatus::approved || std::ranges::binary_search(held, id)) locked.push_back(id);
    }
    if (!locked.empty()) {
        return refuse_locked(std::move(locked), "Some timesheets are not approved, or another payroll run pays them.");
    }
    return ids;
}

/// Whether the draft has such an adjustment, which is taken out of `kept` then.
bool take_kept(std::vector<events::PayrollAdjustment>& kept, events::PayrollAdjustment const& adjustment) {
    auto const found = std::ranges::find_if(kept, [&](events::PayrollAdjustment const& one) {
        return one.staffId == adjustment.staffId && one.kind == adjustment.kind &&
               one.amount.hundredths == adjustment.amount.hundredths;
    });
    if (found == kept.end()) return false;
    kept.erase(found);
    return true;
}

/// Adjustments that a draft has may stay, also those of people who were deleted since. New ones are of people whom the
/// caller sees.
Result<void> check_people(View const& view, Order const& order, Context const& context) {
    std::vector<Id> people;
    for (auto const& adjustment : order.adjustments) people.push_back(adjustment.staffId);
    Requirements(view).rows<events::StaffRecord>(people).require();
    auto kept = order.kept;
    for (auto const& adjustment : order.adjustments) {
        if (take_kept(kept, adjustment)) continue;
        auto const id = adjustment.staffId;
        auto const* person = view.get<events::StaffRecord>(id);
        if (!person || person->deleted || !in_scope(*person, context)) return not_found("staff member", id);
    }
    return {};
}

/// What it comes to. Errors: VALIDATION_ERROR where somebody would get less than nothing.
Result<events::PayrollTotals> totals_of(View const& view, events::PayrollDraft const& draft) {
    events::PayrollTotals totals;
    for (auto const& [staff, payment] : payments_of(view, draft.timesheetIds, draft.adjustments)) {
        if (payment.netAmount.hundredths < 0) {
            return invalid_field("adjustments", "net",
                                 fmt::format("must leave staff member {} no less than nothing", staff));
        }
        ++totals.staffCount;
        totals.regularMinutes += payment.regularMinutes;
        totals.overtimeMinutes += payment.overtimeMinutes;
        totals.grossAmount.hundredths += payment.grossAmount.hundredths;
        totals.adjustmentAmount.hundredths += payment.adjustmentAmount.hundredths;
        totals.netAmount.hundredths += payment.netAmount.hundredths;
    }
    return totals;
}

/// The draft that is ordered.
Result<events::PayrollDraft> draw(View const& view, Order const& order, Context const& context) {
    if (auto const faults = faults_of(order.period); !faults.empty()) {
        return tl::unexpected(core::validation_problem(faults));
    }
    if (auto known = check_people(view, order, context); !known) return tl::unexpected(known.error());
    auto const others = other_runs(view, order.run, context);
    if (auto clear = check_overlap(others, order); !clear) return tl::unexpected(clear.error());
    auto const held = held_by(others);
    auto ids = order.timesheets ? named_logs(view, order, held, context) : logs_of_period(view, order, held);
    if (!ids) return tl::unexpected(ids.error());
    events::PayrollDraft draft{order.period, *std::move(ids), {}, {}};
    for (auto const& adjustment : order.adjustments) draft.adjustments.push_back(adjustment);
    auto const totals = totals_of(view, draft);
    if (!totals) return tl::unexpected(totals.error());
    draft.totals = *totals;
    return draft;
}

/// Adds what adjustments are for, each under its person's key; of who was erased nothing is told.
void add_notes(View const& view, Order const& order, std::vector<NewEvent>& events) {
    for (std::size_t i = 0; i < order.adjustments.size(); ++i) {
        auto const& adjustment = order.adjustments[i];
        events::AggregateRef const person{events::Kind::staff, adjustment.staffId};
        if (adjustment.note.value.value.empty() || view.erased(person)) continue;
        events.push_back(
            run_event(order.run, order.facility,
                      events::PayrollRunNoted{static_cast<std::int64_t>(i), adjustment.note, to_string(person)}));
    }
}

/// The facility of a new run. Errors: FACILITY_SCOPE_VIOLATION, also for who is bound to facilities and names none.
Result<core::Nullable<Id>> place_of(View const& view, core::Nullable<Id> named, Context const& context) {
    if (!named.value && context.facilities.size() == 1) named = context.facilities.front();
    if (!named.value && !context.facilities.empty()) {
        return refuse(Code::facility_scope_violation, "facilityId must name one of your facilities.");
    }
    if (!named.value) return named;
    if (auto const found = facility_in_scope(view, *named.value, context); !found) {
        return tl::unexpected(found.error());
    }
    return named;
}

/// The order that a draft is by.
Order order_of(PayrollRunRecord const& run) {
    return {run.id, run.facilityId, run.type, run, run.heldTimesheetIds, run.adjustments, run.adjustments};
}

bool same(Order const& a, Order const& b) {
    return a.timesheets == b.timesheets && core::to_json(a.period) == core::to_json(b.period) &&
           core::to_json(a.adjustments) == core::to_json(b.adjustments);
}

/// Adds the run's payments, some in each event.
void add_payments(View const& view, PayrollRunRecord const& run, std::vector<NewEvent>& events) {
    std::vector<events::PayrollAmount> adjustments(run.adjustments.begin(), run.adjustments.end());
    events::PayrollRunPaymentsCreated created{run.currency, {}};
    std::size_t number = 0;
    auto const flush = [&] {
        if (created.payments.empty()) return;
        events.push_back(run_event(run, created));
        created.payments.clear();
    };
    for (auto const& [staff, amounts] : payments_of(view, run.heldTimesheetIds, adjustments)) {
        created.payments.push_back({amounts, events::payment_id(run.id, ++number)});
        if (created.payments.size() == events::kPaymentsOfEvent) flush();
    }
    flush();
}

}  // namespace

void CreatePayrollRun::check(core::FieldCheck& fields) const {
    if (!fields.sound("periodStart") || !fields.sound("periodEnd")) return;
    for (auto const& fault : faults_of({periodStart, periodEnd, {}})) {
        fields.fail(fault.field, fault.rule, fault.message);
    }
}

Result<Decision> decide(View const& view, CreatePayrollRun const& command, Context const& context) {
    auto const place = place_of(view, command.facilityId, context);
    if (!place) return tl::unexpected(place.error());
    Order const order{.run = context.new_ids.at(0),
                      .facility = *place,
                      .type = command.type,
                      .period = {command.periodStart, command.periodEnd,
                                 command.payDate.value_or(core::Date{command.periodEnd.days + kPayDelayDays})},
                      .timesheets = command.timesheetIds,
                      .adjustments = command.adjustments,
                      .kept = {}};
    auto draft = draw(view, order, context);
    if (!draft) return tl::unexpected(draft.error());
    Decision decision;
    decision.events.push_back(
        run_event(order.run, order.facility,
                  events::PayrollRunCreated{
                      {order.facility, view.organization().currency.value}, *std::move(draft), order.type}));
    add_notes(view, order, decision.events);
    return decision;
}
events::PayrollRun answer(View const& view, CreatePayrollRun const&, Decision const& decision) {
    return shown_run(view, decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdatePayrollRun const& command, Context const& context) {
    auto const found = find_run(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& run = **found;
    std::vector<core::FieldError> fixed;
    if (command.facilityId && *command.facilityId != run.facilityId)
        fixed.push_back({"facilityId", "fixed", "can't change"});
    if (command.type && *command.type != run.type) fixed.push_back({"type", "fixed", "can't change"});
    if (!fixed.empty()) return tl::unexpected(core::validation_problem(fixed));
    auto const before = order_of(run);
    auto order = before;
    if (command.periodStart) order.period.periodStart = *command.periodStart;
    if (command.periodEnd) order.period.periodEnd = *command.periodEnd;
    if (command.payDate) order.period.payDate = *command.payDate;
    if (command.adjustments) order.adjustments = *command.adjustments;
    // What GET shows is sent back by who changes something else.
    if (command.timesheetIds && command.timesheetIds->value != run.timesheetIds) {
        order.timesheets = command.timesheetIds->value;
    }
    if (same(order, before)) return Decision{};
    if (run.status != PayrollRunStatus::draft) return refuse_move(run, "update");
    auto draft = draw(view, order, context);
    if (!draft) return tl::unexpected(draft.error());
    order.timesheets = draft->timesheetIds;
    if (same(order, before)) return Decision{};  // the period has no other logs
    Decision decision;
    decision.events.push_back(run_event(run, events::PayrollRunUpdated{*std::move(draft)}));
    add_notes(view, order, decision.events);
    return decision;
}
events::PayrollRun answer(View const& view, UpdatePayrollRun const& command, Decision const&) {
    return shown_run(view, command.id);
}

Result<Decision> decide(View const& view, DeletePayrollRun const& command, Context const& context) {
    auto const found = find_run(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    if ((*found)->status != PayrollRunStatus::draft) return refuse_move(**found, "delete");
    return Decision{{run_event(**found, events::PayrollRunDeleted{})}, {}};
}

Result<Decision> decide(View const& view, CancelPayrollRun const& command, Context const& context) {
    auto const found = find_run(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& run = **found;
    if (run.status == PayrollRunStatus::cancelled) return Decision{};
    bool const untouched =
        run.internals.settled.find_first_not_of(events::PayrollInternals::kOpen) == std::string::npos;
    bool const recalled =
        command.recalled == run.internals.attempt && run.status == PayrollRunStatus::processing && untouched;
    if (!recalled && run.status != PayrollRunStatus::draft && run.status != PayrollRunStatus::failed) {
        return refuse_move(run, "cancel");
    }
    return Decision{{run_event(run, events::PayrollRunCancelled{})}, {}};
}
events::PayrollRun answer(View const& view, CancelPayrollRun const& command, Decision const&) {
    return shown_run(view, command.id);
}

Result<Decision> decide(View const& view, ApprovePayrollRun const& command, Context const& context) {
    auto const found = find_run(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& run = **found;
    if (run.status != PayrollRunStatus::draft && run.status != PayrollRunStatus::failed) {
        return refuse_move(run, "approve");
    }
    if (run.timesheetCount == 0 && run.adjustments.empty()) {
        return refuse(Code::payroll_empty, "The payroll run has neither timesheets nor adjustments.");
    }
    Decision decision;
    if (run.internals.paymentStaffIds.empty()) add_payments(view, run, decision.events);
    decision.events.push_back(run_event(run, events::PayrollRunApproved{run.internals.attempt + 1}));
    return decision;
}
events::PayrollRun answer(View const& view, ApprovePayrollRun const& command, Decision const&) {
    return shown_run(view, command.id);
}

}  // namespace workforce::commands
