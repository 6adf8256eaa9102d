// Two people of two shifts change places.
#include "commands/shift_swap.hpp"

#include <algorithm>
#include <array>

#include "commands/shift_states.hpp"
#include "commands/timesheet.hpp"

namespace workforce::commands {
namespace {

using events::ShiftStatus;

/// One side of the swap: who leaves the shift, and who comes.
struct SwapSide {
    events::Shift const& shift;
    Id leaves;
    Id comes;
};

bool is_on(events::Shift const& shift, Id staff) { return std::ranges::count(shift.assignedStaffIds, staff) != 0; }

/// Whether the shift's state and the people on it permit the swap.
Result<void> permit(SwapSide const& side) {
    auto const& shift = side.shift;
    if (!is_on(shift, side.leaves)) {
        return refuse(Code::not_found, "Staff member " + std::to_string(side.leaves) + " is not assigned to shift " +
                                           std::to_string(shift.id) + ".");
    }
    if (shift.status != ShiftStatus::open && shift.status != ShiftStatus::assigned) return refuse_move(shift, "swap");
    if (is_on(shift, side.comes)) {
        return refuse(Code::duplicate_resource, "Staff member " + std::to_string(side.comes) + " is on both shifts.",
                      {}, "Swap people each of whom is on one of the shifts.");
    }
    return {};
}

/// Who comes in the place of who left.
Result<Placement> place_side(View const& view, SwapSide const& side, Context const& context, StaffingPlan const& plan) {
    auto shift = side.shift;
    std::erase(shift.assignedStaffIds, side.leaves);
    return place(view, shift, {side.comes}, context, plan);
}

}  // namespace

void SwapStaff::check(core::FieldCheck& fields) const {
    auto const differ = [&](char const* first, char const* second, Id a, Id b) {
        if (fields.sound(first) && fields.sound(second) && a == b)
            fields.fail(second, "differs", std::string("must differ from ") + first);
    };
    differ("shiftIdA", "shiftIdB", shiftIdA, shiftIdB);
    differ("staffIdA", "staffIdB", staffIdA, staffIdB);
}

void require_swap(View const& view, SwapStaff const& swap, Timestamp now) {
    required_people(view, std::array{swap.staffIdA, swap.staffIdB}, now)
        .rows<events::ShiftRecord>(std::array{swap.shiftIdA, swap.shiftIdB})
        .require();
}

Result<PlannedSwap> plan_swap(View const& view, events::Shift const& a, events::Shift const& b, SwapStaff const& swap,
                              Context const& context) {
    std::array const sides{SwapSide{a, swap.staffIdA, swap.staffIdB}, SwapSide{b, swap.staffIdB, swap.staffIdA}};
    for (auto const& side : sides) {
        if (auto permitted = permit(side); !permitted) return tl::unexpected(permitted.error());
        auto const free = require_no_logs(view, side.shift.id, std::array{side.leaves});
        if (!free) return tl::unexpected(free.error());
    }
    PlannedSwap planned;
    planned.plan.source = events::AssignmentSource::swap;
    planned.plan.freed = {{swap.staffIdA, swap.shiftIdA}, {swap.staffIdB, swap.shiftIdB}};
    auto& events = planned.plan.decision.events;
    events.push_back(event_of(a, events::ShiftSwapped{swap.staffIdA, swap.shiftIdB, swap.staffIdB}));
    for (auto const& side : sides) events.push_back(event_of(side.shift, events::ShiftUnassigned{side.leaves}));
    for (auto const& side : sides) {
        auto placement = place_side(view, side, context, planned.plan);
        if (!placement) return tl::unexpected(placement.error());
        planned.placements.push_back(*std::move(placement));
    }
    return planned;
}

Result<Decision> carry_out(PlannedSwap swap) {
    if (auto done = carry_out(swap.placements, {}, swap.plan); !done) return tl::unexpected(done.error());
    return std::move(swap.plan.decision);
}

bool fills(Decision const& decision) {
    return std::ranges::any_of(decision.events,
                               [](NewEvent const& event) { return events::is<events::ShiftFilled>(event.data); });
}

Result<Decision> decide(View const& view, SwapStaff const& command, Context const& context) {
    require_swap(view, command, context.now);
    auto const* a = visible_shift(view, command.shiftIdA, context);
    if (!a) return not_found("shift", command.shiftIdA);
    auto const* b = visible_shift(view, command.shiftIdB, context);
    if (!b) return not_found("shift", command.shiftIdB);
    auto planned = plan_swap(view, a->shift, b->shift, command, context);
    if (!planned) return tl::unexpected(planned.error());
    return carry_out(*std::move(planned));
}

SwapAnswer answer(View const& view, SwapStaff const& command, Decision const& decision) {
    SwapAnswer result{{}, fills(decision), decision.warnings};
    for (Id const id : {command.shiftIdA, command.shiftIdB})
        result.shifts.push_back(view.get<events::ShiftRecord>(id)->shift);
    return result;
}

}  // namespace workforce::commands
