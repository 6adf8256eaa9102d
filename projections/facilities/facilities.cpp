// The declaration of read.facility.
#include "projections/facilities/facilities.hpp"

namespace workforce::projections {
namespace {

/// The facility as its sandbox shows it (domain 9): told apart by its name, and without contact data.
events::Facility in_sandbox(events::Facility const& live) {
    auto shown = live;
    shown.name.value += " (sandbox)";
    shown.address = {};
    shown.phone = {};
    return shown;
}

}  // namespace

FacilityRows const& facilities() {
    static FacilityRows const model =
        FacilityRows::declare("facility")
            .revision(2)
            .in_sandbox(in_sandbox)
            .seen_at("t.facility_id = ANY ($facilities)")
            .column("facility_id", [](auto const& facility) { return facility.id; })
            .column("is_active", [](auto const& facility) { return facility.isActive; })
            .column("timezone", [](auto const& facility) -> auto const& { return facility.timezone; })
            .column("name_key", [](auto const& facility) { return core::fold_case(facility.name.value); })
            .filter<&FacilityFilter::isActive>("t.is_active = $isActive")
            .search([](auto const& facility) { return search_text(facility.name.value, facility.code.value); })
            .stamped()
            .sort("name", "name_key")
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
