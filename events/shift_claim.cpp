// How events of claims fold: the one definition, for the write side's memory and for read models.
#include "events/shift_claim.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void decline_claim(ShiftClaimRecord& claim, ShiftClaimDeclined const& declined, Envelope const& meta) {
    claim.status = ShiftClaimStatus::declined;
    claim.decidedBy = acting_user(meta);
    claim.decidedAt = meta.time;
    claim.declineReason = declined.reason;
    claim.internals.holderErased = claim.internals.holderErased || declined.reason.erased;
}

}  // namespace

void evolve(ShiftClaimRecord& claim, ShiftClaimEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](ShiftClaimRequested const& e) { static_cast<ShiftClaimSubject&>(claim) = e; },
                          [&](ShiftClaimApproved const& e) {
                              claim.status = ShiftClaimStatus::approved;
                              if (!e.automatic) claim.decidedBy = acting_user(meta);
                              claim.decidedAt = meta.time;
                          },
                          [&](ShiftClaimDeclined const& e) { decline_claim(claim, e, meta); },
                          [&](ShiftClaimWithdrawn const&) { claim.status = ShiftClaimStatus::withdrawn; },
                          [&](ShiftClaimExpired const&) { claim.status = ShiftClaimStatus::expired; },
                          [&](ShiftClaimHolderErased const&) {
                              erase_personal(static_cast<ShiftClaimStanding&>(claim));
                              claim.internals.holderErased = true;
                          },
                          [&](ShiftClaimDeleted const&) { claim.deleted = true; }},
               event);
    stamp(claim, meta);
}

template struct DataCodec<ShiftClaimEvent>;

}  // namespace workforce::events
