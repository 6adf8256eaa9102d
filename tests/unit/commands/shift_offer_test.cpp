// Offers of shifts: to whom a shift is offered, who answers, what the rules say of it, and whom it puts on the shift.
#include "commands/shift_offer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::ShiftOfferStatus;
using testing::ElementsAre;
using tests::at;
using tests::Given;

constexpr Id kNell = 21;
constexpr Id kOtto = 22;
constexpr Id kMorning = 70;           ///< one spot, at facility 1
constexpr Id kEvening = 71;           ///< two of them
constexpr Id kElsewhereOffered = 72;  ///< at facility 2

Given given_shifts_to_offer(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "UTC", rules).facility(2, "UTC", rules);
    given.staff(kNell, {1}).staff(kOtto, {1});
    given.shift(kMorning, 1, "2026-08-03", "08:00", "16:00").shift(kEvening, 1, "2026-08-04", "20:00", "23:00", 2);
    given.shift(kElsewhereOffered, 2, "2026-08-03", "08:00", "16:00");
    return given;
}

void answer_as(Given& given, Id staff) {
    given.context.own_only = true;
    given.context.staff = staff;
    given.context.role = events::Role::staff;
}
void plan_offers(Given& given) {
    given.context.own_only = false;
    given.context.staff = 0;
    given.context.role = events::Role::scheduler;
}

OfferShift offering(Id shift, std::vector<Id> staff) {
    OfferShift command;
    command.shiftId = shift;
    command.staffIds = std::move(staff);
    return command;
}

/// Offers with ids from 201 on.
ShiftOfferList make_offers(Given& given, OfferShift const& command, Id first = 201) {
    given.context.new_ids.clear();
    for (std::size_t i = 0; i < command.staffIds.size(); ++i) {
        given.context.new_ids.push_back(first + static_cast<Id>(i));
    }
    return given.after(command);
}

ShiftOfferStatus offer_status(Given const& given, Id id) {
    return given.view().get<events::ShiftOfferRecord>(id)->status;
}

TEST(OfferShift, AsksEverybodyOnce) {
    auto given = given_shifts_to_offer();
    auto const made = make_offers(given, offering(kEvening, {kNell, kOtto, kNell}));
    ASSERT_EQ(made.data.size(), 2U);
    EXPECT_THAT(made.warnings, testing::IsEmpty());
    auto const& offer = made.data.back();
    EXPECT_EQ(std::tuple(offer.id, offer.facilityId, offer.shiftId, offer.staffId),
              std::tuple(202, 1, kEvening, kOtto));
    EXPECT_EQ(offer.status, ShiftOfferStatus::offered);
    EXPECT_EQ(offer.offeredBy.value, 3);
    EXPECT_FALSE(offer.expiresAt.value || offer.decidedAt.value);
    EXPECT_THAT(given.view().get<events::ShiftRecord>(kEvening)->shift.assignedStaffIds, testing::IsEmpty());
    auto const faults = [](std::string const& body) { return tests::faults_in<OfferShift>(body); };
    EXPECT_EQ(faults("{}"), "staffIds required");
    EXPECT_EQ(faults(R"({"staffIds":[]})"), "staffIds min_items");
    std::string many = "1";
    for (int id = 2; id <= 51; ++id) many += "," + std::to_string(id);
    EXPECT_EQ(faults(R"({"staffIds":[)" + many + "]}"), "staffIds max_items");
    EXPECT_EQ(faults(R"({"staffIds":[1],"expiresAt":"2026-08-01T00:00:00Z"})"), "");
}

TEST(OfferShift, IsOfWhatIsOpenAheadAndInReach) {
    auto given = given_shifts_to_offer();
    given.shift(80, 1, "2026-08-05", "08:00", "16:00", 1, {kOtto}).shift(81, 1, "2026-08-06", "08:00", "16:00");
    given.on_shift(81, events::ShiftCancelled{""});
    EXPECT_EQ(given.when(offering(80, {kNell})).summary(), "SHIFT_FULL");
    EXPECT_EQ(given.when(offering(81, {kNell})).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(offering(99, {kNell})).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(offering(kMorning, {99})).summary(), "NOT_FOUND");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(offering(kElsewhereOffered, {kNell})).summary(), "NOT_FOUND");
    given.context.now = at("2026-08-03T08:00:00Z");
    EXPECT_EQ(given.when(offering(kMorning, {kNell})).summary(), "INVALID_STATE_TRANSITION") << "it has begun";
}

TEST(OfferShift, StandsUntilItsTimeIsOver) {
    auto given = given_shifts_to_offer();
    auto command = offering(kMorning, {kNell});
    for (auto const& [text, summary] :
         {std::pair{"2026-07-24T10:00:00Z", "VALIDATION_ERROR"}, std::pair{"2026-07-24T10:00:01Z", "shift_offer.made"},
          std::pair{"2026-08-03T08:00:00Z", "shift_offer.made"},
          std::pair{"2026-08-03T08:00:01Z", "VALIDATION_ERROR"}}) {
        command.expiresAt = at(text);
        EXPECT_EQ(given.when(command).summary(), summary) << text;
    }
    command.expiresAt = at("2026-07-25T00:00:00Z");
    EXPECT_EQ(make_offers(given, command).data.front().expiresAt.value, command.expiresAt);
    EXPECT_EQ(given.when(ExpireShiftOffers{{201}}).summary(), "nothing");
    EXPECT_EQ(given.when(offering(kMorning, {kNell})).summary(), "DUPLICATE_RESOURCE");
    given.context.now = at("2026-07-25T00:00:00Z");
    EXPECT_EQ(given.when(offering(kMorning, {kNell})).summary(), "shift_offer.made") << "the other one is over";
    EXPECT_EQ(given.when(ExpireShiftOffers{{201}}).summary(), "shift_offer.expired");
    answer_as(given, kNell);
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "INVALID_STATE_TRANSITION") << "recorded or not";
}

TEST(OfferShift, AsksNobodyTwiceAndNobodyOnIt) {
    auto given = given_shifts_to_offer();
    make_offers(given, offering(kEvening, {kNell}));
    auto const again = given.when(offering(kEvening, {kOtto, kNell}));
    EXPECT_EQ(again.summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(again.details(), R"({"existingId":201})");
    EXPECT_EQ(given.when(offering(kEvening, {kOtto})).summary(), "shift_offer.made");
    EXPECT_EQ(given.when(offering(kMorning, {kNell})).summary(), "shift_offer.made") << "another shift";
    given.on_shift(kEvening, events::ShiftStaffAssigned{kOtto, {}, {}});
    auto const on_it = given.when(offering(kEvening, {kOtto}));
    EXPECT_EQ(on_it.summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(on_it.details(), R"({"existingId":71})");
    given.after(WithdrawShiftOffer{201});
    EXPECT_EQ(given.when(offering(kEvening, {kNell})).summary(), "shift_offer.made");
}

TEST(OfferShift, GoesByTheRulesOfAssign) {
    auto given = given_shifts_to_offer();
    given.shift(80, 1, "2026-08-03", "12:00", "20:00", 1, {kNell});
    auto const refused = given.when(offering(kMorning, {kOtto, kNell}));
    EXPECT_EQ(refused.summary(), "STAFF_DOUBLE_BOOKED") << "all of them or none";
    EXPECT_NE(refused.details().find(R"("staffId":21)"), std::string::npos) << refused.details();
    events::SchedulingRules lenient;
    lenient.doubleBooking = events::RuleLevel::flag;
    auto flagged = given_shifts_to_offer(lenient);
    flagged.shift(80, 1, "2026-08-03", "12:00", "20:00", 1, {kNell});
    auto const made = make_offers(flagged, offering(kMorning, {kNell}));
    ASSERT_EQ(made.warnings.size(), 1U);
    EXPECT_EQ(made.warnings.front().code, "STAFF_DOUBLE_BOOKED");
}

TEST(AnswerShiftOffer, MovesAsTheStatesSay) {
    auto given = given_shifts_to_offer();
    auto const outcomes = [&](Id id) {
        answer_as(given, kNell);
        std::vector<std::string> all{given.when(AcceptShiftOffer{id}).summary(),
                                     given.when(DeclineShiftOffer{id}).summary()};
        plan_offers(given);
        all.push_back(given.when(WithdrawShiftOffer{id}).summary());
        return all;
    };
    constexpr auto kRefused = "INVALID_STATE_TRANSITION";
    make_offers(given, offering(kEvening, {kNell}));
    EXPECT_THAT(outcomes(201), ElementsAre("shift_offer.accepted shift.staff_assigned", "shift_offer.declined",
                                           "shift_offer.withdrawn"));
    answer_as(given, kNell);
    auto const declined = given.after(DeclineShiftOffer{201});
    EXPECT_EQ(declined.status, ShiftOfferStatus::declined);
    EXPECT_EQ(declined.decidedAt.value, given.context.now);
    EXPECT_THAT(outcomes(201), ElementsAre(kRefused, "nothing", kRefused));
    make_offers(given, offering(kEvening, {kNell}), 202);
    given.after(WithdrawShiftOffer{202});
    EXPECT_THAT(outcomes(202), ElementsAre(kRefused, kRefused, "nothing"));
    make_offers(given, offering(kEvening, {kNell}), 203);
    answer_as(given, kNell);
    EXPECT_EQ(given.when(AcceptShiftOffer{203}).event<events::ShiftStaffAssigned>().source,
              events::AssignmentSource::offer);
    auto const accepted = given.after(AcceptShiftOffer{203});
    EXPECT_EQ(accepted.status, ShiftOfferStatus::accepted);
    ASSERT_TRUE(accepted.shift);
    EXPECT_THAT(accepted.shift->assignedStaffIds, ElementsAre(kNell));
    EXPECT_EQ(accepted.filled, false);
    EXPECT_FALSE(given.after(AcceptShiftOffer{203}).shift) << "it put nobody on it";
    EXPECT_THAT(outcomes(203), ElementsAre("nothing", kRefused, kRefused));
}

TEST(AnswerShiftOffer, IsOnesOwn) {
    auto given = given_shifts_to_offer();
    make_offers(given, offering(kMorning, {kNell}));
    answer_as(given, kOtto);
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeclineShiftOffer{201}).summary(), "NOT_FOUND");
    plan_offers(given);
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "NOT_FOUND") << "the caller is no staff member";
    given.context.facilities = {2};
    EXPECT_EQ(given.when(WithdrawShiftOffer{201}).summary(), "NOT_FOUND");
    answer_as(given, kNell);
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "shift_offer.accepted shift.staff_assigned shift.filled")
        << "people are bound nowhere for what is their own";
    given.context.actor.type = events::ActorType::api_key;
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "NOT_FOUND") << "a key is bound";
}

TEST(AnswerShiftOffer, TheFirstWhoAcceptsComes) {
    auto given = given_shifts_to_offer();
    make_offers(given, offering(kMorning, {kNell, kOtto}));
    answer_as(given, kOtto);
    EXPECT_EQ(given.after(AcceptShiftOffer{202}).filled, true);
    answer_as(given, kNell);
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "SHIFT_FULL");
    EXPECT_EQ(given.when(ExpireShiftOffers{{201, 202}}).summary(), "shift_offer.expired");
}

TEST(AnswerShiftOffer, LooksAtTheShiftAndTheRulesAnew) {
    auto given = given_shifts_to_offer();
    make_offers(given, offering(kMorning, {kNell}));
    make_offers(given, offering(kEvening, {kNell}), 202);
    given.shift(80, 1, "2026-08-03", "12:00", "20:00", 1, {kNell});
    answer_as(given, kNell);
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "STAFF_DOUBLE_BOOKED");
    given.on_shift(kEvening, events::ShiftStaffAssigned{kNell, {}, {}});
    EXPECT_EQ(given.when(AcceptShiftOffer{202}).summary(), "shift_offer.accepted") << "they are on it";
    given.on_shift(kMorning, events::ShiftCancelled{""});
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "INVALID_STATE_TRANSITION");
    given.on_shift(kMorning, events::ShiftDeleted{});
    EXPECT_EQ(given.when(AcceptShiftOffer{201}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ExpireShiftOffers{{201, 202, 999}}).summary(), "shift_offer.expired");
    given.context.now = at("2026-08-04T20:00:00Z");
    EXPECT_EQ(given.when(AcceptShiftOffer{202}).summary(), "INVALID_STATE_TRANSITION") << "it has begun";
}

TEST(ShiftOffer, EndsWithThePerson) {
    auto given = given_shifts_to_offer();
    make_offers(given, offering(kMorning, {kNell, kOtto}));
    given.after(ErasePerson{{"asked for", "ops"}, {events::Kind::staff, kNell}});
    EXPECT_EQ(offer_status(given, 201), ShiftOfferStatus::expired);
    EXPECT_EQ(offer_status(given, 202), ShiftOfferStatus::offered);
}

}  // namespace
}  // namespace workforce::commands
