// Commands on shift swap requests.
#pragma once

#include "commands/shift.hpp"
#include "events/shift_swap.hpp"

namespace workforce::commands {

/// A request with the flagged rules that its swap would break.
struct ShiftSwapAnswer : events::ShiftSwap {
    std::optional<std::vector<Violation>> warnings;  ///< absent where there are none
};
BOOST_DESCRIBE_STRUCT(ShiftSwapAnswer, (events::ShiftSwap), (warnings))

/// POST /api/shift-swaps: somebody asks a peer to change places, or has them asked. Without `staffId` the caller is the
/// requester, who for themselves alone may name nobody else, asks about shifts where they work alone, and learns of the
/// peer's broken rules no more than the code of what blocks. Errors: NOT_FOUND, also of who is not on their shift;
/// INVALID_STATE_TRANSITION of a shift that has begun or closed; DUPLICATE_RESOURCE of a person and shift that stand in
/// another pending request, and of who is on both; TIMESHEET_EXISTS; what blocks the swap.
struct RequestShiftSwap {
    using Answer = ShiftSwapAnswer;
    Id shiftId = 0;
    Id otherShiftId = 0;
    Id otherStaffId = 0;
    std::optional<Id> staffId;

    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(RequestShiftSwap, (), (shiftId, otherShiftId, otherStaffId, staffId))
Result<Decision> decide(View const& view, RequestShiftSwap const& command, Context const& context);
ShiftSwapAnswer answer(View const& view, RequestShiftSwap const& command, Decision const& decision);

/// POST /api/shift-swaps/{id}/accept: by the peer, of what waits for them. Errors: NOT_FOUND for anybody else;
/// INVALID_STATE_TRANSITION, also where the swap can't happen any more.
struct AcceptShiftSwap {
    using Answer = events::ShiftSwap;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(AcceptShiftSwap, (), ())
Result<Decision> decide(View const& view, AcceptShiftSwap const& command, Context const& context);
events::ShiftSwap answer(View const& view, AcceptShiftSwap const& command, Decision const& decision);

/// POST /api/shift-swaps/{id}/decline: by the peer, while it is pending; also after they accepted.
struct DeclineShiftSwap {
    using Answer = events::ShiftSwap;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeclineShiftSwap, (), ())
Result<Decision> decide(View const& view, DeclineShiftSwap const& command, Context const& context);
events::ShiftSwap answer(View const& view, DeclineShiftSwap const& command, Decision const& decision);

/// A request that was approved, with what the swap did. Where it was approved before, the shifts as they are.
struct ApprovedShiftSwap : events::ShiftSwap {
    std::vector<events::Shift> shifts;  ///< the requester's and the peer's former ones; deleted ones are left out
    bool filled = false;                ///< one of them, or both, by this command
    std::vector<Violation> warnings;
};
BOOST_DESCRIBE_STRUCT(ApprovedShiftSwap, (events::ShiftSwap), (shifts, filled, warnings))

/// POST /api/shift-swaps/{id}/approve: of what the peer accepted. The people change places as by SwapStaff, by all that
/// holds now. Errors: NOT_FOUND, also of a shift out of scope; SELF_APPROVAL_FORBIDDEN of who takes part, unless their
/// role is admin or super_admin; INVALID_STATE_TRANSITION; as SwapStaff.
struct ApproveShiftSwap {
    using Answer = ApprovedShiftSwap;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ApproveShiftSwap, (), ())
Result<Decision> decide(View const& view, ApproveShiftSwap const& command, Context const& context);
ApprovedShiftSwap answer(View const& view, ApproveShiftSwap const& command, Decision const& decision);

/// POST /api/shift-swaps/{id}/reject: of what is pending.
struct RejectShiftSwap {
    using Answer = events::ShiftSwap;
    Id id = 0;
    std::optional<core::LongText> reason;
};
BOOST_DESCRIBE_STRUCT(RejectShiftSwap, (), (reason))
Result<Decision> decide(View const& view, RejectShiftSwap const& command, Context const& context);
events::ShiftSwap answer(View const& view, RejectShiftSwap const& command, Decision const& decision);

/// POST /api/shift-swaps/{id}/cancel: of what is pending. Who acts for themselves alone cancels what they requested.
struct CancelShiftSwap {
    using Answer = events::ShiftSwap;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(CancelShiftSwap, (), ())
Result<Decision> decide(View const& view, CancelShiftSwap const& command, Context const& context);
events::ShiftSwap answer(View const& view, CancelShiftSwap const& command, Decision const& decision);

/// The installation ends the requests among these that are pending and whose swap can't happen any more.
struct ExpireShiftSwaps {
    using Answer = Nothing;
    std::vector<Id> ids;
};
Result<Decision> decide(View const& view, ExpireShiftSwaps const& command, Context const& context);

}  // namespace workforce::commands
