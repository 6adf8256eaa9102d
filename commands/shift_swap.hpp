// Two people of two shifts change places: shared by the swap at once and by requests that are approved.
#pragma once

#include <vector>

#include "commands/shift_staffing.hpp"

namespace workforce::commands {

/// Has looked up what a swap looks at before it is planned.
void require_swap(View const& view, SwapStaff const& swap, Timestamp now);

/// A swap that both shifts permit, with what it breaks.
struct PlannedSwap {
    StaffingPlan plan;                  ///< with the events that take both people off
    std::vector<Placement> placements;  ///< to A, and to B
};
/// Plans it, for shifts A and B that the caller reaches. Errors: NOT_FOUND of who is not on their shift, or out of the
/// caller's reach; INVALID_STATE_TRANSITION; DUPLICATE_RESOURCE of who is on both shifts; TIMESHEET_EXISTS of who has
/// logged work on the shift that they leave; SHIFT_FULL.
Result<PlannedSwap> plan_swap(View const& view, events::Shift const& a, events::Shift const& b, SwapStaff const& swap,
                              Context const& context);
/// The decision of that. Errors: the first blocking rule's code, with what blocks on either side.
Result<Decision> carry_out(PlannedSwap swap);

/// Whether the events fill one of the shifts.
bool fills(Decision const& decision);

}  // namespace workforce::commands
