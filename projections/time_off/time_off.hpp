// Time off as queries see it.
#pragma once

#include "events/time_off.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// Filters of a list of time off. `from` and `to` are inclusive dates: rows with a day between them are listed.
struct TimeOffFilter : ChangeFilter {
    std::optional<Id> staffId{};
    std::optional<std::vector<events::TimeOffStatus>> status{};
    std::optional<std::vector<events::TimeOffType>> type{};
    std::optional<core::Date> from{};
    std::optional<core::Date> to{};
};
BOOST_DESCRIBE_STRUCT(TimeOffFilter, (ChangeFilter), (staffId, status, type, from, to))

using TimeOffRows = ReadModel<events::TimeOffRecord, TimeOffFilter>;

/// read.time_off. Who sees a staff member sees their time off.
TimeOffRows const& time_off();

}  // namespace workforce::projections
