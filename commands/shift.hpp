// Commands on shifts (domain 2.1): making and changing them, staffing them, and moving them through their states.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/shift.hpp"

namespace workforce::commands {

/// A shift with the flagged rules that the request broke.
struct ShiftAnswer : events::Shift {
    std::optional<std::vector<Violation>> warnings;  ///< absent where there are none
};
BOOST_DESCRIBE_STRUCT(ShiftAnswer, (events::Shift), (warnings))

/// POST /api/shifts. With assignedStaffIds it runs the checks of assign and needs shifts.assign too.
struct CreateShift : events::ShiftDetails {
    using Answer = ShiftAnswer;
    std::vector<Id> assignedStaffIds;
};
BOOST_DESCRIBE_STRUCT(CreateShift, (events::ShiftDetails), (assignedStaffIds))
Result<Decision> decide(View const& view, CreateShift const& command, Context const& context);
ShiftAnswer answer(View const& view, CreateShift const& command, Decision const& decision);

/// The event that posts a shift under that id; of one that a template makes, with its id. Errors:
/// FACILITY_SCOPE_VIOLATION, INVALID_STATE_TRANSITION of a facility that is not active, VALIDATION_ERROR of times that
/// the clocks of that day turn round.
Result<NewEvent> post_shift(View const& view, events::ShiftDetails const& details, core::Nullable<Id> template_id,
                            Id id, Context const& context);

/// The shifts that a bulk create made, in the order asked for, and the flagged rules that they broke.
struct ShiftList {
    std::vector<events::Shift> data;
    std::optional<std::vector<Violation>> warnings;  ///< absent where there are none
};
BOOST_DESCRIBE_STRUCT(ShiftList, (), (data, warnings))

/// POST /api/shifts with `{shifts: […]}`: 1–100, all or none.
struct CreateShifts {
    using Answer = ShiftList;
    std::vector<CreateShift> shifts;

    void check(core::FieldCheck& fields) const {
        if (shifts.empty() && fields.sound("shifts"))
            fields.fail("shifts", "min_items", "must have at least one shift");
    }
};
BOOST_DESCRIBE_STRUCT(CreateShifts, (), (shifts))
Result<Decision> decide(View const& view, CreateShifts const& command, Context const& context);
ShiftList answer(View const& view, CreateShifts const& command, Decision const& decision);

/// PUT or PATCH /api/shifts/{id}. `status` stands for the command that leads there. New times are judged by the rules
/// of assign, of everybody on the shift.
struct UpdateShift : events::ShiftChanges {
    using Answer = ShiftAnswer;
    Id id = 0;
    std::optional<Id> facilityId;  ///< fixed after create: only its present value is taken
    std::optional<events::ShiftStatus> status;
    std::optional<core::LongText> cancelReason;
};
BOOST_DESCRIBE_STRUCT(UpdateShift, (events::ShiftChanges), (facilityId, status, cancelReason))
Result<Decision> decide(View const& view, UpdateShift const& command, Context const& context);
ShiftAnswer answer(View const& view, UpdateShift const& command, Decision const& decision);

enum class AssignMode : std::uint8_t { add, replace };
BOOST_DESCRIBE_ENUM(AssignMode, add, replace)

/// The shift after an assignment, and what the request did.
struct AssignAnswer : events::Shift {
    bool filled = false;  ///< this request filled it
    std::vector<Id> assigned;
    std::vector<Violation> warnings;
};
BOOST_DESCRIBE_STRUCT(AssignAnswer, (events::Shift), (filled, assigned, warnings))

/// POST /api/shifts/{id}/assign: one person or up to 100, all or none.
struct AssignStaff {
    using Answer = AssignAnswer;
    Id id = 0;
    std::optional<Id> staffId;
    std::optional<std::vector<Id>> staffIds;
    std::optional<AssignMode> mode;
    std::optional<bool> override_;
    std::optional<core::ShortText> overrideComment;

    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(AssignStaff, (), (staffId, staffIds, mode, override_, overrideComment))
Result<Decision> decide(View const& view, AssignStaff const& command, Context const& context);
AssignAnswer answer(View const& view, AssignStaff const& command, Decision const& decision);

/// POST /api/shifts/{id}/unassign: one person or up to 100, all or none.
struct UnassignStaff {
    using Answer = events::Shift;
    Id id = 0;
    std::optional<Id> staffId;
    std::optional<std::vector<Id>> staffIds;

    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(UnassignStaff, (), (staffId, staffIds))
Result<Decision> decide(View const& view, UnassignStaff const& command, Context const& context);
events::Shift answer(View const& view, UnassignStaff const& command, Decision const& decision);

/// POST /api/shifts/{id}/acknowledge: the caller, who is on the shift, knows of it. Said again it changes nothing.
struct AcknowledgeShift {
    using Answer = events::Shift;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(AcknowledgeShift, (), ())
Result<Decision> decide(View const& view, AcknowledgeShift const& command, Context const& context);
events::Shift answer(View const& view, AcknowledgeShift const& command, Decision const& decision);

/// Both shifts after a swap, and what it did.
struct SwapAnswer {
    std::vector<events::Shift> shifts;  ///< A and B
    bool filled = false;                ///< one of them, or both
    std::vector<Violation> warnings;
};
BOOST_DESCRIBE_STRUCT(SwapAnswer, (), (shifts, filled, warnings))

/// POST /api/shifts/swap: a person of shift A and one of shift B change places, or nothing happens. Each is judged by
/// the rules of assign, without the time of the shift that they leave.
struct SwapStaff {
    using Answer = SwapAnswer;
    Id shiftIdA = 0;
    Id staffIdA = 0;
    Id shiftIdB = 0;
    Id staffIdB = 0;

    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(SwapStaff, (), (shiftIdA, staffIdA, shiftIdB, staffIdB))
Result<Decision> decide(View const& view, SwapStaff const& command, Context const& context);
SwapAnswer answer(View const& view, SwapStaff const& command, Decision const& decision);

/// POST /api/shifts/{id}/start: staffed, and at most 60 minutes before its start.
struct StartShift {
    using Answer = events::Shift;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(StartShift, (), ())
Result<Decision> decide(View const& view, StartShift const& command, Context const& context);
events::Shift answer(View const& view, StartShift const& command, Decision const& decision);

/// POST /api/shifts/{id}/complete: done work, which nothing changes any more.
struct CompleteShift {
    using Answer = events::Shift;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(CompleteShift, (), ())
Result<Decision> decide(View const& view, CompleteShift const& command, Context const& context);
events::Shift answer(View const& view, CompleteShift const& command, Decision const& decision);

/// POST /api/shifts/{id}/cancel. A running shift needs a reason.
struct CancelShift {
    using Answer = events::Shift;
    Id id = 0;
    std::optional<core::LongText> reason;
};
BOOST_DESCRIBE_STRUCT(CancelShift, (), (reason))
Result<Decision> decide(View const& view, CancelShift const& command, Context const& context);
events::Shift answer(View const& view, CancelShift const& command, Decision const& decision);

/// POST /api/shifts/{id}/reopen: a cancelled one before its start, unstaffed.
struct ReopenShift {
    using Answer = events::Shift;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReopenShift, (), ())
Result<Decision> decide(View const& view, ReopenShift const& command, Context const& context);
events::Shift answer(View const& view, ReopenShift const& command, Decision const& decision);

/// DELETE /api/shifts/{id}: cancelled with the reason `deleted`, and from then on NOT_FOUND for every command and read.
struct DeleteShift {
    using Answer = events::Shift;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeleteShift, (), ())
Result<Decision> decide(View const& view, DeleteShift const& command, Context const& context);
events::Shift answer(View const& view, DeleteShift const& command, Decision const& decision);

/// How many shifts one tick of the clock moved.
struct ClockAnswer {
    std::int64_t moved = 0;
};
BOOST_DESCRIBE_STRUCT(ClockAnswer, (), (moved))

/// The clock's own command: of the shifts named it starts staffed ones past their start and completes running ones 15
/// minutes past their end, where their facility wants it. Idempotent by state and time, so two clocks do no harm.
struct MoveDueShifts {
    using Answer = ClockAnswer;
    std::vector<Id> ids;
};
BOOST_DESCRIBE_STRUCT(MoveDueShifts, (), (ids))
Result<Decision> decide(View const& view, MoveDueShifts const& command, Context const& context);
ClockAnswer answer(View const& view, MoveDueShifts const& command, Decision const& decision);

}  // namespace workforce::commands
