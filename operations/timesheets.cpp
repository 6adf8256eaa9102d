// Logs of work.
#include "commands/timesheet.hpp"

#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/payroll_runs/payroll_runs.hpp"
#include "projections/staff/staff.hpp"
#include "projections/timesheets/timesheets.hpp"

namespace workforce::operations {

/// Of GET /api/staff/{id}/timesheets, which names the person in its path.
struct LoggedFilter : projections::ChangeFilter {
    std::optional<Id> shiftId{};
    std::optional<std::vector<events::TimesheetStatus>> status{};
    std::optional<core::Date> from{};
    std::optional<core::Date> to{};
    std::optional<Id> payrollRunId{};
};
BOOST_DESCRIBE_STRUCT(LoggedFilter, (projections::ChangeFilter), (shiftId, status, from, to, payrollRunId))

namespace {

using boost::asio::awaitable;
using events::Kind;
using projections::timesheets;

using TimesheetQuery = ListQuery<projections::TimesheetFilter>;
using LoggedQuery = ListQuery<LoggedFilter>;

/// Errors: NOT_FOUND for a person whom the caller does not see.
awaitable<Outcome> list_logged(Call& call) {
    auto const asked = read_query<LoggedQuery>(call.input.parameters);
    if (!asked) co_return refuse(call, asked.error());
    auto const staff = call.input.path.id();
    if (auto const seen = co_await require_seen(call, projections::staff(), staff); !seen) {
        co_return refuse(call, seen.error());
    }
    TimesheetQuery query;
    static_cast<PageQuery&>(query) = *asked;
    static_cast<projections::ChangeFilter&>(query) = *asked;
    query.staffId = staff;
    query.shiftId = asked->shiftId;
    query.status = asked->status;
    query.from = asked->from;
    query.to = asked->to;
    query.payrollRunId = asked->payrollRunId;
    auto const& lists = timesheets().lists();
    co_return co_await get_list(call, lists, ListInput{query, timesheets().filters(query)});
}

/// Which logs a payroll run holds stands in its row.
Operation timesheet_list() {
    auto row = list<timesheets>("timesheets.list", "List timesheets");
    row.description =
        "Returns a page of timesheets: who worked when and where, and what it is worth. Narrow it by day (from, to), "
        "status, person or shift, or to what a payroll run pays. For what is planned use {shifts.list}.";
    row.reads.push_back(projections::payroll_runs().spec().name);
    return row;
}

Operation logged_list() {
    auto row = list<timesheets>("timesheets.list_of_staff", "List the timesheets of a staff member");
    row.description = "Returns a page of one person's timesheets.";
    row.parameters = parameters_of<LoggedQuery>();
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = timesheets().sort_names();
    }
    row.reads.insert(row.reads.end(), {projections::staff().spec().name, projections::payroll_runs().spec().name});
    row.handler = list_logged;
    return row;
}

template <class Command>
Operation timesheet_command(std::string_view name, std::string_view summary) {
    return command<Command>(name, summary).on(Kind::timesheet);
}

Operation bulk_approval() {
    auto row = command<commands::ApproveTimesheets>("timesheets.approve_many", "Approve up to 100 timesheets");
    row.description =
        "Approves up to 100 submitted timesheets, each by itself; one that can't be approved stops no other. "
        "Returns the status of each, or why it was refused.";
    row.versioned = false;
    return row;
}

std::vector<Operation> timesheet_reads() {
    using enum net::Method;
    return {
        timesheet_list()
            .needs("timesheets.view")
            .reaches_own_rows()
            .at(get, "/api/timesheets")
            .as_tool({.name = "timesheets_list"}),
        one<timesheets>("timesheets.get", "Read a timesheet")
            .says("Returns one timesheet.")
            .needs("timesheets.view")
            .reaches_own_rows()
            .at(get, "/api/timesheets/{id:int}"),
        logged_list().needs("timesheets.view").reaches_own_rows().at(get, "/api/staff/{id:int}/timesheets"),
    };
}

std::vector<Operation> timesheet_changes() {
    using enum net::Method;
    return {
        command<commands::CreateTimesheet>("timesheets.create", "Record work")
            .says("Records work that was done, and returns it: submitted with a clockOut, else open. Starts no shift. "
                  "Refused where another log of the person overlaps.")
            .refuses({core::Code::already_clocked_in, core::Code::timesheet_overlap})
            .needs("timesheets.create")
            .reaches_own_rows()
            .creates(Kind::timesheet)
            .about_named(Kind::staff, "staffId")
            .at(post, "/api/timesheets"),
        command<commands::ClockIn>("timesheets.clock_in", "Clock in: begin to work now")
            .says("Begins work now, on a shift or at a facility, and returns the open log. The first one starts the "
                  "shift. Refused for who has clocked in already, and more than 60 minutes before the shift.")
            .refuses({core::Code::already_clocked_in, core::Code::timesheet_overlap, core::Code::staff_inactive})
            .needs("timesheets.create")
            .reaches_own_rows()
            .creates(Kind::timesheet, "/api/timesheets")
            .about_named(Kind::staff, "staffId")
            .at(post, "/api/timesheets/clock-in"),
        timesheet_command<commands::ClockOut>("timesheets.clock_out", "Clock out: the work ends now")
            .says("Ends the work now: the log is submitted for approval. Breaks that are given are all there are.")
            .refuses({core::Code::timesheet_overlap})
            .needs("timesheets.edit")
            .reaches_own_rows()
            .at(post, "/api/timesheets/{id:int}/clock-out"),
        timesheet_command<commands::UpdateTimesheet>("timesheets.update", "Change a timesheet")
            .says("Changes times, breaks or notes; others stay. A rejected one is submitted again. Refused once it is "
                  "approved, and where another log overlaps.")
            .refuses({core::Code::already_clocked_in, core::Code::timesheet_overlap})
            .needs("timesheets.edit")
            .reaches_own_rows()
            .at(patch, "/api/timesheets/{id:int}")
            .also_put("timesheets.put"),
        timesheet_command<commands::SubmitTimesheet>("timesheets.submit", "Submit a timesheet for approval")
            .says("Submits an open log that has a clockOut.")
            .refuses({core::Code::timesheet_overlap})
            .needs("timesheets.edit")
            .reaches_own_rows()
            .at(post, "/api/timesheets/{id:int}/submit"),
    };
}

std::vector<Operation> timesheet_approvals() {
    using enum net::Method;
    return {
        timesheet_command<commands::ApproveTimesheet>("timesheets.approve", "Approve a timesheet")
            .says("Approves what is submitted and freezes what it is worth. Nobody but an admin approves their own. "
                  "Subscribers hear of it as timesheet_approved.")
            .refuses({core::Code::self_approval_forbidden})
            .needs("timesheets.approve")
            .at(post, "/api/timesheets/{id:int}/approve"),
        bulk_approval()
            .needs("timesheets.approve")
            .at(post, "/api/timesheets/approve")
            .as_tool({.name = "timesheets_approve",
                      .tier = events::ModelTier::advanced,
                      .approval = Approval::always,
                      .idempotent = true,
                      .renamed = {{"timesheetIds", "ids"}}}),
        timesheet_command<commands::RejectTimesheet>("timesheets.reject", "Reject a timesheet")
            .says("Sends a submitted timesheet back, and says why; a change submits it again.")
            .needs("timesheets.approve")
            .at(post, "/api/timesheets/{id:int}/reject"),
        timesheet_command<commands::UnapproveTimesheet>("timesheets.unapprove", "Take an approval back")
            .says("Takes an approval back, so that the timesheet can be changed: it is submitted again.")
            .needs("timesheets.approve")
            .at(post, "/api/timesheets/{id:int}/unapprove"),
        timesheet_command<commands::VoidTimesheet>("timesheets.void", "Void a timesheet")
            .says("Makes a timesheet count no more, whatever it was; what is paid stays.")
            .needs("timesheets.approve")
            .at(post, "/api/timesheets/{id:int}/void"),
    };
}

}  // namespace

std::vector<Operation> timesheet_operations() {
    auto all = timesheet_reads();
    std::ranges::move(timesheet_changes(), std::back_inserter(all));
    std::ranges::move(timesheet_approvals(), std::back_inserter(all));
    return all;
}

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
          {"payrollRunId", "Payroll run that has paid it; null: none, though a draft may hold it"}}},
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
        {{"TimesheetStatus"},
         {{"", "open: still at work; submitted: waits for approval; approved: not paid yet; void: counts no more"}}},
        {{"ApprovalResult"}, {{"", "Whether a timesheet was approved"}}},
    };
}

}  // namespace workforce::operations
