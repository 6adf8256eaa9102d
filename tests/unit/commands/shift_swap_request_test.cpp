// Swap requests: who asks whom, what each may do in which state, what overlaps, and that an approval swaps as the swap
// at once does.
#include "commands/shift_swap_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/time_off.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::AcceptShiftSwap;
using commands::ApproveShiftSwap;
using commands::CancelShiftSwap;
using commands::DeclineShiftSwap;
using commands::ExpireShiftSwaps;
using commands::RejectShiftSwap;
using commands::RequestShiftSwap;
using events::ShiftSwapRecord;
using events::ShiftSwapStatus;

constexpr Id kMara = 11, kNoor = 12, kOle = 13, kFaraway = 14;
constexpr Id kMarasShift = 21, kNoorsShift = 22, kOlesShift = 23, kFarShift = 24;
constexpr Id kSwap = 301;

/// Mara, Noor and Ole work at facility 1, each with a shift there; Far works at facility 2, where theirs is.
Given given_swappers(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "UTC", rules).facility(2, "UTC", rules);
    given.staff(kMara, {1}).staff(kNoor, {1}).staff(kOle, {1}).staff(kFaraway, {2});
    given.shift(kMarasShift, 1, "2026-07-28", "08:00", "16:00", 1, {kMara})
        .shift(kNoorsShift, 1, "2026-07-29", "08:00", "16:00", 1, {kNoor})
        .shift(kOlesShift, 1, "2026-07-30", "08:00", "16:00", 1, {kOle})
        .shift(kFarShift, 2, "2026-07-31", "08:00", "16:00", 1, {kFaraway});
    given.context.new_ids = {kSwap};
    return given;
}

RequestShiftSwap asking_swap(Id shift = kMarasShift, Id staff = kMara, Id other_shift = kNoorsShift,
                             Id other_staff = kNoor) {
    return {shift, other_shift, other_staff, staff};
}

/// The caller is that person, who acts for themselves alone.
void become(Given& given, Id staff) {
    given.context.own_only = true;
    given.context.staff = staff;
    given.context.role = events::Role::staff;
    given.context.facilities = {1};
}
void become_planner(Given& given) {
    given.context.own_only = false;
    given.context.staff = 0;
    given.context.role = events::Role::manager;
    given.context.facilities.clear();
}

/// Noor agrees.
void noor_accepts(Given& given, Id id = kSwap) {
    auto const before = given.context;
    become(given, kNoor);
    given.after(AcceptShiftSwap{id});
    given.context = before;
}

ShiftSwapRecord const& swap_in(Given const& given, Id id = kSwap) { return *given.view().get<ShiftSwapRecord>(id); }

std::vector<Id> people_on(Given const& given, Id shift) {
    return given.view().get<events::ShiftRecord>(shift)->shift.assignedStaffIds;
}

TEST(RequestShiftSwap, WaitsForThePeer) {
    auto given = given_swappers();
    auto const swap = given.after(asking_swap());
    EXPECT_EQ(swap.id, kSwap);
    EXPECT_EQ(swap.status, ShiftSwapStatus::pending_peer);
    EXPECT_EQ(swap.facilityId, 1);
    EXPECT_EQ(swap.shiftId, kMarasShift);
    EXPECT_EQ(swap.staffId, kMara);
    EXPECT_EQ(swap.otherShiftId, kNoorsShift);
    EXPECT_EQ(swap.otherStaffId, kNoor);
    EXPECT_FALSE(swap.warnings);
    EXPECT_EQ(people_on(given, kMarasShift), std::vector<Id>{kMara}) << "nothing happens yet";
}

TEST(RequestShiftSwap, ChecksTheBody) {
    EXPECT_EQ(faults_in<RequestShiftSwap>("{}"), "shiftId required, otherShiftId required, otherStaffId required");
    EXPECT_EQ(faults_in<RequestShiftSwap>(R"({"shiftId":1,"staffId":2,"otherShiftId":1,"otherStaffId":2})"),
              "otherShiftId differs, otherStaffId differs");
    EXPECT_EQ(faults_in<RequestShiftSwap>(R"({"shiftId":1,"otherShiftId":2,"otherStaffId":2})"), "");
    auto given = given_swappers();
    auto unnamed = asking_swap();
    unnamed.staffId.reset();
    EXPECT_EQ(given.when(unnamed).summary(), "VALIDATION_ERROR") << "the caller is no staff member";
    given.context.staff = kNoor;
    EXPECT_EQ(given.when(unnamed).summary(), "VALIDATION_ERROR") << "the caller is the peer";
    given.context.staff = kMara;
    EXPECT_EQ(given.after(unnamed).staffId, kMara);
}

TEST(RequestShiftSwap, OfAPlannerIsOfShiftsInScope) {
    auto given = given_swappers();
    EXPECT_EQ(given.when(asking_swap(99)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(asking_swap(kMarasShift, 99)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(asking_swap(kMarasShift, kOle)).summary(), "NOT_FOUND") << "Ole is not on it";
    EXPECT_EQ(given.when(asking_swap(kMarasShift, kMara, kOlesShift, kNoor)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(asking_swap(kMarasShift, kMara, kFarShift, kFaraway)).summary(), "shift_swap.requested");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(asking_swap(kMarasShift, kMara, kFarShift, kFaraway)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(asking_swap()).summary(), "shift_swap.requested");
}

TEST(RequestShiftSwap, OfOneselfIsOfOnesShiftAndAFacilityWhereOneWorks) {
    auto given = given_swappers();
    given.shift(31, 2, "2026-08-05", "08:00", "16:00", 1, {kMara});
    become(given, kMara);
    EXPECT_EQ(given.when(asking_swap()).summary(), "shift_swap.requested");
    EXPECT_EQ(given.when(asking_swap(31)).summary(), "shift_swap.requested") << "one's own may be anywhere";
    EXPECT_EQ(given.when(asking_swap(kOlesShift, kOle)).summary(), "NOT_FOUND") << "not for somebody else";
    EXPECT_EQ(given.when(asking_swap(kOlesShift, kMara)).summary(), "NOT_FOUND");
    // Whatever one may not know of looks alike.
    for (auto const& [shift, staff] : {std::pair{Id{99}, kFaraway}, std::pair{kFarShift, kFaraway},
                                       std::pair{kNoorsShift, kOle}, std::pair{kNoorsShift, Id{99}}}) {
        auto const refused = given.when(asking_swap(kMarasShift, kMara, shift, staff));
        EXPECT_EQ(refused.summary(), "NOT_FOUND");
        EXPECT_EQ(refused.message(), commands::not_found("shift", shift).value().message);
    }
    given.context.actor.type = events::ActorType::api_key;
    EXPECT_EQ(given.when(asking_swap()).summary(), "shift_swap.requested");
    EXPECT_EQ(given.when(asking_swap(31)).summary(), "NOT_FOUND") << "a key is bound";
}

TEST(RequestShiftSwap, IsOfShiftsAhead) {
    auto given = given_swappers();
    given.shift(31, 1, "2026-07-24", "08:00", "16:00", 1, {kOle});
    EXPECT_EQ(given.when(asking_swap(kMarasShift, kMara, 31, kOle)).summary(), "INVALID_STATE_TRANSITION")
        << "it has begun, though nobody started it";
    given.shift(32, 1, "2026-07-25", "08:00", "16:00", 1, {kOle}).on_shift(32, events::ShiftCancelled{""});
    EXPECT_EQ(given.when(asking_swap(kMarasShift, kMara, 32, kOle)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(asking_swap(kMarasShift, kMara, 32, kNoor)).summary(), "NOT_FOUND");
    given.on_shift(kMarasShift, events::ShiftStarted{});
    EXPECT_EQ(given.when(asking_swap()).summary(), "INVALID_STATE_TRANSITION");
    given.on_shift(kMarasShift, events::ShiftCompleted{});
    EXPECT_EQ(given.when(asking_swap()).summary(), "INVALID_STATE_TRANSITION");
    given.on_shift(kNoorsShift, events::ShiftDeleted{});
    EXPECT_EQ(given.when(asking_swap(kOlesShift, kOle)).summary(), "NOT_FOUND");
}

TEST(RequestShiftSwap, OverlapsNoOtherOnEitherSide) {
    auto given = given_swappers();
    given.after(asking_swap());
    given.context.new_ids = {kSwap + 1};
    for (auto const& again :
         {asking_swap(), asking_swap(kNoorsShift, kNoor, kMarasShift, kMara),
          asking_swap(kMarasShift, kMara, kOlesShift, kOle), asking_swap(kOlesShift, kOle, kMarasShift, kMara),
          asking_swap(kNoorsShift, kNoor, kOlesShift, kOle), asking_swap(kOlesShift, kOle, kNoorsShift, kNoor)}) {
        auto const refused = given.when(again);
        EXPECT_EQ(refused.summary(), "DUPLICATE_RESOURCE") << again.shiftId << " " << again.otherShiftId;
        EXPECT_EQ(refused.details(), R"({"existingId":301})");
    }
    EXPECT_EQ(given.when(asking_swap(kOlesShift, kOle, kFarShift, kFaraway)).summary(), "shift_swap.requested");
    given.shift(31, 1, "2026-08-05", "08:00", "16:00", 1, {kMara});
    EXPECT_EQ(given.when(asking_swap(31, kMara, kOlesShift, kOle)).summary(), "shift_swap.requested")
        << "another shift of the same person";
    become(given, kOle);
    EXPECT_EQ(given.when(asking_swap(kOlesShift, kOle)).details(), "") << "Ole does not see that request";
    become_planner(given);
    noor_accepts(given);
    EXPECT_EQ(given.when(asking_swap()).summary(), "DUPLICATE_RESOURCE") << "it is pending";
    given.after(CancelShiftSwap{kSwap});
    EXPECT_EQ(given.when(asking_swap()).summary(), "shift_swap.requested");
}

TEST(RequestShiftSwap, IsJudgedAsTheSwapAtOnce) {
    auto given = given_swappers();
    given.shift(31, 1, "2026-07-29", "15:00", "18:00", 1, {kMara});
    auto const refused = given.when(asking_swap());
    EXPECT_EQ(refused.summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(refused.details(), given.when(commands::SwapStaff{kMarasShift, kMara, kNoorsShift, kNoor}).details());
    EXPECT_EQ(given.when(asking_swap(31)).summary(), "shift_swap.requested") << "Mara leaves that one";
    events::SchedulingRules flagging;
    flagging.doubleBooking = events::RuleLevel::flag;
    auto flagged = given_swappers(flagging);
    flagged.shift(31, 1, "2026-07-29", "15:00", "18:00", 1, {kMara});
    auto const swap = flagged.after(asking_swap());
    ASSERT_TRUE(swap.warnings);
    EXPECT_EQ(swap.warnings->front().shiftId, 31);
}

TEST(RequestShiftSwap, TellsARequesterNothingOfThePeer) {
    auto given = given_swappers();
    given.shift(31, 1, "2026-07-28", "15:00", "18:00", 1, {kNoor});
    become(given, kMara);
    auto const refused = given.when(asking_swap());
    EXPECT_EQ(refused.summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(refused.message(), "A rule of assignments keeps the other person from the shift.");
    EXPECT_EQ(refused.details().find("shiftId"), std::string::npos) << refused.details();
    become_planner(given);
    EXPECT_NE(given.when(asking_swap()).details().find(R"("shiftId":31)"), std::string::npos);
    events::SchedulingRules flagging;
    flagging.doubleBooking = events::RuleLevel::flag;
    auto flagged = given_swappers(flagging);
    flagged.shift(31, 1, "2026-07-28", "15:00", "18:00", 1, {kNoor})
        .shift(32, 1, "2026-07-29", "15:00", "18:00", 1, {kMara});
    become(flagged, kMara);
    auto const told = flagged.when(asking_swap()).result->warnings;
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.front().staffId, kMara);
    EXPECT_EQ(told.front().shiftId, 32);
}

TEST(AnswerShiftSwap, IsThePeersAlone) {
    auto given = given_swappers();
    given.after(asking_swap());
    for (Id const staff : {kMara, kOle, Id{0}}) {
        become(given, staff);
        EXPECT_EQ(given.when(AcceptShiftSwap{kSwap}).summary(), "NOT_FOUND") << staff;
        EXPECT_EQ(given.when(DeclineShiftSwap{kSwap}).summary(), "NOT_FOUND") << staff;
    }
    become_planner(given);
    EXPECT_EQ(given.when(AcceptShiftSwap{kSwap}).summary(), "NOT_FOUND");
    given.context.staff = kNoor;  // a manager who works there, bound elsewhere
    given.context.facilities = {2};
    EXPECT_EQ(given.when(AcceptShiftSwap{kSwap}).summary(), "shift_swap.accepted");
    given.context.actor.type = events::ActorType::api_key;
    EXPECT_EQ(given.when(AcceptShiftSwap{kSwap}).summary(), "NOT_FOUND") << "a key is bound";
    given.context.actor.type = events::ActorType::user;
    become(given, kNoor);
    EXPECT_EQ(given.when(AcceptShiftSwap{kSwap + 1}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(CancelShiftSwap{kSwap}).summary(), "NOT_FOUND") << "the peer declines";
    EXPECT_EQ(given.after(AcceptShiftSwap{kSwap}).status, ShiftSwapStatus::pending_approval);
}

/// What each command leads to, by whoever may ask for it.
std::vector<std::string> swap_moves(Given given) {
    std::vector<std::string> all;
    auto const tell = [&](auto const& command) {
        auto summary = given.when(command).summary();
        all.push_back(summary.substr(0, summary.find(' ')));
    };
    become(given, kNoor);
    tell(AcceptShiftSwap{kSwap});
    tell(DeclineShiftSwap{kSwap});
    become_planner(given);
    tell(ApproveShiftSwap{kSwap});
    tell(RejectShiftSwap{kSwap, {}});
    tell(CancelShiftSwap{kSwap});
    return all;
}

TEST(ShiftSwap, MovesAsTheStatesSay) {
    using testing::ElementsAre;
    constexpr auto* kNo = "INVALID_STATE_TRANSITION";
    auto given = given_swappers();
    given.after(asking_swap());
    EXPECT_THAT(swap_moves(given), ElementsAre("shift_swap.accepted", "shift_swap.declined", kNo, "shift_swap.rejected",
                                               "shift_swap.cancelled"));
    EXPECT_EQ(given.when(ApproveShiftSwap{kSwap}).details(),
              R"({"from":"pending_peer","command":"approve","allowed":["accept","decline","reject","cancel"]})");
    noor_accepts(given);
    EXPECT_THAT(swap_moves(given), ElementsAre("nothing", "shift_swap.declined", "shift_swap.approved",
                                               "shift_swap.rejected", "shift_swap.cancelled"));
    auto approved = given;
    approved.after(ApproveShiftSwap{kSwap});
    EXPECT_THAT(swap_moves(approved), ElementsAre(kNo, kNo, "nothing", kNo, kNo));
    auto rejected = given;
    auto const told = rejected.after(RejectShiftSwap{kSwap, core::LongText("Not on that ward")});
    EXPECT_EQ(told.rejectReason.value.value, "Not on that ward");
    EXPECT_EQ(told.decidedBy.value, 3);
    EXPECT_EQ(told.decidedAt.value, given.context.now);
    EXPECT_THAT(swap_moves(rejected), ElementsAre(kNo, kNo, kNo, "nothing", kNo));
    auto cancelled = given;
    become(cancelled, kMara);
    EXPECT_EQ(cancelled.after(CancelShiftSwap{kSwap}).status, ShiftSwapStatus::cancelled);
    EXPECT_THAT(swap_moves(cancelled), ElementsAre(kNo, kNo, kNo, kNo, "nothing"));
    auto declined = given;
    become(declined, kNoor);
    EXPECT_EQ(declined.after(DeclineShiftSwap{kSwap}).status, ShiftSwapStatus::declined);
    EXPECT_THAT(swap_moves(declined), ElementsAre(kNo, "nothing", kNo, kNo, kNo));
    given.context.facilities = {2};
    EXPECT_EQ(given.when(RejectShiftSwap{kSwap, {}}).summary(), "NOT_FOUND") << "out of scope";
    EXPECT_EQ(given.when(CancelShiftSwap{kSwap}).summary(), "NOT_FOUND");
}

TEST(ApproveShiftSwap, SwapsAsTheSwapAtOnce) {
    auto given = given_swappers();
    given.after(asking_swap());
    noor_accepts(given);
    auto const at_once = given.when(commands::SwapStaff{kMarasShift, kMara, kNoorsShift, kNoor});
    EXPECT_EQ(given.when(ApproveShiftSwap{kSwap}).summary(), "shift_swap.approved " + at_once.summary());
    auto const swap = given.after(ApproveShiftSwap{kSwap});
    EXPECT_EQ(swap.status, ShiftSwapStatus::approved);
    EXPECT_EQ(swap.decidedBy.value, 3);
    EXPECT_TRUE(swap.filled);
    ASSERT_EQ(swap.shifts.size(), 2U);
    EXPECT_EQ(swap.shifts[0].assignedStaffIds, std::vector<Id>{kNoor});
    EXPECT_EQ(swap.shifts[1].assignedStaffIds, std::vector<Id>{kMara});
    EXPECT_EQ(given.view().get<events::ShiftRecord>(kNoorsShift)->assignments.at(0).source,
              events::AssignmentSource::swap);
    auto const again = given.after(ApproveShiftSwap{kSwap});
    EXPECT_FALSE(again.filled);
    EXPECT_EQ(again.shifts.size(), 2U);
    given.on_shift(kNoorsShift, events::ShiftDeleted{});
    EXPECT_EQ(given.after(ApproveShiftSwap{kSwap}).shifts.size(), 1U) << "the other one is gone";
}

TEST(ApproveShiftSwap, GoesByWhatHoldsNow) {
    auto given = given_swappers();
    given.after(asking_swap());
    noor_accepts(given);
    auto away = given;
    away.context.new_ids = {401};
    commands::RequestTimeOff off;
    off.staffId = kMara;
    off.startDate = off.endDate = day("2026-07-29");
    away.after(off);
    away.after(commands::ApproveTimeOff{401});
    EXPECT_EQ(away.when(ApproveShiftSwap{kSwap}).summary(), "STAFF_ON_TIME_OFF");
    auto left = given;
    left.on_shift(kNoorsShift, events::ShiftUnassigned{kNoor});
    EXPECT_EQ(left.when(ApproveShiftSwap{kSwap}).summary(), "INVALID_STATE_TRANSITION");
    auto begun = given;
    begun.context.now = at("2026-07-28T08:00:00Z");
    EXPECT_EQ(begun.when(ApproveShiftSwap{kSwap}).summary(), "INVALID_STATE_TRANSITION");
    auto swapped = given;
    swapped.after(commands::SwapStaff{kMarasShift, kMara, kNoorsShift, kNoor});
    EXPECT_EQ(swapped.when(ApproveShiftSwap{kSwap}).summary(), "INVALID_STATE_TRANSITION")
        << "somebody swapped them before";
    auto full = given;
    full.on_shift(kNoorsShift, events::ShiftStaffAssigned{kMara, {}, {}});
    EXPECT_EQ(full.when(ApproveShiftSwap{kSwap}).summary(), "DUPLICATE_RESOURCE") << "Mara is on both";
}

TEST(ApproveShiftSwap, NeedsBothShiftsInScopeAndNobodyOfTheTwo) {
    auto given = given_swappers();
    given.after(asking_swap(kMarasShift, kMara, kFarShift, kFaraway));
    become(given, kFaraway);
    given.after(AcceptShiftSwap{kSwap});
    become_planner(given);
    given.context.facilities = {1};
    EXPECT_EQ(given.when(ApproveShiftSwap{kSwap}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(RejectShiftSwap{kSwap, {}}).summary(), "shift_swap.rejected") << "of their facility it is";
    given.context.facilities = {2};
    EXPECT_EQ(given.when(RejectShiftSwap{kSwap, {}}).summary(), "NOT_FOUND");
    given.context.facilities.clear();
    for (Id const staff : {kMara, kFaraway}) {
        given.context.staff = staff;
        EXPECT_EQ(given.when(ApproveShiftSwap{kSwap}).summary(), "SELF_APPROVAL_FORBIDDEN");
        given.context.role = events::Role::admin;
        EXPECT_NE(given.when(ApproveShiftSwap{kSwap}).summary(), "SELF_APPROVAL_FORBIDDEN");
        given.context.role = events::Role::manager;
    }
}

TEST(AcceptShiftSwap, EndsWhereTheSwapCannotHappen) {
    auto given = given_swappers();
    given.after(asking_swap());
    given.on_shift(kMarasShift, events::ShiftUnassigned{kMara});
    become(given, kNoor);
    EXPECT_EQ(given.when(AcceptShiftSwap{kSwap}).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(DeclineShiftSwap{kSwap}).summary(), "shift_swap.declined");
}

TEST(ExpireShiftSwaps, EndsThoseThatCannotHappenAlone) {
    auto given = given_swappers();
    given.after(asking_swap());
    auto const due = [&](auto&& happens, std::vector<Id> ids = {kSwap, kSwap + 1}) {
        auto world = given;
        world.context.new_ids = {kSwap + 1};
        world.after(asking_swap(kOlesShift, kOle, kFarShift, kFaraway));
        happens(world);
        return world.when(ExpireShiftSwaps{std::move(ids)}).summary();
    };
    EXPECT_EQ(due([](Given&) {}), "nothing");
    EXPECT_EQ(due([](Given& world) { world.on_shift(kNoorsShift, events::ShiftUnassigned{kNoor}); }),
              "shift_swap.expired");
    EXPECT_EQ(due([](Given& world) { world.on_shift(kMarasShift, events::ShiftCancelled{""}); }), "shift_swap.expired");
    EXPECT_EQ(due([](Given& world) { world.on_shift(kMarasShift, events::ShiftDeleted{}); }), "shift_swap.expired");
    EXPECT_EQ(due([](Given& world) { world.on_shift(kMarasShift, events::ShiftStarted{}); }), "shift_swap.expired");
    EXPECT_EQ(due([](Given& world) { world.context.now = at("2026-07-28T08:00:00Z"); }), "shift_swap.expired");
    EXPECT_EQ(due([](Given& world) { world.context.now = at("2026-08-01T08:00:00Z"); }),
              "shift_swap.expired shift_swap.expired");
    EXPECT_EQ(due([](Given& world) {
                  world.after(CancelShiftSwap{kSwap});
                  world.context.now = at("2026-07-28T08:00:00Z");
              }),
              "nothing");
}

TEST(ShiftSwap, KeepsNothingThatWasSaidOfWhoIsErased) {
    auto given = given_swappers();
    given.after(asking_swap());
    given.after(RejectShiftSwap{kSwap, core::LongText("Mara is on leave")});
    auto peer = given;
    peer.after(commands::ErasePerson{{"asked for", "ops"}, {events::Kind::staff, kNoor}});
    EXPECT_EQ(swap_in(peer).rejectReason.value.value, "Mara is on leave") << "it is the requester's";
    given.after(commands::ErasePerson{{"asked for", "ops"}, {events::Kind::staff, kMara}});
    EXPECT_EQ(swap_in(given).rejectReason.value.value, "");
    EXPECT_TRUE(swap_in(given).internals.holderErased);
    EXPECT_EQ(swap_in(given).otherStaffId, kNoor);
}

}  // namespace
}  // namespace workforce::tests
