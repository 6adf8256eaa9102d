// Commands on offers of open shifts.
#pragma once

#include "commands/open_shift.hpp"
#include "events/shift_offer.hpp"

namespace workforce::commands {

/// The offers that a request made, in the order asked for, and the flagged rules that their people would break.
struct ShiftOfferList {
    std::vector<events::ShiftOffer> data;
    std::vector<Violation> warnings;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferList, (), (data, warnings))

/// POST /api/shifts/{id}/offers: 1–50 people are asked whether they come, all or none. Errors: NOT_FOUND;
/// INVALID_STATE_TRANSITION of a shift that has begun or is closed; SHIFT_FULL; VALIDATION_ERROR of a time that is past
/// or after the shift's beginning; DUPLICATE_RESOURCE where somebody is on it or has an offer of it that stands; what
/// a blocking rule of assign says.
struct OfferShift {
    using Answer = ShiftOfferList;
    static constexpr std::size_t kMost = 50;
    Id shiftId = 0;  ///< not read from a body
    std::vector<Id> staffIds;
    std::optional<Timestamp> expiresAt;

    static constexpr std::array<std::string_view, 1> kRequired{"staffIds"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(OfferShift, (), (staffIds, expiresAt))
Result<Decision> decide(View const& view, OfferShift const& command, Context const& context);
ShiftOfferList answer(View const& view, OfferShift const& command, Decision const& decision);

/// An offer with the rules that the person breaks and that do not block, and the shift where the command put them on
/// it.
struct ShiftOfferAnswer : events::ShiftOffer, Staffed {
    std::vector<Violation> warnings;
};
BOOST_DESCRIBE_STRUCT(ShiftOfferAnswer, (events::ShiftOffer, Staffed), (warnings))

/// POST /api/shift-offers/{id}/accept: the caller's own, which puts them on the shift by the rules as they are now.
/// Errors: as claims that need no approval; INVALID_STATE_TRANSITION of what does not stand.
struct AcceptShiftOffer {
    using Answer = ShiftOfferAnswer;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(AcceptShiftOffer, (), ())
Result<Decision> decide(View const& view, AcceptShiftOffer const& command, Context const& context);
ShiftOfferAnswer answer(View const& view, AcceptShiftOffer const& command, Decision const& decision);

/// POST /api/shift-offers/{id}/decline: the caller's own.
struct DeclineShiftOffer {
    using Answer = ShiftOfferAnswer;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeclineShiftOffer, (), ())
Result<Decision> decide(View const& view, DeclineShiftOffer const& command, Context const& context);
ShiftOfferAnswer answer(View const& view, DeclineShiftOffer const& command, Decision const& decision);

/// POST /api/shift-offers/{id}/withdraw: whoever plans takes it back.
struct WithdrawShiftOffer {
    using Answer = ShiftOfferAnswer;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(WithdrawShiftOffer, (), ())
Result<Decision> decide(View const& view, WithdrawShiftOffer const& command, Context const& context);
ShiftOfferAnswer answer(View const& view, WithdrawShiftOffer const& command, Decision const& decision);

/// The installation ends the offers among these that stand and can't be accepted any more.
struct ExpireShiftOffers {
    using Answer = Nothing;
    std::vector<Id> ids;
};
Result<Decision> decide(View const& view, ExpireShiftOffers const& command, Context const& context);

/// The event that ends an offer to whom is erased; nothing where it does not stand.
std::optional<NewEvent> end_offer(events::ShiftOfferRecord const& offer);

}  // namespace workforce::commands
