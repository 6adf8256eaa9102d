// Rules of timesheets (domain 1.6, 2.3, and "Time and pay" of 15 and 16).
#include "commands/timesheet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/payroll_run.hpp"
#include "commands/shift_states.hpp"
#include "commands/staff.hpp"
#include "commands/work_week.hpp"

namespace workforce::commands {
namespace {

using events::TimesheetRecord;
using events::TimesheetStatus;

constexpr std::string_view kTimesheet = "timesheet";
constexpr std::int64_t kEarliestClockInMs = 60 * 60'000LL;
constexpr core::Date kLastLogDay{2'932'896};  // 9999-12-31
constexpr std::size_t kMostApprovals = 100;

std::string sealed_for_staff(Id staff) { return to_string(events::AggregateRef{events::Kind::staff, staff}); }

/// What the state permits, as details.allowed lists it.
std::vector<std::string> allowed(TimesheetStatus status) {
    switch (status) {
        case TimesheetStatus::open:
            return {"update", "clock-out", "submit", "void"};
        case TimesheetStatus::submitted:
            return {"update", "approve", "reject", "void"};
        case TimesheetStatus::approved:
            return {"unapprove", "void"};
        case TimesheetStatus::rejected:
            return {"update", "void"};
        case TimesheetStatus::paid:
        case TimesheetStatus::void_:
            return {};
    }
    return {};
}

tl::unexpected<core::Problem> refuse_timesheet_move(TimesheetRecord const& log, std::string_view command,
                                                    std::string const& reason = {}) {
    return invalid_transition(kTimesheet, core::enum_name(log.status), command, allowed(log.status), reason);
}

NewEvent timesheet_event(Id id, Id facility, events::TimesheetEvent event) {
    return {{events::Kind::timesheet, id}, facility, std::move(event)};
}
NewEvent timesheet_event(TimesheetRecord const& log, events::TimesheetEvent event) {
    return timesheet_event(log.id, log.facilityId, std::move(event));
}

/// The log that a command is about, where the caller sees it. Errors: NOT_FOUND.
Result<TimesheetRecord const*> find_log(View const& view, Id id, Context const& context) {
    auto const* log = view.get<TimesheetRecord>(id);
    bool const seen =
        log && !log->deleted && (context.own_only ? log->staffId == context.staff : context.reaches(log->facilityId));
    if (!seen) return not_found(kTimesheet, id);
    return log;
}

/// A refusal that names the log that stands in the way.
tl::unexpected<core::Problem> refuse_for_log(Code code, std::string message, Id log) {
    core::JsonWriter details;
    details.begin_object();
    details.member("timesheetId", log);
    details.end_object();
    return refuse(code, std::move(message), details.take());
}

/// All that is wrong with the breaks of a log; where its own ends are wrong, nothing is said of what sticks out.
void check_breaks(events::TimesheetTime const& time, bool ends_well, std::vector<core::FieldError>& faults) {
    auto breaks = time.breaks;
    std::ranges::sort(breaks, {}, &events::TimesheetBreak::start);
    bool turned = false, outside = false, overlapping = false;
    auto last = breaks.empty() ? Timestamp{} : breaks.front().start;
    for (auto const& each : breaks) {
        turned = turned || each.end <= each.start;
        outside = outside || each.start < time.clockIn || each.end > *time.clockOut.value;
        overlapping = overlapping || each.start < last;
        last = std::max(last, each.end);
    }
    if (turned) faults.push_back({"breaks", "order", "must end after they start"});
    if (outside && ends_well) faults.push_back({"breaks", "range", "must lie between clockIn and clockOut"});
    if (overlapping) faults.push_back({"breaks", "overlap", "must not overlap one another"});
}

/// All that makes times no log.
std::vector<core::FieldError> faults_of(events::TimesheetTime const& time) {
    std::vector<core::FieldError> faults;
    if (!time.clockOut.value) {
        if (!time.breaks.empty()) faults.push_back({"breaks", "order", "need a clockOut"});
        return faults;
    }
    auto const out = *time.clockOut.value;
    if (out <= time.clockIn) {
        faults.push_back({"clockOut", "order", "must be after clockIn"});
    } else if (out.ms - time.clockIn.ms > events::kLongestTimesheetMs) {
        faults.push_back({"clockOut", "range", "must be at most 24 hours after clockIn"});
    }
    check_breaks(time, faults.empty(), faults);
    return faults;
}

/// The same of a log whose day is known: at the ends of the calendar a moment that UTC has may be of no day that can be
/// kept.
Result<void> require_log(TimesheetRecord const& log) {
    auto faults = faults_of(log);
    if (log.date < core::kFirstDate || log.date > kLastLogDay) {
        faults.push_back({"clockIn", "range", "must be of the years 1 to 9999, by the facility's clocks"});
    }
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    return {};
}

/// TIMESHEET_OVERLAP where the person has another log at that time. An open one takes the moment that it begins.
Result<void> check_overlap(View const& view, Id staff, Id own, events::TimesheetTime const& time) {
    auto const ends = time.clockOut.value.value_or(Timestamp{time.clockIn.ms + 1});
    for (auto const& other : view.overlapping<events::WorkOfPerson>(time.clockIn, ends, staff)) {
        if (other.id == own) continue;
        return refuse_for_log(Code::timesheet_overlap, "Another log of the staff member is of that time.", other.id);
    }
    return {};
}

/// Where work is logged.
struct Place : events::TimesheetPlace {
    std::string timezone;
    events::ShiftRecord const* shift = nullptr;
};

/// The staff member whom a log is of: the one who is named, or the caller. Errors: VALIDATION_ERROR, NOT_FOUND.
Result<events::StaffRecord const*> worker_of(View const& view, std::optional<Id> named, Context const& context) {
    auto const id = named.value_or(context.staff);
    if (id == 0) return invalid_field("staffId", "required", "must name the staff member who works");
    auto const* person = reached_person(view, id, context);
    if (!person) return not_found("staff member", id);
    return person;
}

/// The shift that somebody works on. Errors: NOT_FOUND of a shift that the caller does not see, or of a person who is
/// not assigned.
Result<events::ShiftRecord const*> shift_of(View const& view, Id id, Id staff, Context const& context) {
    auto const* record = view.get<events::ShiftRecord>(id);
    if (!record || record->deleted || !(context.own_only || context.reaches(record->shift.facilityId))) {
        return not_found("shift", id);
    }
    if (std::ranges::count(record->shift.assignedStaffIds, staff) == 0) {
        return refuse(Code::not_found, fmt::format("Staff member {} is not assigned to shift {}.", staff, id));
    }
    return record;
}

/// The facility of a log without a shift: the one that is named, or the person's only one.
Result<events::Facility const*> facility_of(View const& view, std::optional<Id> named,
                                            events::StaffRecord const& person, Context const& context) {
    auto const only = person.facilityIds.size() == 1 ? std::optional(person.facilityIds.front()) : std::nullopt;
    auto const id = named ? named : only;
    if (!id) return invalid_field("facilityId", "required", "must be there where shiftId is not");
    if (!context.own_only) return facility_in_scope(view, *id, context);
    bool const own = person.facilityIds.empty() || std::ranges::count(person.facilityIds, *id) > 0;
    if (auto const* facility = own ? view.get<events::Facility>(*id) : nullptr) return facility;
    return refuse(Code::facility_scope_violation, fmt::format("Facility {} is not among your facilities.", *id));
}

/// Whoever was on a shift when it was cancelled is told so. Errors: INVALID_STATE_TRANSITION.
Result<void> require_not_cancelled(View const& view, std::optional<Id> shift, Id staff, Context const& context) {
    auto const* record = shift ? view.get<events::ShiftRecord>(*shift) : nullptr;
    if (!record || record->deleted || record->shift.status != events::ShiftStatus::cancelled) return {};
    bool const seen = context.own_only || context.reaches(record->shift.facilityId);
    if (!seen || std::ranges::count(record->formerStaffIds, staff) == 0) return {};
    return refuse_move(record->shift, "clock-in");
}

template <class Command>
Result<Place> place_of(View const& view, Command const& command, events::StaffRecord const& person,
                       Context const& context) {
    Place place;
    place.staffId = person.id;
    if (command.shiftId) {
        auto const shift = shift_of(view, *command.shiftId, person.id, context);
        if (!shift) return tl::unexpected(shift.error());
        place.shift = *shift;
        place.shiftId = *command.shiftId;
        place.facilityId = place.shift->shift.facilityId;
        place.timezone = place.shift->shift.timezone;
        if (command.facilityId && *command.facilityId != place.facilityId) {
            return invalid_field("facilityId", "differs", "must be the shift's facility, or left out");
        }
        return place;
    }
    auto const facility = facility_of(view, command.facilityId, person, context);
    if (!facility) return tl::unexpected(facility.error());
    if (!(*facility)->isActive) return refuse_inactive(**facility, "clock-in");
    place.facilityId = (*facility)->id;
    place.timezone = (*facility)->timezone.value;
    return place;
}

Result<void> check_not_clocked_in(View const& view, Id staff) {
    if (auto const* open = view.first_by<events::OpenWorkOfPerson>(staff)) {
        return refuse_for_log(Code::already_clocked_in, "The staff member has clocked in and not out.", open->id);
    }
    return {};
}

/// TIMESHEET_LOCKED where a payroll run pays the log, as it may what is approved.
Result<void> check_unheld(View const& view, TimesheetRecord const& log) {
    return log.status == TimesheetStatus::approved ? require_unheld(view, log.id) : Result<void>{};
}

/// The zone by whose calendar a log counts: its facility's.
std::string zone_of(View const& view, Id facility) {
    auto const* found = view.get<events::Facility>(facility);
    return found ? found->timezone.value : std::string("UTC");
}

/// What the log is worth once it is so, and events for others of the week. `before` is as it was, where it was.
events::TimesheetPay settle(View const& view, TimesheetRecord const* before, TimesheetRecord const& after,
                            std::vector<NewEvent>& others) {
    auto const monday = monday_of(after.date);
    WorkWeek week(view, after.staffId, monday);
    week.put(after);
    week.add_changes(after.id, others);
    if (before && monday_of(before->date) != monday) {
        WorkWeek left(view, before->staffId, monday_of(before->date));
        auto gone = *before;
        gone.status = TimesheetStatus::void_;
        left.put(gone);
        left.add_changes(before->id, others);
    }
    return week.pay_of(after);
}

/// The decision that an event of the log makes, with what else changes by it.
Decision with_others(NewEvent event, std::vector<NewEvent> others) {
    Decision decision;
    decision.events.push_back(std::move(event));
    std::ranges::move(others, std::back_inserter(decision.events));
    return decision;
}

events::Timesheet shown(View const& view, Id id) { return *view.get<TimesheetRecord>(id); }

/// The log with a new time: its day and its minutes.
void set_time(TimesheetRecord& log, std::string const& zone) {
    log.date = core::local_date(log.clockIn, zone);
    log.workedMinutes = worked_minutes(log);
}

/// Submits the log as it stands, which has a clockOut.
Result<Decision> submit(View const& view, TimesheetRecord const& before, TimesheetRecord log) {
    if (auto good = require_log(log); !good) return tl::unexpected(good.error());
    if (auto clear = check_overlap(view, log.staffId, log.id, log); !clear) return tl::unexpected(clear.error());
    log.status = TimesheetStatus::submitted;
    std::vector<NewEvent> others;
    auto const pay = settle(view, &before, log, others);
    events::TimesheetSubmitted submitted{log, log, pay, {sealed_for_staff(log.staffId)}, log.notes};
    return with_others(timesheet_event(log, std::move(submitted)), std::move(others));
}

/// Approves, or says why not. Nothing: it is approved already.
Result<std::optional<NewEvent>> approve(View const& view, Id id, Context const& context,
                                        std::vector<NewEvent>& others) {
    auto const found = find_log(view, id, context);
    if (!found) return tl::unexpected(found.error());
    auto log = **found;
    if (log.status == TimesheetStatus::approved) return std::nullopt;
    if (log.status != TimesheetStatus::submitted) return refuse_timesheet_move(log, "approve");
    if (decides_on_own(log.staffId, context)) {
        return refuse(Code::self_approval_forbidden, "Nobody but an admin approves their own time.");
    }
    auto const pay = settle(view, &log, log, others);
    return timesheet_event(log, events::TimesheetApproved{log, pay, log.date, log.workedMinutes});
}

}  // namespace

Result<Decision> decide(View const& view, ClockIn const& command, Context const& context) {
    auto const person = worker_of(view, command.staffId, context);
    if (!person) return tl::unexpected(person.error());
    if (!(*person)->isActive) return refuse(Code::staff_inactive, "The staff member is not active.");
    if (auto on = require_not_cancelled(view, command.shiftId, (*person)->id, context); !on) {
        return tl::unexpected(on.error());
    }
    auto const place = place_of(view, command, **person, context);
    if (!place) return tl::unexpected(place.error());
    std::vector<NewEvent> started;
    if (place->shift) {
        auto const& shift = place->shift->shift;
        auto const running = shift.status == events::ShiftStatus::in_progress;
        if (shift.status == events::ShiftStatus::completed) return refuse_move(shift, "clock-in");
        if (context.now.ms < shift.startsAt.ms - kEarliestClockInMs) {
            return refuse_move(shift, "clock-in", "it begins more than 60 minutes from now");
        }
        if (!running) {
            auto events = start(*place->shift, context.now);
            if (!events) return tl::unexpected(events.error());
            started = *std::move(events);
        }
    }
    if (auto free = check_not_clocked_in(view, (*person)->id); !free) return tl::unexpected(free.error());
    events::TimesheetTime time{core::local_date(context.now, place->timezone), context.now, {}, {}, 0};
    if (auto clear = check_overlap(view, (*person)->id, 0, time); !clear) return tl::unexpected(clear.error());
    events::TimesheetOpened opened{
        *place, {sealed_for_staff(place->staffId)}, time.date, time.clockIn, command.notes.value_or(core::LongText{})};
    return with_others(timesheet_event(context.new_ids.at(0), place->facilityId, std::move(opened)),
                       std::move(started));
}
events::Timesheet answer(View const& view, ClockIn const&, Decision const& decision) {
    return shown(view, decision.events.at(0).subject.id);
}

void CreateTimesheet::check(core::FieldCheck& fields) const {
    if (!fields.sound("clockIn") || !fields.sound("clockOut")) return;
    auto const& known = fields.sound("breaks") ? breaks : std::vector<events::TimesheetBreak>{};
    for (auto const& fault : faults_of({{}, clockIn, clockOut, known, 0})) {
        fields.fail(fault.field, fault.rule, fault.message);
    }
}

Result<Decision> decide(View const& view, CreateTimesheet const& command, Context const& context) {
    auto const person = worker_of(view, command.staffId, context);
    if (!person) return tl::unexpected(person.error());
    auto const place = place_of(view, command, **person, context);
    if (!place) return tl::unexpected(place.error());
    TimesheetRecord log;
    log.id = context.new_ids.at(0);
    static_cast<events::TimesheetPlace&>(log) = *place;
    log.clockIn = command.clockIn;
    log.clockOut = command.clockOut;
    log.breaks = command.breaks;
    log.notes = command.notes;
    set_time(log, place->timezone);
    if (auto good = require_log(log); !good) return tl::unexpected(good.error());
    if (!log.clockOut.value) {
        if (auto free = check_not_clocked_in(view, log.staffId); !free) return tl::unexpected(free.error());
        if (auto clear = check_overlap(view, log.staffId, 0, log); !clear) return tl::unexpected(clear.error());
        return Decision{
            {timesheet_event(
                log, events::TimesheetOpened{log, {sealed_for_staff(log.staffId)}, log.date, log.clockIn, log.notes})},
            {}};
    }
    if (auto clear = check_overlap(view, log.staffId, 0, log); !clear) return tl::unexpected(clear.error());
    log.status = TimesheetStatus::submitted;
    std::vector<NewEvent> others;
    auto const pay = settle(view, nullptr, log, others);
    events::TimesheetSubmitted submitted{log, log, pay, {sealed_for_staff(log.staffId)}, log.notes};
    return with_others(timesheet_event(log, std::move(submitted)), std::move(others));
}
events::Timesheet answer(View const& view, CreateTimesheet const&, Decision const& decision) {
    return shown(view, decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateTimesheet const& command, Context const& context) {
    auto const found = find_log(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& before = **found;
    std::vector<core::FieldError> fixed;
    if (command.staffId && *command.staffId != before.staffId) fixed.push_back({"staffId", "fixed", "can't change"});
    if (command.facilityId && *command.facilityId != before.facilityId)
        fixed.push_back({"facilityId", "fixed", "can't change"});
    if (command.shiftId && command.shiftId->value != before.shiftId.value)
        fixed.push_back({"shiftId", "fixed", "can't change"});
    if (!fixed.empty()) return tl::unexpected(core::validation_problem(fixed));
    auto log = before;
    if (command.clockIn) log.clockIn = *command.clockIn;
    if (command.clockOut) log.clockOut = *command.clockOut;
    if (command.breaks) log.breaks = *command.breaks;
    if (command.notes) log.notes = *command.notes;
    bool const same = log.clockIn == before.clockIn && log.clockOut.value == before.clockOut.value &&
                      core::to_json(log.breaks) == core::to_json(before.breaks) &&
                      log.notes.value.value == before.notes.value.value;
    if (same) return Decision{};
    if (auto free = check_unheld(view, before); !free) return tl::unexpected(free.error());
    bool const open = before.status == TimesheetStatus::open;
    bool const editable = open || (!context.own_only && (before.status == TimesheetStatus::submitted ||
                                                         before.status == TimesheetStatus::rejected));
    if (!editable) return refuse_timesheet_move(before, "update");
    if (!open && !log.clockOut.value)
        return invalid_field("clockOut", "required", "must be there once it is submitted");
    set_time(log, zone_of(view, log.facilityId));
    if (auto good = require_log(log); !good) return tl::unexpected(good.error());
    if (auto clear = check_overlap(view, log.staffId, log.id, log); !clear) return tl::unexpected(clear.error());
    if (!open) log.status = TimesheetStatus::submitted;
    std::vector<NewEvent> others;
    auto const pay = settle(view, &before, log, others);
    events::TimesheetEdited edited{log, pay, {sealed_for_staff(log.staffId)}, log.notes, log.status};
    return with_others(timesheet_event(log, std::move(edited)), std::move(others));
}
events::Timesheet answer(View const& view, UpdateTimesheet const& command, Decision const&) {
    return shown(view, command.id);
}

Result<Decision> decide(View const& view, ClockOut const& command, Context const& context) {
    auto const found = find_log(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto log = **found;
    if (log.status != TimesheetStatus::open) return refuse_timesheet_move(log, "clock-out");
    log.clockOut = context.now;
    if (command.breaks) log.breaks = *command.breaks;
    set_time(log, zone_of(view, log.facilityId));
    return submit(view, **found, std::move(log));
}
events::Timesheet answer(View const& view, ClockOut const& command, Decision const&) { return shown(view, command.id); }

Result<Decision> decide(View const& view, SubmitTimesheet const& command, Context const& context) {
    auto const found = find_log(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& log = **found;
    if (log.status == TimesheetStatus::submitted) return Decision{};
    if (log.status != TimesheetStatus::open) return refuse_timesheet_move(log, "submit");
    if (!log.clockOut.value) return refuse_timesheet_move(log, "submit", "it has no clockOut");
    return submit(view, log, log);
}
events::Timesheet answer(View const& view, SubmitTimesheet const& command, Decision const&) {
    return shown(view, command.id);
}

Result<Decision> decide(View const& view, ApproveTimesheet const& command, Context const& context) {
    std::vector<NewEvent> others;
    auto approved = approve(view, command.id, context, others);
    if (!approved) return tl::unexpected(approved.error());
    return *approved ? with_others(std::move(**approved), std::move(others)) : Decision{};
}
events::Timesheet answer(View const& view, ApproveTimesheet const& command, Decision const&) {
    return shown(view, command.id);
}

void ApproveTimesheets::check(core::FieldCheck& fields) const {
    if (!fields.sound("ids")) return;
    if (ids.empty()) fields.fail("ids", "min_items", "must name at least one log");
    if (ids.size() > kMostApprovals) fields.fail("ids", "max_items", "must be at most 100");
}

Result<Decision> decide(View const& view, ApproveTimesheets const& command, Context const& context) {
    Requirements(view).rows<TimesheetRecord>(command.ids).require();
    Requirements weeks(view);
    for (Id const id : command.ids) {
        if (auto const found = find_log(view, id, context)) {
            require_week(weeks, view, (*found)->staffId, monday_of((*found)->date));
        }
    }
    weeks.require();
    Decision decision;
    std::vector<Id> seen;
    for (Id const id : command.ids) {
        if (std::ranges::count(seen, id) > 0) continue;
        seen.push_back(id);
        std::vector<NewEvent> others;
        auto approved = approve(view, id, context, others);
        if (!approved) {
            decision.refused.emplace_back(id, approved.error());
        } else if (*approved) {
            decision.events.push_back(std::move(**approved));
        }
    }
    return decision;
}
TimesheetApprovals answer(View const&, ApproveTimesheets const& command, Decision const& decision) {
    TimesheetApprovals answer;
    for (Id const id : command.ids) {
        auto const refused = std::ranges::find(decision.refused, id, &std::pair<Id, core::Problem>::first);
        if (refused == decision.refused.end()) {
            answer.results.push_back({id, ApprovalResult::approved, {}});
            continue;
        }
        auto const& problem = refused->second;
        answer.results.push_back(
            {id, ApprovalResult::error,
             ApprovalFault{
                 std::string(core::info(problem.code).name), problem.message,
                 problem.suggestion.empty() ? std::string(core::info(problem.code).suggestion) : problem.suggestion}});
    }
    return answer;
}

Result<Decision> decide(View const& view, RejectTimesheet const& command, Context const& context) {
    auto const found = find_log(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto log = **found;
    if (log.status == TimesheetStatus::rejected) return Decision{};
    if (log.status != TimesheetStatus::submitted) return refuse_timesheet_move(log, "reject");
    log.status = TimesheetStatus::rejected;
    std::vector<NewEvent> others;
    std::ignore = settle(view, &log, log, others);
    events::TimesheetRejected rejected{{sealed_for_staff(log.staffId)}, core::LongText(command.reason.value)};
    return with_others(timesheet_event(log, std::move(rejected)), std::move(others));
}
events::Timesheet answer(View const& view, RejectTimesheet const& command, Decision const&) {
    return shown(view, command.id);
}

Result<Decision> decide(View const& view, UnapproveTimesheet const& command, Context const& context) {
    auto const found = find_log(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto log = **found;
    if (log.status == TimesheetStatus::submitted) return Decision{};
    if (log.status != TimesheetStatus::approved) return refuse_timesheet_move(log, "unapprove");
    if (auto free = check_unheld(view, log); !free) return tl::unexpected(free.error());
    log.status = TimesheetStatus::submitted;
    std::vector<NewEvent> others;
    // What it is worth now that it is not frozen any more, where that is something else.
    WorkWeek week(view, log.staffId, monday_of(log.date));
    week.put(log);
    week.add_changes(0, others);
    return with_others(timesheet_event(log, events::TimesheetUnapproved{}), std::move(others));
}
events::Timesheet answer(View const& view, UnapproveTimesheet const& command, Decision const&) {
    return shown(view, command.id);
}

Result<Decision> decide(View const& view, VoidTimesheet const& command, Context const& context) {
    auto const found = find_log(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto log = **found;
    if (log.status == TimesheetStatus::void_) return Decision{};
    if (log.status == TimesheetStatus::paid) return refuse_timesheet_move(log, "void");
    if (auto free = check_unheld(view, log); !free) return tl::unexpected(free.error());
    log.status = TimesheetStatus::void_;
    std::vector<NewEvent> others;
    std::ignore = settle(view, &log, log, others);
    return with_others(timesheet_event(log, events::TimesheetVoided{}), std::move(others));
}
events::Timesheet answer(View const& view, VoidTimesheet const& command, Decision const&) {
    return shown(view, command.id);
}

Result<void> require_no_logs(View const& view, Id shift, std::span<Id const> staff) {
    for (auto const* log : view.by<events::WorkOnShift>(shift)) {
        if (!staff.empty() && std::ranges::count(staff, log->staffId) == 0) continue;
        return refuse_for_log(Code::timesheet_exists,
                              fmt::format("Staff member {} has logged work on the shift.", log->staffId), log->id);
    }
    return {};
}

}  // namespace workforce::commands
