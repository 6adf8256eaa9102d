// Offers of open shifts as queries see them.
#pragma once

#include "events/shift_offer.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// Filters of a list of offers.
struct ShiftOfferFilter : ChangeFilter {
    std::optional<Id> shiftId{};
    std::optional<Id> staffId{};
    std::optional<std::vector<events::ShiftOfferStatus>> status{};
};
BOOST_DESCRIBE_STRUCT(ShiftOfferFilter, (ChangeFilter), (shiftId, staffId, status))

using ShiftOfferRows = ReadModel<events::ShiftOfferRecord, ShiftOfferFilter>;

/// read.shift_offer. Who sees a shift's facility sees its offers.
ShiftOfferRows const& shift_offers();

}  // namespace workforce::projections
