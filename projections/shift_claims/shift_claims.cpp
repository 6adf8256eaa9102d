// The declaration of read.shift_claim.
#include "projections/shift_claims/shift_claims.hpp"

namespace workforce::projections {

ShiftClaimRows const& shift_claims() {
    static ShiftClaimRows const model =
        ShiftClaimRows::declare("shift_claim")
            .called("shift claim")
            .seen_at("t.facility_id = ANY ($facilities)")
            .own_if("t.staff_id = $staff")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& claim) { return claim.facilityId; })
            .column("shift_id", [](auto const& claim) { return claim.shiftId; })
            .column("staff_id", [](auto const& claim) { return claim.staffId; })
            .column("deleted", [](auto const& claim) { return claim.deleted; })
            .column("status", [](auto const& claim) { return claim.status; })
            .json("internals", [](auto const& claim) -> auto const& { return claim.internals; })
            .filter<&ShiftClaimFilter::shiftId>("t.shift_id = $shiftId")
            .filter<&ShiftClaimFilter::staffId>("t.staff_id = $staffId")
            .filter<&ShiftClaimFilter::status>("t.status = ANY ($status)")
            .stamped()
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
