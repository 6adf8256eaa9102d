// Swaps: both change places or nobody does, and each is judged without the shift that they leave.
#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::SwapStaff;
using events::RuleLevel;

/// Shift 21 with 11, shift 22 with 12 at the same time, and shift 23 with 13 on another day, which needs two.
Given three_shifts(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "UTC", rules).facility(2).staff(11).staff(12).staff(13).staff(14);
    given.shift(21, 1, "2026-07-25", "08:00", "16:00", 1, {11}).shift(22, 1, "2026-07-25", "10:00", "18:00", 1, {12});
    return given.shift(23, 1, "2026-07-27", "08:00", "16:00", 2, {13});
}

SwapStaff swap_of(Id shift_a, Id staff_a, Id shift_b, Id staff_b) { return {shift_a, staff_a, shift_b, staff_b}; }

TEST(SwapStaff, PutsEachInTheOthersPlace) {
    auto given = three_shifts();
    EXPECT_EQ(given.when(swap_of(21, 11, 22, 12)).summary(),
              "shift.swapped shift.unassigned shift.unassigned shift.staff_assigned shift.filled shift.staff_assigned "
              "shift.filled");
    auto const answer = given.after(swap_of(21, 11, 22, 12));
    ASSERT_EQ(answer.shifts.size(), 2U);
    EXPECT_EQ(answer.shifts[0].assignedStaffIds, std::vector<Id>{12});
    EXPECT_EQ(answer.shifts[1].assignedStaffIds, std::vector<Id>{11});
    EXPECT_EQ(answer.shifts[1].status, events::ShiftStatus::assigned);
    EXPECT_TRUE(answer.filled);
    EXPECT_EQ(given.view().get<events::ShiftRecord>(21)->assignments.at(0).source, events::AssignmentSource::swap);
}

TEST(SwapStaff, OneThatIsNotFullStaysOpen) {
    auto given = three_shifts();
    EXPECT_EQ(given.when(swap_of(23, 13, 21, 11)).summary(),
              "shift.swapped shift.unassigned shift.unassigned shift.staff_assigned shift.staff_assigned shift.filled");
    auto const answer = given.after(swap_of(23, 13, 21, 11));
    EXPECT_EQ(answer.shifts[0].status, events::ShiftStatus::open);
    EXPECT_TRUE(answer.filled);
}

TEST(SwapStaff, IsRefusedWhole) {
    auto given = three_shifts();
    given.shift(31, 1, "2026-07-24", "08:00", "16:00", 1, {14}).on_shift(31, events::ShiftStarted{});
    given.shift(32, 1, "2026-07-28", "08:00", "16:00", 2, {11, 13})
        .shift(33, 2, "2026-07-29", "08:00", "16:00", 1, {14});
    EXPECT_EQ(given.when(swap_of(21, 12, 22, 11)).summary(), "NOT_FOUND") << "neither is on that shift";
    EXPECT_EQ(given.when(swap_of(21, 11, 99, 12)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(swap_of(21, 11, 31, 14)).summary(), "INVALID_STATE_TRANSITION") << "it runs";
    EXPECT_EQ(given.when(swap_of(23, 13, 32, 11)).summary(), "DUPLICATE_RESOURCE") << "13 is on both";
    given.context.facilities = {1};
    EXPECT_EQ(given.when(swap_of(21, 11, 33, 14)).summary(), "NOT_FOUND") << "a shift out of scope";
}

TEST(SwapStaff, IsJudgedByTheRules) {
    auto given = three_shifts();
    given.shift(24, 1, "2026-07-27", "15:00", "17:00", 1, {11});
    EXPECT_EQ(given.when(swap_of(21, 11, 23, 13)).summary(), "STAFF_DOUBLE_BOOKED") << "11 works beside shift 23";
    EXPECT_NE(given.when(swap_of(21, 11, 23, 13)).details().find(R"("staffId":11,"shiftId":24)"), std::string::npos);
    EXPECT_EQ(given.when(swap_of(24, 11, 23, 13)).summary().substr(0, 13), "shift.swapped") << "11 leaves shift 24";
    given.event({events::Kind::staff, 12}, events::StaffEvent(events::StaffDeactivated{}));
    EXPECT_EQ(given.when(swap_of(21, 11, 22, 12)).summary(), "STAFF_INACTIVE");
    events::SchedulingRules flagging;
    flagging.doubleBooking = RuleLevel::flag;
    auto flagged = three_shifts(flagging);
    flagged.shift(24, 1, "2026-07-27", "15:00", "17:00", 1, {11});
    ASSERT_EQ(flagged.after(swap_of(21, 11, 23, 13)).warnings.size(), 1U);
}

TEST(SwapStaff, WhatBothSidesBreakIsToldAtOnce) {
    auto given = three_shifts();
    given.shift(24, 1, "2026-07-27", "15:00", "17:00", 1, {11}).shift(25, 1, "2026-07-25", "15:00", "17:00", 1, {13});
    auto const refused = given.when(swap_of(21, 11, 23, 13));
    EXPECT_EQ(refused.summary(), "STAFF_DOUBLE_BOOKED");
    for (auto const* told : {R"("staffId":11,"shiftId":24)", R"("staffId":13,"shiftId":25)"}) {
        EXPECT_NE(refused.details().find(told), std::string::npos) << told;
    }
}

TEST(SwapStaff, ChecksTheBody) {
    EXPECT_EQ(faults_in<SwapStaff>("{}"), "shiftIdA required, staffIdA required, shiftIdB required, staffIdB required");
    EXPECT_EQ(faults_in<SwapStaff>(R"({"shiftIdA":1,"staffIdA":2,"shiftIdB":1,"staffIdB":2})"),
              "shiftIdB differs, staffIdB differs");
    EXPECT_EQ(faults_in<SwapStaff>(R"({"shiftIdA":1,"staffIdA":2,"shiftIdB":2,"staffIdB":1})"), "");
}

}  // namespace
}  // namespace workforce::tests
