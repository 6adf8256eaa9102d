// Commands on timesheets.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/timesheet.hpp"

namespace workforce::commands {

/// POST /api/timesheets/clock-in: somebody begins to work now, on a shift or at a facility. Without `staffId` it is the
/// caller. The first one starts the shift. Errors: ALREADY_CLOCKED_IN, TIMESHEET_OVERLAP, STAFF_INACTIVE; NOT_FOUND of
/// a person who is not assigned; INVALID_STATE_TRANSITION more than 60 minutes ahead of the shift, or after it.
struct ClockIn {
    using Answer = events::Timesheet;
    std::optional<Id> staffId;
    std::optional<Id> shiftId;
    std::optional<Id> facilityId;
    std::optional<core::LongText> notes;
};
BOOST_DESCRIBE_STRUCT(ClockIn, (), (staffId, shiftId, facilityId, notes))
Result<Decision> decide(View const& view, ClockIn const& command, Context const& context);
events::Timesheet answer(View const& view, ClockIn const& command, Decision const& decision);

/// POST /api/timesheets: records work, with `clockOut` as submitted. It starts no shift, and takes completed ones.
/// Errors: as ClockIn, but that people may have left since; VALIDATION_ERROR of times that are in no order, longer than
/// a day, or breaks that stick out.
struct CreateTimesheet {
    using Answer = events::Timesheet;
    std::optional<Id> staffId;
    std::optional<Id> shiftId;
    std::optional<Id> facilityId;
    Timestamp clockIn;
    core::Nullable<Timestamp> clockOut;
    std::vector<events::TimesheetBreak> breaks;
    core::LongText notes;

    static constexpr std::array<std::string_view, 1> kRequired{"clockIn"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(CreateTimesheet, (), (staffId, shiftId, facilityId, clockIn, clockOut, breaks, notes))
Result<Decision> decide(View const& view, CreateTimesheet const& command, Context const& context);
events::Timesheet answer(View const& view, CreateTimesheet const& command, Decision const& decision);

/// PUT or PATCH /api/timesheets/{id}, while it is not approved. One that was rejected is submitted again. Whose it is
/// and where can't change (VALIDATION_ERROR). Errors: as CreateTimesheet; INVALID_STATE_TRANSITION.
struct UpdateTimesheet {
    using Answer = events::Timesheet;
    Id id = 0;
    std::optional<Id> staffId;
    std::optional<Id> facilityId;
    std::optional<core::Nullable<Id>> shiftId;
    std::optional<Timestamp> clockIn;
    std::optional<core::Nullable<Timestamp>> clockOut;
    std::optional<std::vector<events::TimesheetBreak>> breaks;
    std::optional<core::LongText> notes;
};
BOOST_DESCRIBE_STRUCT(UpdateTimesheet, (), (staffId, facilityId, shiftId, clockIn, clockOut, breaks, notes))
Result<Decision> decide(View const& view, UpdateTimesheet const& command, Context const& context);
events::Timesheet answer(View const& view, UpdateTimesheet const& command, Decision const& decision);

/// POST /api/timesheets/{id}/clock-out: the work ends now, and the log is submitted. `breaks`, where given, are all of
/// them.
struct ClockOut {
    using Answer = events::Timesheet;
    Id id = 0;
    std::optional<std::vector<events::TimesheetBreak>> breaks;
};
BOOST_DESCRIBE_STRUCT(ClockOut, (), (breaks))
Result<Decision> decide(View const& view, ClockOut const& command, Context const& context);
events::Timesheet answer(View const& view, ClockOut const& command, Decision const& decision);

/// POST /api/timesheets/{id}/submit: an open log whose `clockOut` was edited in.
struct SubmitTimesheet {
    using Answer = events::Timesheet;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(SubmitTimesheet, (), ())
Result<Decision> decide(View const& view, SubmitTimesheet const& command, Context const& context);
events::Timesheet answer(View const& view, SubmitTimesheet const& command, Decision const& decision);

/// POST /api/timesheets/{id}/approve: freezes what the log is worth. SELF_APPROVAL_FORBIDDEN of one's own log, unless
/// the role is admin or super_admin.
struct ApproveTimesheet {
    using Answer = events::Timesheet;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ApproveTimesheet, (), ())
Result<Decision> decide(View const& view, ApproveTimesheet const& command, Context const& context);
events::Timesheet answer(View const& view, ApproveTimesheet const& command, Decision const& decision);

enum class ApprovalResult : std::uint8_t { approved, error };
BOOST_DESCRIBE_ENUM(ApprovalResult, approved, error)

/// Why one of several logs was not approved.
struct ApprovalFault {
    std::string code;
    std::string message;
    std::string suggestion;
};
BOOST_DESCRIBE_STRUCT(ApprovalFault, (), (code, message, suggestion))

struct TimesheetApproval {
    Id id = 0;
    ApprovalResult status = ApprovalResult::approved;
    core::Nullable<ApprovalFault> error;
};
BOOST_DESCRIBE_STRUCT(TimesheetApproval, (), (id, status, error))

struct TimesheetApprovals {
    std::vector<TimesheetApproval> results;
};
BOOST_DESCRIBE_STRUCT(TimesheetApprovals, (), (results))

/// POST /api/timesheets/approve: up to 100, each as ApproveTimesheet has it; one that can't be approved stops no other.
struct ApproveTimesheets {
    using Answer = TimesheetApprovals;
    std::vector<Id> ids;

    static constexpr std::array<std::string_view, 1> kRequired{"ids"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(ApproveTimesheets, (), (ids))
Result<Decision> decide(View const& view, ApproveTimesheets const& command, Context const& context);
TimesheetApprovals answer(View const& view, ApproveTimesheets const& command, Decision const& decision);

/// POST /api/timesheets/{id}/reject: of what is submitted.
struct RejectTimesheet {
    using Answer = events::Timesheet;
    Id id = 0;
    core::Text<1, 4000, core::TextForm::paragraph> reason;
};
BOOST_DESCRIBE_STRUCT(RejectTimesheet, (), (reason))
Result<Decision> decide(View const& view, RejectTimesheet const& command, Context const& context);
events::Timesheet answer(View const& view, RejectTimesheet const& command, Decision const& decision);

/// POST /api/timesheets/{id}/unapprove: takes an approval back. TIMESHEET_LOCKED while a payroll run holds it.
struct UnapproveTimesheet {
    using Answer = events::Timesheet;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(UnapproveTimesheet, (), ())
Result<Decision> decide(View const& view, UnapproveTimesheet const& command, Context const& context);
events::Timesheet answer(View const& view, UnapproveTimesheet const& command, Decision const& decision);

/// POST /api/timesheets/{id}/void: it counts no more. Of anything but what is paid. TIMESHEET_LOCKED while a payroll
/// run holds it.
struct VoidTimesheet {
    using Answer = events::Timesheet;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(VoidTimesheet, (), ())
Result<Decision> decide(View const& view, VoidTimesheet const& command, Context const& context);
events::Timesheet answer(View const& view, VoidTimesheet const& command, Decision const& decision);

/// TIMESHEET_EXISTS where the shift has logs that count: of these people, or of anybody where none are named.
Result<void> require_no_logs(View const& view, Id shift, std::span<Id const> staff = {});

}  // namespace workforce::commands
