// How events of facilities fold: the one definition, for the write side's memory and for read models.
#include "events/facility.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(Facility& facility, FacilityEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](FacilityCreated const& e) { static_cast<FacilityDetails&>(facility) = e; },
                          [&](FacilityUpdated const& e) { merge(facility, static_cast<FacilityChanges const&>(e)); },
                          [&](FacilityDeactivated const&) { facility.isActive = false; },
                          [&](FacilityReactivated const&) { facility.isActive = true; }},
               event);
    stamp(facility, meta);
}

template struct DataCodec<FacilityEvent>;

}  // namespace workforce::events
