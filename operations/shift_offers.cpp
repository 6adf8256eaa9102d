// Whom open shifts are offered to, and who comes.
#include "commands/shift_offer.hpp"

#include "operations/assigning.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/shift_offers/shift_offers.hpp"

namespace workforce::operations {
namespace {

using events::Kind;

boost::asio::awaitable<Outcome> offer_shift(Call& call) {
    auto command = read_command<commands::OfferShift>(call);
    if (command) command->shiftId = call.input.path.id();
    auto const count = command ? command->staffIds.size() : 0;
    return submit(call, submission_of(call, std::move(command)), count);
}

}  // namespace

Operation shift_offering() {
    using enum core::Code;
    auto row = command<commands::OfferShift>("shifts.offer", "Offer an open shift to chosen people");
    row.description =
        "Asks up to 50 people whether they come to an open shift: an offer for each, all of them or none, until "
        "expiresAt or the shift begins. Returns the offers. They are checked as {shifts.assign} checks them; whoever "
        "accepts first comes on it. Refused where one of them is on it or has an offer of it that stands.";
    row.refusals = assignment_refusals({shift_full, duplicate_resource});
    row.versioned = false;
    row.handler = offer_shift;
    return std::move(row)
        .needs("shifts.assign")
        .creates(Kind::shift_offer, "/api/shift-offers")
        .on(Kind::shift)
        .at(net::Method::post, "/api/shifts/{id:int}/offers")
        .as_tool({.name = "shifts_offer", .tier = events::ModelTier::standard, .renamed = {{"shiftId", "id"}}});
}

std::vector<Operation> shift_offer_operations() {
    using enum net::Method;
    using enum core::Code;
    using projections::shift_offers;
    return {
        list<shift_offers>("shift_offers.list", "List offers of shifts")
            .says("Returns a page of offers, answered and not, the oldest first. Narrow it by shift, person or status.")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/shift-offers"),
        one<shift_offers>("shift_offers.get", "Read an offer of a shift")
            .says("Returns one offer of a shift, and what came of it.")
            .needs("scheduling.view")
            .reaches_own_rows()
            .at(get, "/api/shift-offers/{id:int}"),
        command<commands::AcceptShiftOffer>("shift_offers.accept", "Accept an offer of a shift")
            .says("Accepts an offer to you that stands and puts you on the shift, by the rules of {shifts.assign} as "
                  "they are now. Refused once the shift is full.")
            .refuses(assignment_refusals({shift_full}))
            .needs("scheduling.request")
            .reaches_own_rows()
            .on(Kind::shift_offer)
            .at(post, "/api/shift-offers/{id:int}/accept"),
        command<commands::DeclineShiftOffer>("shift_offers.decline", "Decline an offer of a shift")
            .says("Declines an offer to you that stands.")
            .needs("scheduling.request")
            .reaches_own_rows()
            .on(Kind::shift_offer)
            .at(post, "/api/shift-offers/{id:int}/decline"),
        command<commands::WithdrawShiftOffer>("shift_offers.withdraw", "Withdraw an offer of a shift")
            .says("Takes an offer back that nobody has answered.")
            .needs("shifts.assign")
            .on(Kind::shift_offer)
            .at(post, "/api/shift-offers/{id:int}/withdraw"),
    };
}

std::vector<StructWords> shift_offer_words() {
    return {
        {{"shift-offers/"}, {{"id", "The offer's id, from {shift_offers.list}"}}},
        {{"ShiftOfferSubject"},
         {{"facilityId", "The shift's facility"},
          {"shiftId", "The shift that is offered"},
          {"staffId", "Who is asked to come"}}},
        {{"ShiftOfferTerm"}, {{"expiresAt", "Until when it stands; null: until the shift begins"}}},
        {{"ShiftOfferStanding"},
         {{"status", "Where it stands"},
          {"offeredBy", "User who made it; null: a key without one"},
          {"decidedAt", "When the person accepted or declined; null: they did not"}}},
        {{"OfferShift"},
         {{"staffIds", "1 to 50 people, ids from {staff.list}: all of them or none"},
          {"expiresAt", "Until when the offers stand, at the latest when the shift begins, as where it is not given"}}},
        {{"ShiftOfferList"},
         {{"data", "The offers, in the order asked for"},
          {"warnings", "Rules that the people would break and that do not block"}}},
        {{"ShiftOfferAnswer"}, {{"warnings", "Rules that the person breaks by it and that do not block"}}},
        {{"ShiftOfferFilter"},
         {{"shiftId", "Only of this shift, an id from {shifts.list}"},
          {"staffId", "Only to this person, an id from {staff.list}"},
          {"status", "Only what stands so"}}},
        {{"ShiftOfferStatus"},
         {{"",
           "offered: nobody has answered; accepted: the person came on the shift; expired: its time was over, or the "
           "shift was full, cancelled or had begun"}}},
    };
}

}  // namespace workforce::operations
