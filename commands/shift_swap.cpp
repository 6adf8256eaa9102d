// Two people of two shifts change places.
#include <algorithm>
#include <array>

#include "commands/shift_staffing.hpp"
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

Result<Decision> decide(View const& view, SwapStaff const& command, Context const& context) {
    required_people(view, std::array{command.staffIdA, command.staffIdB}, context.now)
        .rows<events::ShiftRecord>(std::array{command.shiftIdA, command.shiftIdB})
        .require();
    auto const* a = visible_shift(view, command.shiftIdA, context);
    if (!a) return not_found("shift", command.shiftIdA);
    auto const* b = visible_shift(view, command.shiftIdB, context);
    if (!b) return not_found("shift", command.shiftIdB);
    std::array const sides{SwapSide{a->shift, command.staffIdA, command.staffIdB},
                           SwapSide{b->shift, command.staffIdB, command.staffIdA}};
    for (auto const& side : sides) {
        if (auto permitted = permit(side); !permitted) return tl::unexpected(permitted.error());
        auto const free = require_no_logs(view, side.shift.id, std::array{side.leaves});
        if (!free) return tl::unexpected(free.error());
    }
    StaffingPlan plan;
    plan.source = events::AssignmentSource::swap;
    plan.freed = {{command.staffIdA, command.shiftIdA}, {command.staffIdB, command.shiftIdB}};
    auto& events = plan.decision.events;
    events.push_back(event_of(a->shift, events::ShiftSwapped{command.staffIdA, command.shiftIdB, command.staffIdB}));
    for (auto const& side : sides) events.push_back(event_of(side.shift, events::ShiftUnassigned{side.leaves}));
    std::vector<Placement> placements;
    for (auto const& side : sides) {
        auto placement = place_side(view, side, context, plan);
        if (!placement) return tl::unexpected(placement.error());
        placements.push_back(*std::move(placement));
    }
    if (auto done = carry_out(placements, {}, plan); !done) return tl::unexpected(done.error());
    return std::move(plan.decision);
}

SwapAnswer answer(View const& view, SwapStaff const& command, Decision const& decision) {
    SwapAnswer result{{}, false, decision.warnings};
    for (Id const id : {command.shiftIdA, command.shiftIdB})
        result.shifts.push_back(view.get<events::ShiftRecord>(id)->shift);
    result.filled = std::ranges::any_of(
        decision.events, [](NewEvent const& event) { return events::is<events::ShiftFilled>(event.data); });
    return result;
}

}  // namespace workforce::commands
