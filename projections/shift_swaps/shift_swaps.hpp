// Shift swap requests as queries see them.
#pragma once

#include "events/shift_swap.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// Filters of a list of shift swap requests. A person or a shift is found on either side.
struct ShiftSwapFilter : ChangeFilter {
    std::optional<std::vector<events::ShiftSwapStatus>> status{};
    std::optional<Id> staffId{};
    std::optional<Id> shiftId{};
};
BOOST_DESCRIBE_STRUCT(ShiftSwapFilter, (ChangeFilter), (status, staffId, shiftId))

using ShiftSwapRows = ReadModel<events::ShiftSwapRecord, ShiftSwapFilter>;

/// read.shift_swap. The facility of the requester's shift sees a request, and so do both people.
ShiftSwapRows const& shift_swaps();

}  // namespace workforce::projections
