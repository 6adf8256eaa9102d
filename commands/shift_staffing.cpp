// Assigning and unassigning staff.
#include "commands/shift_staffing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/shift_states.hpp"
#include "commands/staff.hpp"
#include "commands/timesheet.hpp"
#include "events/time_off.hpp"

namespace workforce::commands {
namespace {

using events::ShiftStatus;

bool contains(std::vector<Id> const& ids, Id id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

std::int64_t size(std::vector<Id> const& ids) { return static_cast<std::int64_t>(ids.size()); }

/// Whom a command names, each once.
template <class Command>
std::vector<Id> wanted_staff(Command const& command) {
    std::vector<Id> wanted;
    if (command.staffId) wanted.push_back(*command.staffId);
    for (Id const id : command.staffIds.value_or(std::vector<Id>{})) {
        if (!contains(wanted, id)) wanted.push_back(id);
    }
    return wanted;
}

/// One person or several, and not both.
template <class Command>
void check_named(Command const& command, core::FieldCheck& fields) {
    if (command.staffId.has_value() == command.staffIds.has_value()) {
        fields.fail("staffId", "required", "or staffIds is required, and not both");
    }
}

void check_somebody(core::FieldCheck& fields) {
    if (fields.sound("staffIds")) fields.fail("staffIds", "min_items", "must name at least one person");
}

/// The person's time that counts for the rules of the shift and is of other shifts.
std::vector<OtherTime> other_time(View const& view, events::Shift const& shift, Id staff, AssignmentRules const& rules,
                                  Context const& context, StaffingPlan const& plan) {
    auto const from = rules.from(shift);
    auto const to = rules.to(shift);
    auto const freed = plan.freed.find(staff);
    std::vector<OtherTime> others;
    for (auto const& booking : view.overlapping<events::BookingsOfPerson>(from, to, staff)) {
        bool const leaves = freed != plan.freed.end() && booking.id == freed->second;
        if (booking.id == shift.id || leaves || plan.moved.contains(booking.id)) continue;
        // What is further away is in no finding, and so need not be looked at.
        bool const shown =
            is_near(shift, rules, booking.starts, booking.ends) && if_visible(view, booking.id, context).has_value();
        others.push_back({booking.starts, booking.ends, booking.id, shown});
    }
    if (auto const taken = plan.taken.find(staff); taken != plan.taken.end()) {
        std::ranges::copy_if(taken->second, std::back_inserter(others),
                             [&](OtherTime const& time) { return time.starts < to && from < time.ends; });
    }
    return others;
}

/// Adds the events that put them on the shift.
void put_on(events::Shift const& shift, std::vector<Id> const& added,
            std::vector<std::pair<Id, events::RuleOverride>> const& overrides, StaffingPlan& plan) {
    if (added.empty()) return;
    auto& events = plan.decision.events;
    auto after = shift.assignedStaffIds;
    for (Id const id : added) {
        events::ShiftStaffAssigned assigned{id, plan.source, {}};
        for (auto const& [person, rule] : overrides) {
            if (person == id) assigned.overrides.push_back(rule);
        }
        events.push_back(event_of(shift, std::move(assigned)));
        plan.taken[id].push_back({shift.startsAt, shift.endsAt});
        after.push_back(id);
    }
    if (size(after) >= shift.requiredWorkers) events.push_back(event_of(shift, events::ShiftFilled{std::move(after)}));
}

}  // namespace

events::ShiftRecord const* visible_shift(View const& view, Id id, Context const& context) {
    auto const* record = view.get<events::ShiftRecord>(id);
    return record && !record->deleted && context.reaches(record->shift.facilityId) ? record : nullptr;
}

std::optional<Id> if_visible(View const& view, Id shift, Context const& context) {
    bool const sees_all = context.facilities.empty();  // who does needs no look at the shift
    return sees_all || visible_shift(view, shift, context) ? std::optional(shift) : std::nullopt;
}

Result<OverrideRequest> override_of(std::optional<bool> requested, std::optional<core::ShortText> const& comment,
                                    Context const& context) {
    if (requested.value_or(false) && !context.may_override) {
        return refuse(context.lacks_override, "Overriding assignment rules takes the permission shifts.override.",
                      R"({"permission":"shifts.override"})");
    }
    return OverrideRequest{requested.value_or(false), comment ? comment->value : std::string{}};
}

Result<std::vector<Finding>> findings_of(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                                         Context const& context, StaffingPlan const& plan) {
    auto const rules = rules_of(view, shift);
    required_people(view, staff, rules.from(shift)).require();
    std::vector<Id> neighbours;
    add_neighbours(view, shift, staff, rules, context, neighbours);
    require_neighbours(view, neighbours, staff, rules);
    std::vector<Finding> findings;
    for (Id const id : staff) {
        auto const* person = view.get<events::StaffRecord>(id);
        if (!person || person->deleted || !in_scope(*person, context)) return not_found("staff member", id);
        auto of_person = check_assignment(shift, *person, rules, facts_of(view, shift, *person, rules, context, plan));
        std::move(of_person.begin(), of_person.end(), std::back_inserter(findings));
    }
    return findings;
}

tl::unexpected<core::Problem> refuse_full(events::Shift const& shift, std::size_t more) {
    auto const required = shift.requiredWorkers.value;
    auto const assigned = shift.assignedStaffIds.size();
    auto details = head_counts(required, assigned, more);
    if (assigned == 0) {
        return refuse(Code::shift_full, fmt::format("requiredWorkers is {}, and {} people are named.", required, more),
                      std::move(details), "Raise requiredWorkers or name fewer people.");
    }
    return refuse(Code::shift_full,
                  fmt::format("requiredWorkers is {}: {} assigned already and {} more {} too many.", required, assigned,
                              more, more == 1 ? "is" : "are"),
                  std::move(details));
}

Result<Placement> place(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                        Context const& context, StaffingPlan const& plan) {
    Placement placement{shift, {}, {}};
    for (Id const id : staff) {
        if (!contains(shift.assignedStaffIds, id) && !contains(placement.added, id)) placement.added.push_back(id);
    }
    if (placement.added.empty()) return placement;
    auto findings = findings_of(view, shift, placement.added, context, plan);
    if (!findings) return tl::unexpected(findings.error());
    placement.findings = *std::move(findings);
    if (size(shift.assignedStaffIds) + size(placement.added) > shift.requiredWorkers) {
        return refuse_full(shift, placement.added.size());
    }
    return placement;
}

Result<void> carry_out(std::span<Placement const> placements, OverrideRequest const& override_request,
                       StaffingPlan& plan) {
    std::vector<Finding> findings;
    for (auto const& placement : placements) std::ranges::copy(placement.findings, std::back_inserter(findings));
    auto verdict = judge(findings, override_request.requested, override_request.comment);
    if (!verdict) return tl::unexpected(verdict.error());
    if (plan.decision.warnings.size() + verdict->warnings.size() > kMostFindings) return too_many_findings();
    for (auto const& [shift, added, of_shift] : placements) put_on(shift, added, verdict->overrides, plan);
    std::move(verdict->warnings.begin(), verdict->warnings.end(), std::back_inserter(plan.decision.warnings));
    return {};
}

Result<void> plan_staffing(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                           OverrideRequest const& override_request, Context const& context, StaffingPlan& plan) {
    auto const placement = place(view, shift, staff, context, plan);
    if (!placement) return tl::unexpected(placement.error());
    return carry_out({&*placement, 1}, override_request, plan);
}

AssignmentRules rules_of(View const& view, events::Shift const& shift) {
    return rules_of(view.get<events::Facility>(shift.facilityId), view.organization().settings, shift,
                    shift.specialty.value);
}

Requirements required_people(View const& view, std::span<Id const> staff, Timestamp from) {
    Requirements required(view);
    required.rows<events::StaffRecord>(staff)
        .keys<events::BookingsOfPerson>(staff, from)
        .keys<events::ApprovedTimeOffOfPerson>(staff, from);
    return required;
}

void require_neighbours(View const& view, std::span<Id const> neighbours, std::span<Id const> staff,
                        AssignmentRules const& rules) {
    Requirements required(view);
    required.rows<events::ShiftRecord>(neighbours);
    if (!rules.required.empty()) required.keys<events::CredentialsOfPerson>(staff);
    required.require();
}

void add_neighbours(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                    AssignmentRules const& rules, Context const& context, std::vector<Id>& neighbours) {
    if (context.facilities.empty()) return;
    for (Id const id : staff) {
        for (auto const& booking : view.overlapping<events::BookingsOfPerson>(rules.from(shift), rules.to(shift), id)) {
            if (is_near(shift, rules, booking.starts, booking.ends)) neighbours.push_back(booking.id);
        }
    }
}

PersonFacts facts_of(View const& view, events::Shift const& shift, events::StaffRecord const& staff,
                     AssignmentRules const& rules, Context const& context, StaffingPlan const& plan) {
    PersonFacts facts{
        other_time(view, shift, staff.id, rules, context, plan), {}, {}, staff.internals.availability.blocks};
    for (auto const& off : view.overlapping<events::ApprovedTimeOffOfPerson>(shift.startsAt, shift.endsAt, staff.id))
        facts.away.push_back({off.starts, off.ends, off.id});
    if (rules.required.empty()) return facts;
    for (auto const* record : view.by<events::CredentialsOfPerson>(staff.id)) {
        if (!record->deleted) facts.held.push_back(record);
    }
    return facts;
}

std::string head_counts(std::int64_t required, std::size_t assigned, std::size_t added) {
    core::JsonWriter details;
    details.begin_object();
    details.member("requiredWorkers", required);
    details.member("assignedCount", assigned);
    if (added > 0) details.member("addedCount", added);
    details.end_object();
    return details.take();
}

void take_off(events::Shift const& shift, Id staff, std::vector<NewEvent>& events) {
    auto const left = size(shift.assignedStaffIds) - 1;
    events.push_back(event_of(shift, events::ShiftUnassigned{staff}));
    if (left < shift.requiredWorkers && left + 1 >= shift.requiredWorkers) {
        events.push_back(event_of(shift, events::ShiftVacancyOpened{shift.requiredWorkers - left}));
    }
}

std::vector<events::Shift const*> shifts_ahead(View const& view, Id staff, Timestamp now) {
    std::vector<events::Shift const*> ahead;
    auto const bookings = view.ending_after<events::BookingsOfPerson>(now, staff);
    std::vector<Id> ids;
    for (auto const& booking : bookings) ids.push_back(booking.id);
    Requirements(view).rows<events::ShiftRecord>(ids).require();
    for (auto const& booking : bookings) {
        auto const& shift = view.get<events::ShiftRecord>(booking.id)->shift;
        if (shift.status == ShiftStatus::open || shift.status == ShiftStatus::assigned) ahead.push_back(&shift);
    }
    return ahead;
}

void AssignStaff::check(core::FieldCheck& fields) const {
    check_named(*this, fields);
    if (staffIds && staffIds->empty() && mode != AssignMode::replace && fields.sound("mode")) check_somebody(fields);
}

void UnassignStaff::check(core::FieldCheck& fields) const {
    check_named(*this, fields);
    if (staffIds && staffIds->empty()) check_somebody(fields);
}

Result<Decision> decide(View const& view, AssignStaff const& command, Context const& context) {
    auto const how = override_of(command.override_, command.overrideComment, context);
    if (!how) return tl::unexpected(how.error());
    auto const wanted = wanted_staff(command);
    required_people(view, wanted, context.now).rows<events::ShiftRecord>(std::array{command.id}).require();
    auto const* record = visible_shift(view, command.id, context);
    if (!record) return not_found("shift", command.id);
    auto shift = record->shift;
    if (shift.status == ShiftStatus::completed || shift.status == ShiftStatus::cancelled)
        return refuse_move(shift, "assign");
    StaffingPlan plan;
    auto const before = size(shift.assignedStaffIds);
    if (command.mode == AssignMode::replace) {
        for (Id const id : record->shift.assignedStaffIds) {
            if (contains(wanted, id)) continue;
            if (auto free = require_no_logs(view, shift.id, std::array{id}); !free) return tl::unexpected(free.error());
            plan.decision.events.push_back(event_of(shift, events::ShiftUnassigned{id}));
            std::erase(shift.assignedStaffIds, id);
        }
    }
    auto const kept = size(shift.assignedStaffIds);
    if (auto staffed = plan_staffing(view, shift, wanted, *how, context, plan); !staffed) {
        return tl::unexpected(staffed.error());
    }
    auto const now = kept + static_cast<std::int64_t>(plan.taken.size());
    if (before >= shift.requiredWorkers && now < shift.requiredWorkers) {
        plan.decision.events.push_back(event_of(shift, events::ShiftVacancyOpened{shift.requiredWorkers - now}));
    }
    return std::move(plan.decision);
}

AssignAnswer answer(View const& view, AssignStaff const& command, Decision const& decision) {
    AssignAnswer result{view.get<events::ShiftRecord>(command.id)->shift, false, {}, decision.warnings};
    for (auto const& event : decision.events) {
        auto const& data = events::get<events::ShiftEvent>(event.data);
        if (auto const* assigned = std::get_if<events::ShiftStaffAssigned>(&data))
            result.assigned.push_back(assigned->staffId);
        if (std::holds_alternative<events::ShiftFilled>(data)) result.filled = true;
    }
    return result;
}

Result<Decision> decide(View const& view, UnassignStaff const& command, Context const& context) {
    auto const* record = visible_shift(view, command.id, context);
    if (!record) return not_found("shift", command.id);
    auto const& shift = record->shift;
    if (shift.status == ShiftStatus::completed || shift.status == ShiftStatus::cancelled)
        return refuse_move(shift, "unassign");
    Decision decision;
    auto left = shift;
    for (Id const staff : wanted_staff(command)) {
        if (!contains(shift.assignedStaffIds, staff)) {
            return refuse(Code::not_found, "Staff member " + std::to_string(staff) + " is not assigned to this shift.");
        }
        if (auto free = require_no_logs(view, shift.id, std::array{staff}); !free) return tl::unexpected(free.error());
        take_off(left, staff, decision.events);
        std::erase(left.assignedStaffIds, staff);
    }
    return decision;
}
events::Shift answer(View const& view, UnassignStaff const& command, Decision const&) {
    return view.get<events::ShiftRecord>(command.id)->shift;
}

Result<Decision> decide(View const& view, AcknowledgeShift const& command, Context const& context) {
    // A person's own shifts may be in any facility; a key sees none outside its own.
    bool const bound = context.actor.type != events::ActorType::user;
    auto const* record = bound ? visible_shift(view, command.id, context) : view.get<events::ShiftRecord>(command.id);
    if (!record || record->deleted) return not_found("shift", command.id);
    auto const own = std::ranges::find(record->assignments, context.staff, &events::Assignment::staffId);
    if (own == record->assignments.end()) return not_found("shift", command.id);
    Decision decision;
    if (own->acknowledgedAt.value) return decision;
    if (record->shift.status == ShiftStatus::completed) return refuse_move(record->shift, "acknowledge");
    decision.events.push_back(event_of(record->shift, events::ShiftAcknowledged{context.staff}));
    return decision;
}
events::Shift answer(View const& view, AcknowledgeShift const& command, Decision const&) {
    return view.get<events::ShiftRecord>(command.id)->shift;
}

}  // namespace workforce::commands
