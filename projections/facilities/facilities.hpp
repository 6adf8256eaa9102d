// Facilities as queries see them. Each has a row for its sandbox besides the live one (domain 9).
#pragma once

#include "core/bool_or_any.hpp"
#include "events/facility.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of facilities is narrowed to (domain 3.3).
struct FacilityFilter : ListFilter {
    std::optional<core::BoolOrAny> isActive = core::BoolOrAny{true};
};
BOOST_DESCRIBE_STRUCT(FacilityFilter, (ListFilter), (isActive))

using FacilityRows = ReadModel<events::Facility, FacilityFilter>;

/// read.facility.
FacilityRows const& facilities();

}  // namespace workforce::projections
