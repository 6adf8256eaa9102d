// How events of offers fold: the one definition, for the write side's memory and for read models.
#include "events/shift_offer.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void make_offer(ShiftOfferRecord& offer, ShiftOfferMade const& made, Envelope const& meta) {
    static_cast<ShiftOfferSubject&>(offer) = made;
    static_cast<ShiftOfferTerm&>(offer) = made;
    offer.offeredBy = acting_user(meta);
}

void answer_offer(ShiftOfferRecord& offer, ShiftOfferStatus status, Envelope const& meta) {
    offer.status = status;
    offer.decidedAt = meta.time;
}

}  // namespace

void evolve(ShiftOfferRecord& offer, ShiftOfferEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](ShiftOfferMade const& e) { make_offer(offer, e, meta); },
                          [&](ShiftOfferAccepted const&) { answer_offer(offer, ShiftOfferStatus::accepted, meta); },
                          [&](ShiftOfferDeclined const&) { answer_offer(offer, ShiftOfferStatus::declined, meta); },
                          [&](ShiftOfferWithdrawn const&) { offer.status = ShiftOfferStatus::withdrawn; },
                          [&](ShiftOfferExpired const&) { offer.status = ShiftOfferStatus::expired; },
                          [&](ShiftOfferDeleted const&) { offer.deleted = true; }},
               event);
    stamp(offer, meta);
}

template struct DataCodec<ShiftOfferEvent>;

}  // namespace workforce::events
