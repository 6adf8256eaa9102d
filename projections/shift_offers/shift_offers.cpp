// The declaration of read.shift_offer.
#include "projections/shift_offers/shift_offers.hpp"

namespace workforce::projections {

ShiftOfferRows const& shift_offers() {
    static ShiftOfferRows const model = ShiftOfferRows::declare("shift_offer")
                                            .called("shift offer")
                                            .seen_at("t.facility_id = ANY ($facilities)")
                                            .own_if("t.staff_id = $staff")
                                            .shown_if("NOT t.deleted")
                                            .column("facility_id", [](auto const& offer) { return offer.facilityId; })
                                            .column("shift_id", [](auto const& offer) { return offer.shiftId; })
                                            .column("staff_id", [](auto const& offer) { return offer.staffId; })
                                            .column("deleted", [](auto const& offer) { return offer.deleted; })
                                            .column("status", [](auto const& offer) { return offer.status; })
                                            .column("expires_at", [](auto const& offer) { return offer.expiresAt; })
                                            .filter<&ShiftOfferFilter::shiftId>("t.shift_id = $shiftId")
                                            .filter<&ShiftOfferFilter::staffId>("t.staff_id = $staffId")
                                            .filter<&ShiftOfferFilter::status>("t.status = ANY ($status)")
                                            .stamped()
                                            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
