// Words for logs of work.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> timesheet_words() {
    return {
        {{"timesheets/"}, {{"id", "The timesheet's id, from {timesheets.list}"}}},
        {{"TimesheetPlace", "UpdateTimesheet"},
         {{"staffId", "Who worked; fixed"},
          {"facilityId", "Where it was; fixed"},
          {"shiftId", "Shift that it is of; null: of none. Fixed"}}},
        {{"ClockIn", "CreateTimesheet"},
         {{"staffId", "Who works, an id from {staff.list}; you where it is not given"},
          {"shiftId", "Shift that it is of, from {shifts.list}; the person has to be on it"},
          {"facilityId", "Where it is, an id from {facilities.list}; required without shiftId"}}},
        {{"TimesheetTime"},
         {{"date", "Day of clockIn, at the facility"},
          {"workedMinutes", "Minutes without unpaid breaks; 0 while there is no clockOut"}}},
        {{"TimesheetTime", "CreateTimesheet", "UpdateTimesheet"},
         {{"clockIn", "When the work began"}, {"clockOut", "When it ended, within 24 hours; null: not yet"}}},
        {{"TimesheetTime", "CreateTimesheet", "UpdateTimesheet", "ClockOut"},
         {{"breaks", "Breaks within it, which do not overlap"}}},
        {{"TimesheetBreak"},
         {{"start", "When the break began"}, {"end", "When it ended"}, {"paid", "Whether it counts as work"}}},
        {{"TimesheetPay"},
         {{"overtimeMinutes", "Minutes past the organization's limit of the week"},
          {"rate", "Pay per hour: the shift's, else the person's; fixed at approval"},
          {"grossAmount", "What the work is worth, overtime included"}}},
        {{"TimesheetStanding"},
         {{"status", "Where it stands"},
          {"rejectionReason", "Why it was rejected; else empty"},
          {"approvedBy", "User who approved it; null: nobody, or a key without one"},
          {"approvedAt", "When it was approved; null: it is not"},
          {"payrollRunId", "Payroll run that has paid it; null: none"}}},
        {{"TimesheetStanding", "ClockIn", "CreateTimesheet", "UpdateTimesheet"},
         {{"notes", "What whoever approves it should know"}}},
        {{"RejectTimesheet"}, {{"reason", "What is wrong with it"}}},
        {{"ApproveTimesheets"}, {{"ids", "1 to 100 timesheets, ids from {timesheets.list}"}}},
        {{"TimesheetApprovals"}, {{"results", "What came of each, in the order asked for"}}},
        {{"TimesheetApproval"},
         {{"id", "The timesheet"}, {"status", "Whether it is approved now"}, {"error", "Why it is not; null: it is"}}},
        {{"ApprovalFault"},
         {{"code", "What went wrong, for programs"},
          {"message", "What went wrong, for people"},
          {"suggestion", "What to do about it"}}},
        {{"TimesheetFilter"}, {{"staffId", "Only of this person, an id from {staff.list}"}}},
        {{"TimesheetFilter", "LoggedFilter"},
         {{"shiftId", "Only of this shift, an id from {shifts.list}"},
          {"status", "Only those that stand so"},
          {"from", "First day, as facilities date them"},
          {"to", "Last day, included"},
          {"payrollRunId", "Only what this payroll run pays, an id from {payroll_runs.list}"}}},
        {{"TimesheetStatus"}, {{"", "open: still at work; submitted: waits for approval; void: counts no more"}}},
        {{"ApprovalResult"}, {{"", "Whether a timesheet was approved"}}},
    };
}

}  // namespace workforce::operations
