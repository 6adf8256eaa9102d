// Who asks to work an open shift, and who decides on it.
#include "commands/shift_claim.hpp"

#include "operations/assigning.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/shift_claims/shift_claims.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;
using events::Kind;

awaitable<Outcome> claim_shift(Call& call) {
    auto command = read_command<commands::ClaimShift>(call);
    if (command) command->shiftId = call.input.path.id();
    return submit(call, submission_of(call, std::move(command)), 1);
}

/// The handler of a command on the claim that the path names after its shift.
template <class Command>
awaitable<Outcome> run_claim_command(Call& call) {
    auto const id = call.input.path.id("claimId");
    auto command = read_command<Command>(call);
    if (command) {
        command->shiftId = call.input.path.id();
        command->id = id;
    }
    auto submission = submission_of(call, std::move(command));
    submission.target = {Kind::shift_claim, id};
    return submit(call, std::move(submission), 0);
}

template <class Command>
Operation claim_command(std::string_view name, std::string_view summary) {
    auto row = command<Command>(name, summary);
    row.handler = run_claim_command<Command>;
    return std::move(row).on(Kind::shift);
}

Operation claiming() {
    auto row = command<commands::ClaimShift>("shift_claims.create", "Claim an open shift");
    row.handler = claim_shift;
    return row;
}

}  // namespace

std::vector<Operation> shift_claim_operations() {
    using enum net::Method;
    using enum core::Code;
    using projections::shift_claims;
    return {
        list<shift_claims>("shift_claims.list", "List claims of shifts")
            .says("Returns a page of claims, decided and not, the oldest first. Narrow it by shift, person or status.")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/shift-claims"),
        one<shift_claims>("shift_claims.get", "Read a claim of a shift")
            .says("Returns one claim of a shift, and what came of it.")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/shift-claims/{id:int}"),
        claiming()
            .says("Asks to work an open shift, for yourself, by the rules of {shifts.assign}. Returns the claim, which "
                  "is pending until somebody decides; where the facility's claimsNeedApproval is false you are on the "
                  "shift at once. Refused where you are on it, or have a claim of it that is pending.")
            .refuses(assignment_refusals({shift_full, duplicate_resource}))
            .needs("scheduling.request")
            .reaches_own_rows()
            .creates(Kind::shift_claim, "/api/shift-claims")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id:int}/claim"),
        claim_command<commands::ApproveShiftClaim>("shift_claims.approve", "Approve a claim of a shift")
            .says("Approves a pending claim and puts its person on the shift, by the rules of {shifts.assign} as they "
                  "are now. Nobody but an admin approves their own.")
            .refuses(assignment_refusals({shift_full, self_approval_forbidden}))
            .needs("shifts.assign")
            .audit_where(overrides_rules)
            .at(post, "/api/shifts/{id:int}/claims/{claimId:int}/approve"),
        claim_command<commands::DeclineShiftClaim>("shift_claims.decline", "Decline a claim of a shift")
            .says("Declines a pending claim, and says why.")
            .needs("shifts.assign")
            .at(post, "/api/shifts/{id:int}/claims/{claimId:int}/decline"),
        claim_command<commands::WithdrawShiftClaim>("shift_claims.withdraw", "Withdraw one's own claim of a shift")
            .says("Takes your own pending claim back.")
            .needs("scheduling.request")
            .reaches_own_rows()
            .at(post, "/api/shifts/{id:int}/claims/{claimId:int}/withdraw"),
    };
}

std::vector<StructWords> shift_claim_words() {
    return {
        {{"shift-claims/"}, {{"id", "The claim's id, from {shift_claims.list}"}}},
        {{"claims/"}, {{"claimId", "The claim's id, from {shift_claims.list}: one of that shift"}}},
        {{"ShiftClaimSubject"},
         {{"facilityId", "The shift's facility"},
          {"shiftId", "The shift that is claimed"},
          {"staffId", "Who asks to work it"}}},
        {{"ShiftClaimStanding"},
         {{"status", "Where it stands"},
          {"decidedBy", "User who approved or declined it; null: nobody, or a key without one"},
          {"decidedAt", "When it was approved or declined; null: it was not"},
          {"declineReason", "Why it was declined; else empty"}}},
        {{"Staffed"},
         {{"shift", "The shift with the person on it; absent: nobody came on it"},
          {"filled", "Whether the shift got its last missing person; absent: nobody came on it"}}},
        {{"ShiftClaimAnswer"}, {{"warnings", "Rules that the person breaks by it and that do not block"}}},
        {{"ApproveShiftClaim"},
         {{"override", "true passes rules that block; takes shifts.override"},
          {"overrideComment", "Why the rules are passed, for the audit log"}}},
        {{"DeclineShiftClaim"}, {{"reason", "Why not"}}},
        {{"ShiftClaimFilter"},
         {{"shiftId", "Only of this shift, an id from {shifts.list}"},
          {"staffId", "Only of this person, an id from {staff.list}"},
          {"status", "Only what stands so"}}},
        {{"ShiftClaimStatus"},
         {{"",
           "pending: nobody has decided; approved: the person came on the shift; expired: it was full, cancelled or "
           "had begun before anybody decided"}}},
    };
}

}  // namespace workforce::operations
