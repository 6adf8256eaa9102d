// Claims of open shifts as queries see them.
#pragma once

#include "events/shift_claim.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// Filters of a list of claims.
struct ShiftClaimFilter : ChangeFilter {
    std::optional<Id> shiftId{};
    std::optional<Id> staffId{};
    std::optional<std::vector<events::ShiftClaimStatus>> status{};
};
BOOST_DESCRIBE_STRUCT(ShiftClaimFilter, (ChangeFilter), (shiftId, staffId, status))

using ShiftClaimRows = ReadModel<events::ShiftClaimRecord, ShiftClaimFilter>;

/// read.shift_claim. Who sees a shift's facility sees its claims.
ShiftClaimRows const& shift_claims();

}  // namespace workforce::projections
