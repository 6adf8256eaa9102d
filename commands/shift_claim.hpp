// Commands on claims of open shifts.
#pragma once

#include "commands/open_shift.hpp"
#include "events/shift_claim.hpp"

namespace workforce::commands {

/// A claim with the rules that the person would break and that do not block, and the shift where the command put them
/// on it.
struct ShiftClaimAnswer : events::ShiftClaim, Staffed {
    std::vector<Violation> warnings;
};
BOOST_DESCRIBE_STRUCT(ShiftClaimAnswer, (events::ShiftClaim, Staffed), (warnings))

/// POST /api/shifts/{id}/claim: the caller asks to work the shift. Where the facility's claims need no approval they
/// are on it at once. Errors: NOT_FOUND, also where they do not work; INVALID_STATE_TRANSITION of a shift that has
/// begun or is closed; DUPLICATE_RESOURCE where they are on it, or wait for it; SHIFT_FULL; what a blocking rule of
/// assign says.
struct ClaimShift {
    using Answer = ShiftClaimAnswer;
    Id shiftId = 0;  ///< not read from a body
};
BOOST_DESCRIBE_STRUCT(ClaimShift, (), ())
Result<Decision> decide(View const& view, ClaimShift const& command, Context const& context);
ShiftClaimAnswer answer(View const& view, ClaimShift const& command, Decision const& decision);

/// A claim, as commands on one name it: by its shift, and by its own id.
struct NamedClaim {
    Id shiftId = 0;
    Id id = 0;
};

/// POST /api/shifts/{id}/claims/{claimId}/approve: of what is pending, by the rules as they are now, which puts the
/// person on the shift. Errors: as assign; SELF_APPROVAL_FORBIDDEN of one's own, unless the role is admin or
/// super_admin.
struct ApproveShiftClaim : NamedClaim {
    using Answer = ShiftClaimAnswer;
    std::optional<bool> override_;
    std::optional<core::ShortText> overrideComment;
};
BOOST_DESCRIBE_STRUCT(ApproveShiftClaim, (), (override_, overrideComment))
Result<Decision> decide(View const& view, ApproveShiftClaim const& command, Context const& context);
ShiftClaimAnswer answer(View const& view, ApproveShiftClaim const& command, Decision const& decision);

/// POST …/decline: of what is pending.
struct DeclineShiftClaim : NamedClaim {
    using Answer = ShiftClaimAnswer;
    std::optional<core::LongText> reason;
};
BOOST_DESCRIBE_STRUCT(DeclineShiftClaim, (), (reason))
Result<Decision> decide(View const& view, DeclineShiftClaim const& command, Context const& context);
ShiftClaimAnswer answer(View const& view, DeclineShiftClaim const& command, Decision const& decision);

/// POST …/withdraw: the caller's own, of what is pending.
struct WithdrawShiftClaim : NamedClaim {
    using Answer = ShiftClaimAnswer;
};
BOOST_DESCRIBE_STRUCT(WithdrawShiftClaim, (), ())
Result<Decision> decide(View const& view, WithdrawShiftClaim const& command, Context const& context);
ShiftClaimAnswer answer(View const& view, WithdrawShiftClaim const& command, Decision const& decision);

/// The installation ends the claims among these that wait for a shift which takes nobody any more.
struct ExpireShiftClaims {
    using Answer = Nothing;
    std::vector<Id> ids;
};
Result<Decision> decide(View const& view, ExpireShiftClaims const& command, Context const& context);

/// The event that ends a claim of whom is erased; nothing where nobody waits for a decision on it.
std::optional<NewEvent> end_claim(events::ShiftClaimRecord const& claim);

}  // namespace workforce::commands
