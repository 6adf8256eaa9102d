// How events of shift swap requests fold: the one definition, for the write side's memory and for read models.
#include "events/shift_swap.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void decide_swap(ShiftSwapRecord& record, ShiftSwapStatus status, Envelope const& meta) {
    record.status = status;
    record.decidedBy = acting_user(meta);
    record.decidedAt = meta.time;
}

void reject_swap(ShiftSwapRecord& record, ShiftSwapRejected const& rejected, Envelope const& meta) {
    decide_swap(record, ShiftSwapStatus::rejected, meta);
    record.rejectReason = rejected.reason;
    record.internals.holderErased = record.internals.holderErased || rejected.reason.erased;
}

}  // namespace

void evolve(ShiftSwapRecord& record, ShiftSwapEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](ShiftSwapRequested const& e) {
                              static_cast<ShiftSwapPlace&>(record) = e;
                              static_cast<ShiftSwapSides&>(record) = e;
                          },
                          [&](ShiftSwapAccepted const&) { record.status = ShiftSwapStatus::pending_approval; },
                          [&](ShiftSwapDeclined const&) { decide_swap(record, ShiftSwapStatus::declined, meta); },
                          [&](ShiftSwapApproved const&) { decide_swap(record, ShiftSwapStatus::approved, meta); },
                          [&](ShiftSwapRejected const& e) { reject_swap(record, e, meta); },
                          [&](ShiftSwapCancelled const&) { record.status = ShiftSwapStatus::cancelled; },
                          [&](ShiftSwapExpired const&) { record.status = ShiftSwapStatus::expired; },
                          [&](ShiftSwapHolderErased const&) {
                              erase_personal(static_cast<ShiftSwapStanding&>(record));
                              record.internals.holderErased = true;
                          },
                          [&](ShiftSwapDeleted const&) { record.deleted = true; }},
               event);
    stamp(record, meta);
}

template struct DataCodec<ShiftSwapEvent>;

}  // namespace workforce::events
