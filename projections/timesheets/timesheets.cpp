// The declaration of read.timesheet.
#include "projections/timesheets/timesheets.hpp"

namespace workforce::projections {
namespace {

/// What a run has paid, or holds to pay it.
constexpr std::string_view kOfPayrollRun =
    "(t.payroll_run_id = $payrollRunId OR t.id IN "
    "(SELECT unnest(r.held_timesheet_ids) FROM read.payroll_run r WHERE r.id = $payrollRunId))";

}  // namespace

TimesheetRows const& timesheets() {
    static TimesheetRows const model =
        TimesheetRows::declare("timesheet")
            .seen_at("t.facility_id = ANY ($facilities)")
            .own_if("t.staff_id = $staff")
            .shown_if("NOT t.deleted")
            .column("staff_id", [](auto const& log) { return log.staffId; })
            .column("facility_id", [](auto const& log) { return log.facilityId; })
            .column("shift_id", [](auto const& log) { return log.shiftId; })
            .column("payroll_run_id", [](auto const& log) { return log.payrollRunId; })
            .column("deleted", [](auto const& log) { return log.deleted; })
            .column("status", [](auto const& log) { return log.status; })
            .column("date", [](auto const& log) { return log.date; })
            .column("clock_in", [](auto const& log) { return log.clockIn; })
            .column("clock_out", [](auto const& log) { return log.clockOut; })
            .column("worked_minutes", [](auto const& log) { return log.workedMinutes; })
            .column("rate_hundredths", [](auto const& log) { return log.rate.hundredths; })
            .json("internals", [](auto const& log) -> auto const& { return log.internals; })
            .filter<&TimesheetFilter::staffId>("t.staff_id = $staffId")
            .filter<&TimesheetFilter::shiftId>("t.shift_id = $shiftId")
            .filter<&TimesheetFilter::status>("t.status = ANY ($status)")
            .filter<&TimesheetFilter::from>("t.date >= $from")
            .filter<&TimesheetFilter::to>("t.date <= $to")
            .filter<&TimesheetFilter::payrollRunId>(kOfPayrollRun)
            .stamped()
            .sort("clockIn", "clock_in")
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
