// The declaration of read.shift_swap.
#include "projections/shift_swaps/shift_swaps.hpp"

namespace workforce::projections {

ShiftSwapRows const& shift_swaps() {
    static ShiftSwapRows const model =
        ShiftSwapRows::declare("shift_swap")
            .called("shift swap")
            .seen_at("t.facility_id = ANY ($facilities)")
            .own_if("t.staff_id = $staff OR t.other_staff_id = $staff")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& swap) { return swap.facilityId; })
            .column("shift_id", [](auto const& swap) { return swap.shiftId; })
            .column("staff_id", [](auto const& swap) { return swap.staffId; })
            .column("other_shift_id", [](auto const& swap) { return swap.otherShiftId; })
            .column("other_staff_id", [](auto const& swap) { return swap.otherStaffId; })
            .column("deleted", [](auto const& swap) { return swap.deleted; })
            .column("status", [](auto const& swap) { return swap.status; })
            .json("internals", [](auto const& swap) -> auto const& { return swap.internals; })
            .filter<&ShiftSwapFilter::status>("t.status = ANY ($status)")
            .filter<&ShiftSwapFilter::staffId>("$staffId IN (t.staff_id, t.other_staff_id)")
            .filter<&ShiftSwapFilter::shiftId>("$shiftId IN (t.shift_id, t.other_shift_id)")
            .stamped()
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
