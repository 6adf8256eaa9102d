// Putting people on shifts: shared by assign and by creation with assignees.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "commands/assignment_rules.hpp"
#include "commands/shift.hpp"

namespace workforce::commands {

/// A decision in the making, with the time that it already takes of people: state does not show it yet.
struct StaffingPlan {
    Decision decision;
    std::unordered_map<Id, std::vector<OtherTime>> taken;  ///< by person
    std::unordered_map<Id, Id> freed;                      ///< by person: a shift that the plan takes them off
    std::unordered_set<Id> moved;                          ///< shifts that the plan gives other times, as `taken` has
    events::AssignmentSource source = events::AssignmentSource::direct;
};

/// How an assignment treats blocks.
struct OverrideRequest {
    bool requested = false;
    std::string comment;
};

/// How the command asks to treat blocks. Errors: as the caller lacks shifts.override where it asks to pass them.
Result<OverrideRequest> override_of(std::optional<bool> requested, std::optional<core::ShortText> const& comment,
                                    Context const& context);

/// Finds the rules that break where these people come to the shift, room or no room. Errors: NOT_FOUND.
Result<std::vector<Finding>> findings_of(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                                         Context const& context, StaffingPlan const& plan);
/// SHIFT_FULL of so many people more than those who are on the shift.
tl::unexpected<core::Problem> refuse_full(events::Shift const& shift, std::size_t more);

/// Who comes to a shift, and what rules that breaks.
struct Placement {
    events::Shift shift;  ///< before they come
    std::vector<Id> added;
    std::vector<Finding> findings;
};
/// Finds what it breaks that `staff` come to the shift (which may be one that the plan makes), where they are not on it
/// already. Errors: NOT_FOUND, SHIFT_FULL with head_counts().
Result<Placement> place(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                        Context const& context, StaffingPlan const& plan);
/// Judges the findings of all placements together, and adds the events that put everybody on their shift. Errors: the
/// first blocking rule's code, with what blocks of all. That the caller may override is the command's to check.
Result<void> carry_out(std::span<Placement const> placements, OverrideRequest const& override_request,
                       StaffingPlan& plan);
/// Both at once, for one shift.
Result<void> plan_staffing(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                           OverrideRequest const& override_request, Context const& context, StaffingPlan& plan);

/// Decides an update as one of several changes of a request: times that the plan moves count as it has them, and those
/// that this one moves are added. Its events are given, and not added.
Result<Decision> decide_within(View const& view, UpdateShift const& command, Context const& context,
                               StaffingPlan& plan);

/// Details of a refusal over head counts, a JSON object: how many people the shift requires, how many are on it, and
/// how many would come where somebody would.
std::string head_counts(std::int64_t required, std::size_t assigned, std::size_t added = 0);

/// Adds the events that take an assigned person off the shift: the vacancy too, when the head count falls below what is
/// required by it.
void take_off(events::Shift const& shift, Id staff, std::vector<NewEvent>& events);

/// The rules of the shift, by its facility and organization.
AssignmentRules rules_of(View const& view, events::Shift const& shift);

/// Has people looked up as rules need them: with the time assigned or off that ends after `from`.
Requirements required_people(View const& view, std::span<Id const> staff, Timestamp from);
/// Has these shifts looked up, and the people's credentials where the rules ask for some.
void require_neighbours(View const& view, std::span<Id const> neighbours, std::span<Id const> staff,
                        AssignmentRules const& rules);

/// Adds the shifts that are near the shift, of these people: those that a finding may name, where what they are decides
/// whether the caller may be told of them.
void add_neighbours(View const& view, events::Shift const& shift, std::vector<Id> const& staff,
                    AssignmentRules const& rules, Context const& context, std::vector<Id>& neighbours);

/// The facts of the person that count for the rules of the shift. Other time is that of other shifts in the state,
/// without those that the plan takes the person off, and with those that it puts them on.
PersonFacts facts_of(View const& view, events::Shift const& shift, events::StaffRecord const& staff,
                     AssignmentRules const& rules, Context const& context, StaffingPlan const& plan = {});

/// Shifts ahead that have not begun and that the person is assigned to, oldest first.
std::vector<events::Shift const*> shifts_ahead(View const& view, Id staff, Timestamp now);

/// The shift when it is in the caller's scope and was not deleted, else nothing.
events::ShiftRecord const* visible_shift(View const& view, Id id, Context const& context);
/// The id as an answer may name it: nothing where the shift is outside the caller's scope.
std::optional<Id> if_visible(View const& view, Id shift, Context const& context);

}  // namespace workforce::commands
