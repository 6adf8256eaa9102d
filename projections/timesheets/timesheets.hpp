// Timesheets as queries see them.
#pragma once

#include "events/timesheet.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of timesheets is narrowed to (domain 3.5). `from` and `to` are inclusive dates of a log's day.
struct TimesheetFilter : ChangeFilter {
    std::optional<Id> staffId{};
    std::optional<Id> shiftId{};
    std::optional<std::vector<events::TimesheetStatus>> status{};
    std::optional<core::Date> from{};
    std::optional<core::Date> to{};
    std::optional<Id> payrollRunId{};
};
BOOST_DESCRIBE_STRUCT(TimesheetFilter, (ChangeFilter), (staffId, shiftId, status, from, to, payrollRunId))

using TimesheetRows = ReadModel<events::TimesheetRecord, TimesheetFilter>;

/// read.timesheet.
TimesheetRows const& timesheets();

}  // namespace workforce::projections
