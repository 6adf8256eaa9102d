// Claims of shifts: who asks for which, who decides, what the rules say of it, and whom it puts on a shift.
#include "commands/shift_claim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/shift.hpp"
#include "events/facility.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::ShiftClaimStatus;
using testing::ElementsAre;
using tests::at;
using tests::Given;

constexpr Id kClaimant = 11;
constexpr Id kCole = 12;
constexpr Id kWard = 50;  ///< one spot, at facility 1
constexpr Id kHall = 51;  ///< two of them, at the same time
constexpr Id kAfar = 52;  ///< at facility 2

Given given_open_shifts(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "UTC", rules).facility(2, "UTC", rules);
    given.staff(kClaimant, {1}).staff(kCole, {1});
    given.shift(kWard, 1, "2026-08-03", "08:00", "16:00").shift(kHall, 1, "2026-08-03", "08:00", "16:00", 2);
    given.shift(kAfar, 2, "2026-08-03", "08:00", "16:00");
    return given;
}

/// Makes what the caller is.
void act_as_staff(Given& given, Id staff, std::vector<Id> facilities = {1}) {
    given.context.own_only = true;
    given.context.staff = staff;
    given.context.role = events::Role::staff;
    given.context.facilities = std::move(facilities);
}
void act_as_planner(Given& given, std::vector<Id> facilities = {}) {
    given.context.own_only = false;
    given.context.staff = 0;
    given.context.role = events::Role::scheduler;
    given.context.facilities = std::move(facilities);
}

/// The person's claim of the shift, under that id; a planner acts then.
ShiftClaimAnswer make_claim(Given& given, Id id, Id staff, Id shift) {
    act_as_staff(given, staff);
    given.context.new_ids = {id};
    auto claim = given.after(ClaimShift{shift});
    act_as_planner(given);
    return claim;
}

template <class Command>
Command claim_named(Id shift, Id id) {
    Command command;
    command.shiftId = shift;
    command.id = id;
    return command;
}
auto claim_approval(Id shift, Id id) { return claim_named<ApproveShiftClaim>(shift, id); }
auto declining(Id shift, Id id) { return claim_named<DeclineShiftClaim>(shift, id); }
auto withdrawing(Id shift, Id id) { return claim_named<WithdrawShiftClaim>(shift, id); }

void need_no_approval(Given& given, Id facility) {
    events::FacilityUpdated changes;
    changes.claimsNeedApproval = false;
    given.event({events::Kind::facility, facility}, events::FacilityEvent(std::move(changes)), facility);
}

ShiftClaimStatus status_of(Given const& given, Id id) { return given.view().get<events::ShiftClaimRecord>(id)->status; }

TEST(ClaimShift, WaitsForADecision) {
    auto given = given_open_shifts();
    auto const claim = make_claim(given, 201, kClaimant, kWard);
    EXPECT_EQ(claim.status, ShiftClaimStatus::pending);
    EXPECT_EQ(std::tuple(claim.facilityId, claim.shiftId, claim.staffId), std::tuple(1, kWard, kClaimant));
    EXPECT_FALSE(claim.shift || claim.filled || claim.decidedAt.value || claim.decidedBy.value);
    EXPECT_THAT(claim.warnings, testing::IsEmpty());
    EXPECT_THAT(given.view().get<events::ShiftRecord>(kWard)->shift.assignedStaffIds, testing::IsEmpty());
}

TEST(ClaimShift, PutsThePersonOnTheShiftWhereNoApprovalIsNeeded) {
    auto given = given_open_shifts();
    need_no_approval(given, 1);
    act_as_staff(given, kClaimant);
    EXPECT_EQ(given.when(ClaimShift{kWard}).summary(),
              "shift_claim.requested shift_claim.approved shift.staff_assigned shift.filled");
    EXPECT_EQ(given.when(ClaimShift{kWard}).event<events::ShiftStaffAssigned>().source,
              events::AssignmentSource::claim);
    auto const claim = make_claim(given, 201, kClaimant, kWard);
    EXPECT_EQ(claim.status, ShiftClaimStatus::approved);
    EXPECT_FALSE(claim.decidedBy.value) << "nobody decided";
    EXPECT_EQ(claim.decidedAt.value, given.context.now);
    ASSERT_TRUE(claim.shift);
    EXPECT_THAT(claim.shift->assignedStaffIds, ElementsAre(kClaimant));
    EXPECT_EQ(claim.filled, true);
    EXPECT_EQ(make_claim(given, 202, kCole, kHall).filled, false);
    act_as_staff(given, kCole);
    EXPECT_EQ(given.when(ClaimShift{kWard}).summary(), "SHIFT_FULL");
}

TEST(ClaimShift, IsOfOneselfAndOfShiftsThatOneSees) {
    auto given = given_open_shifts();
    act_as_staff(given, kClaimant);
    EXPECT_EQ(given.when(ClaimShift{99}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ClaimShift{kAfar}).summary(), "NOT_FOUND");
    act_as_staff(given, kClaimant, {1, 2});
    EXPECT_EQ(given.when(ClaimShift{kAfar}).summary(), "NOT_FOUND")
        << "the account reaches it, the person works elsewhere";
    constexpr Id kEverywhere = 19;
    given.staff(kEverywhere, {});
    act_as_staff(given, kEverywhere, {1, 2});
    EXPECT_EQ(given.when(ClaimShift{kAfar}).summary(), "shift_claim.requested");
    act_as_staff(given, 0);
    EXPECT_EQ(given.when(ClaimShift{kWard}).summary(), "NOT_FOUND") << "the caller is no staff member";
    given.on_shift(kHall, events::ShiftDeleted{});
    act_as_staff(given, kClaimant);
    EXPECT_EQ(given.when(ClaimShift{kHall}).summary(), "NOT_FOUND");
}

TEST(ClaimShift, IsOfWhatIsOpenAndAhead) {
    auto given = given_open_shifts();
    given.shift(60, 1, "2026-08-05", "08:00", "16:00", 1, {kCole}).shift(61, 1, "2026-08-06", "08:00", "16:00");
    given.on_shift(61, events::ShiftCancelled{""});
    act_as_staff(given, kClaimant);
    EXPECT_EQ(given.when(ClaimShift{60}).summary(), "SHIFT_FULL");
    EXPECT_EQ(given.when(ClaimShift{61}).summary(), "INVALID_STATE_TRANSITION");
    given.context.now = at("2026-08-03T07:59:59Z");
    EXPECT_EQ(given.when(ClaimShift{kWard}).summary(), "shift_claim.requested");
    given.context.now = at("2026-08-03T08:00:00Z");
    EXPECT_EQ(given.when(ClaimShift{kWard}).summary(), "INVALID_STATE_TRANSITION");
}

TEST(ClaimShift, IsMadeOnce) {
    auto given = given_open_shifts();
    make_claim(given, 201, kClaimant, kHall);
    act_as_staff(given, kClaimant);
    auto const again = given.when(ClaimShift{kHall});
    EXPECT_EQ(again.summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(again.details(), R"({"existingId":201})");
    EXPECT_EQ(given.when(ClaimShift{kWard}).summary(), "shift_claim.requested") << "another shift";
    act_as_staff(given, kCole);
    EXPECT_EQ(given.when(ClaimShift{kHall}).summary(), "shift_claim.requested") << "another person";
    act_as_planner(given);
    given.after(declining(kHall, 201));
    act_as_staff(given, kClaimant);
    EXPECT_EQ(given.when(ClaimShift{kHall}).summary(), "shift_claim.requested") << "nothing waits";
    given.on_shift(kHall, events::ShiftStaffAssigned{kClaimant, {}, {}});
    auto const on_it = given.when(ClaimShift{kHall});
    EXPECT_EQ(on_it.summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(on_it.details(), R"({"existingId":51})");
}

TEST(ClaimShift, GoesByTheRulesOfAssign) {
    auto given = given_open_shifts();
    given.shift(60, 2, "2026-08-03", "12:00", "20:00", 1, {kClaimant});
    act_as_staff(given, kClaimant);
    auto const refused = given.when(ClaimShift{kWard});
    EXPECT_EQ(refused.summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_NE(refused.details().find(R"("shiftId":60)"), std::string::npos) << "people see all shifts of theirs";
    given.context.actor.type = events::ActorType::api_key;
    EXPECT_EQ(given.when(ClaimShift{kWard}).details().find(R"("shiftId":60)"), std::string::npos) << "a key is bound";
    events::SchedulingRules lenient;
    lenient.doubleBooking = events::RuleLevel::flag;
    auto flagged = given_open_shifts(lenient);
    flagged.shift(60, 1, "2026-08-03", "12:00", "20:00", 1, {kClaimant});
    auto const claim = make_claim(flagged, 201, kClaimant, kWard);
    ASSERT_EQ(claim.warnings.size(), 1U);
    EXPECT_EQ(claim.warnings.front().code, "STAFF_DOUBLE_BOOKED");
    flagged.event({events::Kind::staff, kCole}, events::StaffEvent(events::StaffDeactivated{}));
    act_as_staff(flagged, kCole);
    EXPECT_EQ(flagged.when(ClaimShift{kWard}).summary(), "STAFF_INACTIVE");
}

TEST(DecideShiftClaim, MovesAsTheStatesSay) {
    auto given = given_open_shifts();
    auto const outcomes = [&](Id id) {
        std::vector<std::string> all{given.when(claim_approval(kHall, id)).summary(),
                                     given.when(declining(kHall, id)).summary()};
        act_as_staff(given, kClaimant);
        all.push_back(given.when(withdrawing(kHall, id)).summary());
        act_as_planner(given);
        return all;
    };
    constexpr auto kNot = "INVALID_STATE_TRANSITION";
    make_claim(given, 201, kClaimant, kHall);
    EXPECT_THAT(outcomes(201), ElementsAre("shift_claim.approved shift.staff_assigned", "shift_claim.declined",
                                           "shift_claim.withdrawn"));
    auto decline = declining(kHall, 201);
    decline.reason = core::LongText("Somebody else comes");
    auto const declined = given.after(decline);
    EXPECT_EQ(declined.declineReason.value.value, "Somebody else comes");
    EXPECT_EQ(declined.decidedBy.value, 3);
    EXPECT_EQ(declined.decidedAt.value, given.context.now);
    EXPECT_THAT(outcomes(201), ElementsAre(kNot, "nothing", kNot));
    make_claim(given, 202, kClaimant, kHall);
    act_as_staff(given, kClaimant);
    EXPECT_EQ(given.after(withdrawing(kHall, 202)).status, ShiftClaimStatus::withdrawn);
    act_as_planner(given);
    EXPECT_THAT(outcomes(202), ElementsAre(kNot, kNot, "nothing"));
    make_claim(given, 203, kClaimant, kHall);
    auto const approved = given.after(claim_approval(kHall, 203));
    EXPECT_EQ(approved.status, ShiftClaimStatus::approved);
    EXPECT_EQ(approved.decidedBy.value, 3);
    ASSERT_TRUE(approved.shift);
    EXPECT_THAT(approved.shift->assignedStaffIds, ElementsAre(kClaimant));
    EXPECT_EQ(approved.filled, false);
    EXPECT_THAT(outcomes(203), ElementsAre("nothing", kNot, kNot));
    auto const again = given.after(claim_approval(kHall, 203));
    EXPECT_FALSE(again.shift || again.filled) << "it put nobody on it";
}

TEST(DecideShiftClaim, IsOfThatShiftAndWithinReach) {
    auto given = given_open_shifts();
    make_claim(given, 201, kClaimant, kWard);
    auto const outcomes = [&](Id shift) {
        return std::vector{given.when(claim_approval(shift, 201)).summary(),
                           given.when(declining(shift, 201)).summary(), given.when(withdrawing(shift, 201)).summary()};
    };
    EXPECT_THAT(outcomes(kHall), testing::Each("NOT_FOUND")) << "of another shift";
    act_as_planner(given, {2});
    EXPECT_THAT(outcomes(kWard), testing::Each("NOT_FOUND")) << "out of reach, and nobody's own";
    act_as_staff(given, kCole);
    EXPECT_EQ(given.when(withdrawing(kWard, 201)).summary(), "NOT_FOUND") << "somebody else's";
    act_as_staff(given, kClaimant, {2});
    EXPECT_EQ(given.when(withdrawing(kWard, 201)).summary(), "shift_claim.withdrawn") << "one's own, wherever it is";
    given.context.actor.type = events::ActorType::api_key;
    EXPECT_EQ(given.when(withdrawing(kWard, 201)).summary(), "NOT_FOUND") << "a key is bound";
}

TEST(ApproveShiftClaim, IsNobodysOwnButAnAdmins) {
    auto given = given_open_shifts();
    make_claim(given, 201, kClaimant, kWard);
    given.context.staff = kClaimant;
    given.context.role = events::Role::manager;
    EXPECT_EQ(given.when(claim_approval(kWard, 201)).summary(), "SELF_APPROVAL_FORBIDDEN");
    EXPECT_EQ(given.when(declining(kWard, 201)).summary(), "shift_claim.declined");
    given.context.role = events::Role::admin;
    EXPECT_EQ(given.when(claim_approval(kWard, 201)).summary(),
              "shift_claim.approved shift.staff_assigned shift.filled");
}

TEST(ApproveShiftClaim, LooksAtTheShiftAndTheRulesAnew) {
    auto given = given_open_shifts();
    make_claim(given, 201, kClaimant, kWard);
    given.shift(60, 1, "2026-08-03", "12:00", "20:00", 1, {kClaimant});
    EXPECT_EQ(given.when(claim_approval(kWard, 201)).summary(), "STAFF_DOUBLE_BOOKED");
    auto overriding = claim_approval(kWard, 201);
    overriding.override_ = true;
    overriding.overrideComment = core::ShortText("Agreed");
    EXPECT_EQ(given.when(overriding).summary(), "INSUFFICIENT_SCOPE");
    given.context.may_override = true;
    auto const passed = given.when(overriding);
    EXPECT_EQ(passed.summary(), "shift_claim.approved shift.staff_assigned shift.filled");
    EXPECT_EQ(passed.event<events::ShiftStaffAssigned>().overrides.at(0).rule, "doubleBooking");
    EXPECT_EQ(passed.event<events::ShiftStaffAssigned>().source, events::AssignmentSource::claim);
    given.context.now = at("2026-08-03T08:00:00Z");
    EXPECT_EQ(given.when(overriding).summary(), "INVALID_STATE_TRANSITION") << "it has begun";
    given.context.now = at("2026-08-02T08:00:00Z");
    given.on_shift(kWard, events::ShiftCancelled{""});
    EXPECT_EQ(given.when(overriding).summary(), "INVALID_STATE_TRANSITION");
    given.on_shift(kWard, events::ShiftDeleted{});
    EXPECT_EQ(given.when(overriding).summary(), "NOT_FOUND");
}

TEST(ApproveShiftClaim, GivesASpotOnce) {
    auto given = given_open_shifts();
    make_claim(given, 201, kClaimant, kWard);
    make_claim(given, 202, kCole, kWard);
    given.after(claim_approval(kWard, 202));
    auto const late = given.when(claim_approval(kWard, 201));
    EXPECT_EQ(late.summary(), "SHIFT_FULL");
    EXPECT_EQ(status_of(given, 201), ShiftClaimStatus::pending);
}

TEST(ApproveShiftClaim, PutsNobodyOnTheShiftTwice) {
    auto given = given_open_shifts();
    make_claim(given, 201, kClaimant, kHall);
    given.on_shift(kHall, events::ShiftStaffAssigned{kClaimant, {}, {}});
    EXPECT_EQ(given.when(claim_approval(kHall, 201)).summary(), "shift_claim.approved");
}

TEST(ExpireShiftClaims, EndsWhatWaitsForAShiftThatTakesNobody) {
    auto given = given_open_shifts();
    given.shift(60, 1, "2026-08-09", "08:00", "16:00").shift(61, 1, "2026-08-10", "08:00", "16:00");
    make_claim(given, 201, kClaimant, kWard);
    make_claim(given, 202, kCole, kHall);
    make_claim(given, 203, kClaimant, 60);
    make_claim(given, 204, kClaimant, 61);
    make_claim(given, 205, kCole, 61);
    given.after(declining(61, 205));
    ExpireShiftClaims const all{{201, 202, 203, 204, 205, 999}};
    EXPECT_EQ(given.when(all).summary(), "nothing") << "the read model may be behind";
    given.on_shift(kWard, events::ShiftStaffAssigned{kCole, {}, {}}).on_shift(kWard, events::ShiftFilled{{kCole}});
    given.on_shift(60, events::ShiftCancelled{""}).on_shift(61, events::ShiftDeleted{});
    auto const ended = given.when(all);
    EXPECT_EQ(ended.summary(), "shift_claim.expired shift_claim.expired shift_claim.expired");
    EXPECT_EQ(ended.event<events::ShiftClaimExpired>().shiftId, kWard);
    given.context.now = at("2026-08-03T08:00:00Z");
    EXPECT_EQ(given.when(ExpireShiftClaims{{202}}).summary(), "shift_claim.expired") << "it has begun";
    given.after(all);
    EXPECT_EQ(status_of(given, 202), ShiftClaimStatus::expired);
    EXPECT_EQ(given.when(all).summary(), "nothing");
    EXPECT_EQ(given.when(claim_approval(kHall, 202)).summary(), "INVALID_STATE_TRANSITION");
}

TEST(ShiftClaim, EndsWithAnErasureAndKeepsNothingThatWasSaid) {
    auto given = given_open_shifts();
    make_claim(given, 201, kClaimant, kWard);
    auto decline = declining(kWard, 201);
    decline.reason = core::LongText("Mara was late twice");
    given.after(decline);
    make_claim(given, 202, kClaimant, kHall);
    given.after(ErasePerson{{"asked for", "ops"}, {events::Kind::staff, kClaimant}});
    auto const& declined = *given.view().get<events::ShiftClaimRecord>(201);
    EXPECT_EQ(declined.declineReason.value.value, "");
    EXPECT_TRUE(declined.internals.holderErased);
    EXPECT_EQ(declined.status, ShiftClaimStatus::declined);
    EXPECT_EQ(status_of(given, 202), ShiftClaimStatus::expired);
}

}  // namespace
}  // namespace workforce::commands
