// Rules of making, changing and moving shifts. Staffing them is in shift_staffing.cpp.
#include "commands/shift.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/assignment_rules.hpp"
#include "commands/facility.hpp"
#include "commands/shift_staffing.hpp"
#include "commands/shift_states.hpp"
#include "commands/shift_times.hpp"
#include "commands/timesheet.hpp"
#include "core/faults.hpp"

namespace workforce::commands {
namespace {

using events::ShiftStatus;

constexpr std::int64_t kAutoCompleteMs = 15 * 60'000LL;  // a running shift ends by itself this long past its end

/// Bulk creation names fields by their place in the array.
std::string place_of(std::size_t index) { return "shifts[" + std::to_string(index) + "]"; }

/// Of the shifts of a bulk creation, what is wrong with their fields, and else the first refusal.
class BulkFaults {
   public:
    void note(core::Problem problem, std::size_t index) {
        if (problem.code == Code::validation_error) {
            for (auto& fault : core::fields_of(problem)) {
                fields_.push_back(
                    {place_of(index) + "." + fault.field, std::move(fault.rule), std::move(fault.message)});
            }
        } else if (!other_) {
            problem.message = place_of(index) + ": " + problem.message;
            other_ = std::move(problem);
        }
    }
    [[nodiscard]] std::optional<core::Problem> problem() const {
        return fields_.empty() ? other_ : core::validation_problem(fields_);
    }

   private:
    std::vector<core::FieldError> fields_;
    std::optional<core::Problem> other_;
};

/// The shift that such details make.
Result<events::Shift> new_shift(View const& view, events::ShiftDetails const& details, Id id, Context const& context) {
    auto facility = facility_in_scope(view, details.facilityId, context);
    if (!facility) return tl::unexpected(facility.error());
    if (!(*facility)->isActive) return refuse_inactive(**facility, "create-shift");
    auto span = span_of(details.date, details.startTime, details.endTime, (*facility)->timezone.value);
    if (!span) return tl::unexpected(core::validation_problem({span.error()}));
    events::Shift shift;
    static_cast<events::ShiftDetails&>(shift) = details;
    static_cast<events::ShiftSpan&>(shift) = *span;
    shift.id = id;
    return shift;
}

NewEvent posting_of(events::Shift const& shift, core::Nullable<Id> template_id) {
    return event_of(shift, events::ShiftPosted{{shift}, {shift}, template_id});
}

Result<void> create(View const& view, CreateShift const& command, Id id, Context const& context, StaffingPlan& plan) {
    if (!command.assignedStaffIds.empty() && !context.may_assign) {
        return refuse(context.lacks_assign, "Assigning staff takes the permission shifts.assign.",
                      R"({"permission":"shifts.assign"})");
    }
    auto const shift = new_shift(view, command, id, context);
    if (!shift) return tl::unexpected(shift.error());
    plan.decision.events.push_back(posting_of(*shift, {}));
    if (command.assignedStaffIds.empty()) return {};
    return plan_staffing(view, *shift, command.assignedStaffIds, {}, context, plan);
}

/// Has all that the staffing of many shifts looks at looked up at once, not a shift after the other.
void require_all(View const& view, CreateShifts const& command, Context const& context) {
    std::vector<Id> staff, asked;  // who is asked for credentials
    std::vector<events::Shift> shifts;
    auto from = context.now;
    for (auto const& one : command.shifts) {
        auto shift = new_shift(view, one, 0, context);
        if (!shift) continue;
        staff.insert(staff.end(), one.assignedStaffIds.begin(), one.assignedStaffIds.end());
        shift->assignedStaffIds = one.assignedStaffIds;
        auto const rules = rules_of(view, *shift);
        from = std::min(from, rules.from(*shift));
        if (!rules.required.empty())
            asked.insert(asked.end(), staff.end() - std::ssize(one.assignedStaffIds), staff.end());
        shifts.push_back(*std::move(shift));
    }
    required_people(view, staff, from).keys<events::CredentialsOfPerson>(asked).require();
    if (context.facilities.empty()) return;
    std::vector<Id> neighbours;
    for (auto const& shift : shifts)
        add_neighbours(view, shift, shift.assignedStaffIds, rules_of(view, shift), context, neighbours);
    Requirements(view).rows<events::ShiftRecord>(neighbours).require();
}

bool changes_times(events::ShiftChanges const& changes) { return changes.date || changes.startTime || changes.endTime; }

/// A running shift can only end later (which its span tells), have other notes, or need other numbers.
bool allowed_while_running(events::ShiftChanges const& c) {
    return !c.title && !c.date && !c.startTime && !c.department && !c.specialty && !c.urgency && !c.rate && !c.breaks &&
           !c.externalId;
}

/// Whether the shift's times broke the rule before they change, and no less: what does not get worse stops nothing.
bool was_broken(Finding const& finding, std::vector<Finding> const& before, bool same_week) {
    return std::ranges::any_of(before, [&](Finding const& old) {
        if (old.other != finding.other) return false;
        // Who overlapped another shift, and now has too little rest beside it, is better off.
        bool const apart = finding.code == Code::rest_period_violation && old.code == Code::staff_double_booked;
        if (apart) return finding.other != 0;
        if (finding.code == Code::overtime_exceeded && !same_week) return false;
        bool const other_credential =
            finding.code == Code::credential_invalid && old.violation.message != finding.violation.message;
        return old.code == finding.code && !other_credential && finding.by_ms <= old.by_ms;
    });
}

/// What the shift's new times break, of all the people on it. Errors: as judge().
Result<std::vector<Violation>> check_new_times(View const& view, events::Shift const& before,
                                               events::ShiftSpan const& span, Context const& context,
                                               StaffingPlan const& plan) {
    auto after = before;
    static_cast<events::ShiftSpan&>(after) = span;
    auto const& staff_ids = before.assignedStaffIds;
    auto const rules_before = rules_of(view, before);
    auto const rules = rules_of(view, after);
    required_people(view, staff_ids, std::min(rules_before.from(before), rules.from(after))).require();
    std::vector<Id> neighbours;
    add_neighbours(view, before, staff_ids, rules_before, context, neighbours);
    add_neighbours(view, after, staff_ids, rules, context, neighbours);
    require_neighbours(view, neighbours, staff_ids, rules);
    std::vector<Finding> findings;
    for (Id const id : staff_ids) {
        auto const* staff = view.get<events::StaffRecord>(id);
        if (!staff) continue;
        auto facts = facts_of(view, before, *staff, rules_before, context, plan);
        auto now = facts_of(view, after, *staff, rules, context, plan);
        facts.held = now.held;  // by what the shift asks for once it is changed
        auto const was = check_times(before, *staff, rules_before, facts);
        for (auto& finding : check_times(after, *staff, rules, now)) {
            if (was_broken(finding, was, rules.monday == rules_before.monday)) finding.level = events::RuleLevel::flag;
            findings.push_back(std::move(finding));
        }
    }
    return judge(findings, false, {}).map([](Verdict verdict) { return std::move(verdict.warnings); });
}

/// What another head count means for the shift's state.
void follow_head_count(events::Shift const& shift, std::int64_t required, std::vector<NewEvent>& events) {
    auto const count = static_cast<std::int64_t>(shift.assignedStaffIds.size());
    if (count >= shift.requiredWorkers && count < required) {
        events.push_back(event_of(shift, events::ShiftVacancyOpened{required - count}));
    } else if (count < shift.requiredWorkers && count >= required) {
        events.push_back(event_of(shift, events::ShiftFilled{shift.assignedStaffIds}));
    }
}

/// The span that the changes lead to, if they change times: by the clocks of the facility as it is now, but of
/// a shift that runs by those that it began by. Errors: VALIDATION_ERROR naming all fields that can't be so.
Result<std::optional<events::ShiftSpan>> new_span(View const& view, events::Shift const& shift,
                                                  events::ShiftChanges const& changes, UpdateShift const& command) {
    std::vector<core::FieldError> faults;
    std::optional<events::ShiftSpan> span;
    if (command.facilityId && *command.facilityId != shift.facilityId) {
        faults.push_back({"facilityId", "fixed", "can't be changed"});
    }
    if (changes_times(changes)) {
        bool const runs = shift.status == ShiftStatus::in_progress;
        auto const* facility = runs ? nullptr : view.get<events::Facility>(shift.facilityId);
        auto found =
            span_of(changes.date.value_or(shift.date), changes.startTime.value_or(shift.startTime),
                    changes.endTime.value_or(shift.endTime), facility ? facility->timezone.value : shift.timezone);
        if (!found) faults.push_back(found.error());
        if (found) span = *std::move(found);
    }
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    return span;
}

/// Whether the shift's state permits the changes.
Result<void> permit(events::Shift const& shift, events::ShiftChanges const& changes,
                    std::optional<events::ShiftSpan> const& span) {
    bool const running = shift.status == ShiftStatus::in_progress;
    if (shift.status == ShiftStatus::completed || shift.status == ShiftStatus::cancelled)
        return refuse_move(shift, "update");
    if (running && !allowed_while_running(changes)) {
        return refuse_move(shift, "update", "while it runs only a later endTime, notes and requiredWorkers can change");
    }
    if (changes.requiredWorkers &&
        changes.requiredWorkers->value < static_cast<std::int64_t>(shift.assignedStaffIds.size())) {
        return refuse(Code::shift_overstaffed,
                      fmt::format("{} staff are assigned, and requiredWorkers would be {}.",
                                  shift.assignedStaffIds.size(), changes.requiredWorkers->value),
                      head_counts(changes.requiredWorkers->value, shift.assignedStaffIds.size()));
    }
    if (running && span && span->endsAt < shift.endsAt) {
        return refuse_move(shift, "update", "a running shift can only end later");
    }
    return {};
}

/// Has the plan know of the shift's new times, for changes that follow.
void note_move(events::Shift const& shift, events::ShiftSpan const& span, StaffingPlan& plan) {
    if (shift.assignedStaffIds.empty()) return;
    plan.moved.insert(shift.id);
    for (Id const id : shift.assignedStaffIds) plan.taken[id].push_back({span.startsAt, span.endsAt, shift.id, true});
}

Result<Decision> change_fields(View const& view, events::Shift const& shift, UpdateShift const& command,
                               Context const& context, StaffingPlan& plan) {
    events::ShiftUpdated updated{{command}, std::nullopt};
    Decision decision;
    auto& changes = static_cast<events::ShiftChanges&>(updated);
    bool const changed = events::keep_changed(shift, changes);
    auto span = new_span(view, shift, changes, command);
    if (!span) return tl::unexpected(span.error());
    if (!changed) return decision;
    if (auto permitted = permit(shift, changes, *span); !permitted) return tl::unexpected(permitted.error());
    if (*span) {
        auto warnings = check_new_times(view, shift, **span, context, plan);
        if (!warnings) return tl::unexpected(warnings.error());
        decision.warnings = *std::move(warnings);
        note_move(shift, **span, plan);
    }
    updated.span = *std::move(span);
    auto const required = changes.requiredWorkers ? changes.requiredWorkers->value : shift.requiredWorkers.value;
    decision.events.push_back(event_of(shift, std::move(updated)));
    follow_head_count(shift, required, decision.events);
    return decision;
}

/// The command that leads to the status, as the shorthand in an update means it.
Result<std::vector<NewEvent>> move_to(events::ShiftRecord const& record, ShiftStatus status, std::string const& reason,
                                      Timestamp now) {
    if (status == record.shift.status) return std::vector<NewEvent>{};
    switch (status) {
        case ShiftStatus::in_progress:
            return start(record, now);
        case ShiftStatus::completed:
            return complete(record);
        case ShiftStatus::cancelled:
            return cancel(record, reason, "cancelReason");
        case ShiftStatus::open:
            return reopen(record, now);
        case ShiftStatus::assigned:
            return refuse_move(record.shift, "status assigned", "for a shift is assigned by assigning staff to it");
    }
    return std::vector<NewEvent>{};
}

/// Whether the clock is to move the shift now, where its facility wants it: a staffed one at its start, a running one
/// some time after its end.
bool is_due(View const& view, events::Shift const& shift, Timestamp now) {
    auto const* facility = view.get<events::Facility>(shift.facilityId);
    if (!facility) return false;
    switch (shift.status) {
        case ShiftStatus::open:
        case ShiftStatus::assigned:
            return facility->autoStart && !shift.assignedStaffIds.empty() && shift.startsAt <= now;
        case ShiftStatus::in_progress:
            return facility->autoComplete && shift.endsAt.ms + kAutoCompleteMs <= now.ms;
        default:
            return false;
    }
}

std::optional<std::vector<Violation>> warnings_of(Decision const& decision) {
    return decision.warnings.empty() ? std::nullopt : std::optional(decision.warnings);
}

/// Decides a move of one shift.
template <class Move>
Result<Decision> move(View const& view, Id id, Context const& context, Move by) {
    auto const* record = visible_shift(view, id, context);
    if (!record) return not_found("shift", id);
    return by(*record).map([](std::vector<NewEvent> events) { return Decision{std::move(events), {}}; });
}

}  // namespace

Result<NewEvent> post_shift(View const& view, events::ShiftDetails const& details, core::Nullable<Id> template_id,
                            Id id, Context const& context) {
    return new_shift(view, details, id, context).map([&](events::Shift const& shift) {
        return posting_of(shift, template_id);
    });
}

Result<Decision> decide(View const& view, CreateShift const& command, Context const& context) {
    StaffingPlan plan;
    if (auto made = create(view, command, context.new_ids.at(0), context, plan); !made)
        return tl::unexpected(made.error());
    return std::move(plan.decision);
}
ShiftAnswer answer(View const& view, CreateShift const&, Decision const& decision) {
    return {view.get<events::ShiftRecord>(decision.events.at(0).subject.id)->shift, warnings_of(decision)};
}

Result<Decision> decide(View const& view, CreateShifts const& command, Context const& context) {
    require_all(view, command, context);
    StaffingPlan plan;
    BulkFaults faults;
    for (std::size_t i = 0; i < command.shifts.size(); ++i) {
        auto made = create(view, command.shifts[i], context.new_ids.at(i), context, plan);
        if (!made) faults.note(std::move(made.error()), i);
    }
    if (auto problem = faults.problem()) return tl::unexpected(*std::move(problem));
    return std::move(plan.decision);
}
ShiftList answer(View const& view, CreateShifts const&, Decision const& decision) {
    ShiftList list{{}, warnings_of(decision)};
    for (auto const& event : decision.events) {
        if (events::is<events::ShiftPosted>(event.data))
            list.data.push_back(view.get<events::ShiftRecord>(event.subject.id)->shift);
    }
    return list;
}

Result<Decision> decide(View const& view, UpdateShift const& command, Context const& context) {
    StaffingPlan alone;
    return decide_within(view, command, context, alone);
}
Result<Decision> decide_within(View const& view, UpdateShift const& command, Context const& context,
                               StaffingPlan& plan) {
    auto const* record = visible_shift(view, command.id, context);
    if (!record) return not_found("shift", command.id);
    auto decision = change_fields(view, record->shift, command, context, plan);
    if (!decision) return decision;
    // The status that the shift had is the body of GET sent back, even where other fields of it make that status
    // change.
    if (!command.status || *command.status == record->shift.status) return decision;
    auto const reason = command.cancelReason ? command.cancelReason->value : std::string{};
    // The move is judged on the shift as the changes of this very request leave it.
    events::ShiftRecord after = *record;
    events::Envelope meta;
    meta.seq = 2;
    for (auto const& event : decision->events) evolve(after, events::get<events::ShiftEvent>(event.data), meta);
    auto moved = move_to(after, *command.status, reason, context.now);
    if (!moved) return tl::unexpected(moved.error());
    std::move(moved->begin(), moved->end(), std::back_inserter(decision->events));
    return decision;
}
ShiftAnswer answer(View const& view, UpdateShift const& command, Decision const& decision) {
    return {view.get<events::ShiftRecord>(command.id)->shift, warnings_of(decision)};
}

Result<Decision> decide(View const& view, StartShift const& command, Context const& context) {
    return move(view, command.id, context, [&](auto const& record) { return start(record, context.now); });
}
events::Shift answer(View const& view, StartShift const& command, Decision const&) {
    return view.get<events::ShiftRecord>(command.id)->shift;
}

Result<Decision> decide(View const& view, CompleteShift const& command, Context const& context) {
    return move(view, command.id, context, [](auto const& record) { return complete(record); });
}
events::Shift answer(View const& view, CompleteShift const& command, Decision const&) {
    return view.get<events::ShiftRecord>(command.id)->shift;
}

Result<Decision> decide(View const& view, CancelShift const& command, Context const& context) {
    auto const reason = command.reason ? command.reason->value : std::string{};
    return move(view, command.id, context, [&](auto const& record) { return cancel(record, reason); });
}
events::Shift answer(View const& view, CancelShift const& command, Decision const&) {
    return view.get<events::ShiftRecord>(command.id)->shift;
}

Result<Decision> decide(View const& view, ReopenShift const& command, Context const& context) {
    return move(view, command.id, context, [&](auto const& record) { return reopen(record, context.now); });
}
events::Shift answer(View const& view, ReopenShift const& command, Decision const&) {
    return view.get<events::ShiftRecord>(command.id)->shift;
}

Result<Decision> decide(View const& view, DeleteShift const& command, Context const& context) {
    return move(view, command.id, context, [&](auto const& record) -> Result<std::vector<NewEvent>> {
        if (record.shift.status == ShiftStatus::completed) return refuse_move(record.shift, "delete");
        if (auto free = require_no_logs(view, record.shift.id); !free) return tl::unexpected(free.error());
        return cancel(record, "deleted").map([&](std::vector<NewEvent> events) {
            events.push_back(event_of(record.shift, events::ShiftDeleted{}));
            return events;
        });
    });
}
events::Shift answer(View const& view, DeleteShift const& command, Decision const&) {
    return view.get<events::ShiftRecord>(command.id)->shift;
}

Result<Decision> decide(View const& view, MoveDueShifts const& command, Context const& context) {
    Requirements(view).rows<events::ShiftRecord>(command.ids).require();
    Decision decision;
    for (Id const id : command.ids) {
        auto const* found = view.get<events::ShiftRecord>(id);
        if (!found) continue;
        auto record = *found;
        events::Envelope meta;
        meta.seq = 2;
        // Twice where its end is past as well as its start.
        while (is_due(view, record.shift, context.now)) {
            bool const running = record.shift.status == ShiftStatus::in_progress;
            auto const moved = running ? complete(record) : start(record, context.now);
            if (!moved) break;
            for (auto const& event : *moved) evolve(record, events::get<events::ShiftEvent>(event.data), meta);
            decision.events.insert(decision.events.end(), moved->begin(), moved->end());
        }
    }
    return decision;
}
ClockAnswer answer(View const&, MoveDueShifts const&, Decision const& decision) {
    return {static_cast<std::int64_t>(decision.events.size())};
}

}  // namespace workforce::commands
