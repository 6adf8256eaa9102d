// Assigning and unassigning: head counts, the assignment rules, overrides, replacement, and whom the caller can see.
#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::AssignMode;
using commands::AssignStaff;
using commands::UnassignStaff;
using events::RuleLevel;

AssignStaff assign(Id shift, std::vector<Id> staff, AssignMode mode = AssignMode::add) {
    AssignStaff command;
    command.id = shift;
    command.staffIds = std::move(staff);
    command.mode = mode;
    return command;
}

UnassignStaff unassign(Id shift, std::vector<Id> staff) {
    UnassignStaff command;
    command.id = shift;
    command.staffIds = std::move(staff);
    return command;
}

/// Facility 1 with the rules; staff 11–14, of whom 14 is inactive; shift 21 needs two, 22 is full with 13 at the same
/// time.
Given scene(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "UTC", rules).staff(11).staff(12).staff(13).staff(14);
    given.event({events::Kind::staff, 14}, events::StaffEvent(events::StaffDeactivated{}));
    given.shift(21, 1, "2026-07-25", "08:00", "16:00", 2).shift(22, 1, "2026-07-25", "12:00", "20:00", 1, {13});
    return given;
}

TEST(AssignStaff, AddsUntilFull) {
    auto given = scene();
    EXPECT_EQ(given.when(assign(21, {11})).summary(), "shift.staff_assigned");
    auto answer = given.after(assign(21, {11}));
    EXPECT_FALSE(answer.filled);
    EXPECT_EQ(answer.openSpots, 1);
    EXPECT_EQ(answer.status, events::ShiftStatus::open);
    EXPECT_EQ(given.when(assign(21, {12})).summary(), "shift.staff_assigned shift.filled");
    answer = given.after(assign(21, {11, 12}));
    EXPECT_TRUE(answer.filled);
    EXPECT_EQ(answer.assigned, std::vector<Id>{12});
    EXPECT_EQ(answer.assignedStaffIds, (std::vector<Id>{11, 12}));
    EXPECT_EQ(answer.status, events::ShiftStatus::assigned);
    // Repeats add nobody.
    EXPECT_EQ(given.when(assign(21, {12, 11})).summary(), "nothing");
    EXPECT_FALSE(given.after(assign(21, {12, 11})).filled);
}

TEST(AssignStaff, RefusesByState) {
    auto given = scene();
    given.shift(31, 1, "2026-07-24", "08:00", "16:00", 2, {11}).on_shift(31, events::ShiftStarted{});
    given.shift(32, 1, "2026-07-23", "08:00", "16:00", 2, {11});
    given.on_shift(32, events::ShiftStarted{}).on_shift(32, events::ShiftCompleted{});
    given.shift(33, 1, "2026-07-27", "08:00", "16:00", 2).on_shift(33, events::ShiftCancelled{});
    EXPECT_EQ(given.when(assign(31, {12})).summary(), "shift.staff_assigned shift.filled");  // a late replacement
    EXPECT_EQ(given.after(assign(31, {12})).status, events::ShiftStatus::in_progress);
    EXPECT_EQ(given.when(assign(32, {12})).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(assign(33, {12})).summary(), "INVALID_STATE_TRANSITION");
}

TEST(AssignStaff, ChecksTheBody) {
    EXPECT_EQ(faults_in<AssignStaff>("{}"), "staffId required");
    EXPECT_EQ(faults_in<AssignStaff>(R"({"staffId":11,"staffIds":[12]})"), "staffId required");
    EXPECT_EQ(faults_in<AssignStaff>(R"({"staffIds":[],"override":1})"), "override type, staffIds min_items");
    EXPECT_EQ(faults_in<AssignStaff>(R"({"staffIds":[],"mode":"replace"})"), "");
    EXPECT_EQ(faults_in<AssignStaff>(R"({"staffId":11})"), "");
}

TEST(AssignStaff, IsAllOrNone) {
    auto const given = scene();
    EXPECT_EQ(given.when(assign(21, {11, 13})).summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(given.when(assign(21, {11, 99})).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(assign(21, {11, 12, 13})).summary(), "SHIFT_FULL");
    EXPECT_EQ(given.when(assign(22, {11})).summary(), "SHIFT_FULL");
    EXPECT_EQ(given.when(assign(22, {11})).message(),
              "requiredWorkers is 1: 1 assigned already and 1 more is too many.");
    EXPECT_EQ(given.when(assign(22, {11})).details(), R"({"requiredWorkers":1,"assignedCount":1,"addedCount":1})");
    EXPECT_EQ(given.when(assign(22, {99})).summary(), "NOT_FOUND");  // what is not there comes before the state
    EXPECT_EQ(given.when(assign(21, {11, 11, 12})).summary(), "shift.staff_assigned shift.staff_assigned shift.filled");
}

TEST(AssignStaff, ReplacesWhoIsThere) {
    auto given = scene();
    given.after(assign(21, {11, 12}));
    struct {
        std::vector<Id> staff;
        std::string summary;
    } const cases[] = {
        {{11, 12}, "nothing"},
        {{11}, "shift.unassigned shift.vacancy_opened"},
        {{}, "shift.unassigned shift.unassigned shift.vacancy_opened"},
        {{14}, "STAFF_INACTIVE"},
        {{13}, "STAFF_DOUBLE_BOOKED"},
    };
    for (auto const& c : cases) {
        EXPECT_EQ(given.when(assign(21, c.staff, AssignMode::replace)).summary(), c.summary) << c.staff.size();
    }
    given.staff(15);
    EXPECT_EQ(given.when(assign(21, {15, 11}, AssignMode::replace)).summary(),
              "shift.unassigned shift.staff_assigned shift.filled");
    EXPECT_EQ(given.when(assign(21, {15}, AssignMode::replace)).summary(),
              "shift.unassigned shift.unassigned shift.staff_assigned shift.vacancy_opened");
    EXPECT_EQ(given.when(assign(21, {15}, AssignMode::replace)).event<events::ShiftVacancyOpened>().openSpots, 1);
    auto const answer = given.after(assign(21, {15}, AssignMode::replace));
    EXPECT_EQ(answer.assignedStaffIds, std::vector<Id>{15});
    EXPECT_EQ(answer.status, events::ShiftStatus::open);
}

struct OverlapCase {
    std::string zone, date, start, end;  // of the shift already worked
    std::string other_date, other_start, other_end;
    bool overlaps;
};

class Overlap : public testing::TestWithParam<OverlapCase> {};

TEST_P(Overlap, IsJudgedOnTheWorldsClock) {
    auto const& c = GetParam();
    Given given;
    given.organization().facility(1, c.zone).staff(11);
    given.shift(21, 1, c.date, c.start, c.end, 1, {11}).shift(22, 1, c.other_date, c.other_start, c.other_end);
    EXPECT_EQ(given.when(assign(22, {11})).summary(),
              c.overlaps ? "STAFF_DOUBLE_BOOKED" : "shift.staff_assigned shift.filled");
}

INSTANTIATE_TEST_SUITE_P(
    Edges, Overlap,
    testing::Values(OverlapCase{"UTC", "2026-07-25", "08:00", "16:00", "2026-07-25", "16:00", "20:00", false},
                    OverlapCase{"UTC", "2026-07-25", "08:00", "16:00", "2026-07-25", "04:00", "08:00", false},
                    OverlapCase{"UTC", "2026-07-25", "08:00", "16:00", "2026-07-25", "15:59", "20:00", true},
                    OverlapCase{"UTC", "2026-07-25", "08:00", "16:00", "2026-07-25", "04:00", "08:01", true},
                    OverlapCase{"UTC", "2026-07-25", "08:00", "16:00", "2026-07-25", "10:00", "11:00", true},
                    OverlapCase{"UTC", "2026-07-25", "08:00", "16:00", "2026-07-25", "00:00", "23:59", true},
                    OverlapCase{"UTC", "2026-07-25", "08:00", "16:00", "2026-07-25", "08:00", "16:00", true},
                    // Overnight: another date, and yet the same time; the same date, and yet another time.
                    OverlapCase{"UTC", "2026-07-25", "22:00", "06:00", "2026-07-26", "05:00", "13:00", true},
                    OverlapCase{"UTC", "2026-07-25", "22:00", "06:00", "2026-07-26", "06:00", "14:00", false},
                    OverlapCase{"UTC", "2026-07-25", "22:00", "06:00", "2026-07-25", "06:00", "22:00", false},
                    OverlapCase{"UTC", "2026-07-25", "22:00", "06:00", "2026-07-24", "22:00", "06:00", false},
                    OverlapCase{"UTC", "2026-07-25", "00:01", "00:00", "2026-07-26", "00:00", "00:01", false}));

INSTANTIATE_TEST_SUITE_P(
    ClockChanges, Overlap,
    testing::Values(
        // 02:30 is 03:30 where the clocks go forward, so a shift until 03:00 is over by then.
        OverlapCase{"America/New_York", "2026-03-08", "00:00", "03:00", "2026-03-08", "02:30", "08:00", false},
        OverlapCase{"America/New_York", "2026-03-08", "00:00", "03:31", "2026-03-08", "02:30", "08:00", true},
        OverlapCase{"Europe/Berlin", "2026-03-28", "20:00", "03:00", "2026-03-29", "02:00", "08:00", false},
        OverlapCase{"Europe/Berlin", "2026-03-28", "20:00", "04:00", "2026-03-29", "03:59", "08:00", true},
        // Where they go back, an ambiguous end is the first of its two moments.
        OverlapCase{"America/New_York", "2026-10-31", "20:00", "01:30", "2026-11-01", "01:30", "08:00", false},
        OverlapCase{"America/New_York", "2026-10-31", "20:00", "02:00", "2026-11-01", "01:30", "08:00", true},
        OverlapCase{"Europe/Berlin", "2026-10-24", "22:00", "03:00", "2026-10-25", "02:30", "08:00", true},
        OverlapCase{"Europe/Berlin", "2026-10-24", "22:00", "02:30", "2026-10-25", "02:30", "08:00", false}));

TEST(AssignStaff, ComparesZonesByTheWorldsClock) {
    Given given;
    given.organization().facility(1, "Europe/Berlin").facility(2, "America/New_York").staff(11);
    given.shift(21, 1, "2026-07-25", "14:00", "20:00", 1, {11});  // 12:00–18:00 UTC
    given.shift(22, 2, "2026-07-25", "14:00", "20:00");           // 18:00–24:00 UTC
    given.shift(23, 2, "2026-07-25", "13:59", "20:00");
    EXPECT_EQ(given.when(assign(22, {11})).summary(), "shift.staff_assigned shift.filled");
    EXPECT_EQ(given.when(assign(23, {11})).summary(), "STAFF_DOUBLE_BOOKED");
}

TEST(AssignStaff, ACancelledShiftTakesNoTime) {
    auto given = scene();
    given.on_shift(22, events::ShiftCancelled{});
    EXPECT_EQ(given.when(assign(21, {13})).summary(), "shift.staff_assigned");
}

TEST(AssignStaff, RuleLevelsDecideWhatAFindingDoes) {
    struct {
        RuleLevel level;
        std::string summary;
        std::size_t warnings;
    } const cases[] = {{RuleLevel::block, "STAFF_DOUBLE_BOOKED", 0},
                       {RuleLevel::flag, "shift.staff_assigned", 1},
                       {RuleLevel::allow, "shift.staff_assigned", 0}};
    for (auto const& c : cases) {
        events::SchedulingRules rules;
        rules.doubleBooking = c.level;
        auto given = scene(rules);
        auto const outcome = given.when(assign(21, {13}));
        EXPECT_EQ(outcome.summary(), c.summary);
        if (outcome.result) EXPECT_EQ(outcome.result->warnings.size(), c.warnings) << c.summary;
        if (c.warnings > 0) EXPECT_EQ(given.after(assign(21, {13})).warnings.at(0).shiftId, 22);
    }
}

TEST(AssignStaff, SpecialtyIsASkillOrTheSpecialty) {
    for (auto const level : {RuleLevel::flag, RuleLevel::block}) {
        events::SchedulingRules rules;
        rules.specialtyMismatch = level;
        Given given;
        given.organization().facility(1, "UTC", rules).staff(11, {}, "icu").staff(12).staff(13);
        events::StaffUpdated skilled;
        skilled.skills = std::vector<core::ShortText>{"triage", "icu"};
        given.event({events::Kind::staff, 12}, events::StaffEvent(skilled));
        given.shift(21, 1, "2026-07-25", "08:00", "16:00", 3);
        events::ShiftUpdated wants;
        wants.specialty = core::ShortText("icu");
        given.on_shift(21, wants);
        auto const fitting = given.when(assign(21, {11, 12}));
        EXPECT_EQ(fitting.summary(), "shift.staff_assigned shift.staff_assigned");
        EXPECT_TRUE(fitting.result->warnings.empty());
        auto const other = given.when(assign(21, {13}));
        if (level == RuleLevel::block) {
            EXPECT_EQ(other.summary(), "SPECIALTY_MISMATCH");
        } else {
            ASSERT_EQ(other.summary(), "shift.staff_assigned");
            EXPECT_EQ(other.result->warnings.at(0).code, "SPECIALTY_MISMATCH");
        }
    }
}

TEST(AssignStaff, AllBlocksAreNamedAndTheFirstGivesTheCode) {
    auto given = scene();
    given.event({events::Kind::staff, 13}, events::StaffEvent(events::StaffDeactivated{}));
    auto const outcome = given.when(assign(21, {13}));
    EXPECT_EQ(outcome.summary(), "STAFF_INACTIVE");
    EXPECT_NE(outcome.details().find("STAFF_INACTIVE"), std::string::npos);
    EXPECT_NE(outcome.details().find("STAFF_DOUBLE_BOOKED"), std::string::npos);
}

TEST(AssignStaff, TheFirstBlockingFindingGivesTheCodeAndFlaggedOnesAreTold) {
    events::SchedulingRules rules;
    rules.doubleBooking = RuleLevel::flag;
    rules.specialtyMismatch = RuleLevel::block;
    auto given = scene(rules);
    events::ShiftUpdated wants;
    wants.specialty = core::ShortText("icu");
    given.on_shift(21, wants);
    auto const outcome = given.when(assign(21, {13}));
    EXPECT_EQ(outcome.summary(), "SPECIALTY_MISMATCH");
    EXPECT_NE(outcome.details().find(R"("violations":[{"code":"SPECIALTY_MISMATCH")"), std::string::npos);
    EXPECT_NE(outcome.details().find(R"("warnings":[{"code":"STAFF_DOUBLE_BOOKED")"), std::string::npos);
}

TEST(AssignStaff, OverrideNeedsThePermissionAndIsRecorded) {
    auto given = scene();
    auto command = assign(21, {13});
    command.override_ = true;
    command.overrideComment = core::ShortText("nobody else");
    EXPECT_EQ(given.when(command).summary(), "INSUFFICIENT_SCOPE");
    given.context.may_override = true;
    auto const outcome = given.when(command);
    ASSERT_EQ(outcome.summary(), "shift.staff_assigned");
    auto const& overrides = outcome.event<events::ShiftStaffAssigned>().overrides;
    ASSERT_EQ(overrides.size(), 1U);
    EXPECT_EQ(overrides[0].rule, "doubleBooking");
    EXPECT_EQ(overrides[0].comment.value, "nobody else");
    EXPECT_EQ(outcome.result->warnings.size(), 1U);
    // Nothing passes inactivity.
    command.staffIds = {14};
    EXPECT_EQ(given.when(command).summary(), "STAFF_INACTIVE");
}

TEST(AssignStaff, PermissionIsAskedBeforeTheShift) {
    auto const given = scene();
    auto command = assign(99, {13});
    command.override_ = true;
    EXPECT_EQ(given.when(command).summary(), "INSUFFICIENT_SCOPE");
}

TEST(AssignStaff, SeesOnlyItsScope) {
    Given given;
    given.organization().facility(1).facility(2).staff(11, {1}).staff(12, {2}).staff(13);
    given.shift(21, 1, "2026-07-25", "08:00", "16:00", 3).shift(22, 2, "2026-07-25", "08:00", "16:00", 3);
    given.context.facilities = {1};
    EXPECT_EQ(given.when(assign(21, {11, 13})).summary(), "shift.staff_assigned shift.staff_assigned");
    EXPECT_EQ(given.when(assign(21, {12})).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(assign(22, {11})).summary(), "NOT_FOUND");
}

TEST(AssignStaff, TheSandboxIsApart) {
    auto given = scene();
    given.context.sandbox = true;
    given.staff(51).shift(61, 1, "2026-07-25", "08:00", "16:00", 2);
    EXPECT_EQ(given.when(assign(61, {51})).summary(), "shift.staff_assigned");
    EXPECT_EQ(given.when(assign(61, {11})).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(assign(21, {51})).summary(), "NOT_FOUND");
    given.context.sandbox = false;
    EXPECT_EQ(given.when(assign(61, {11})).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(assign(21, {51})).summary(), "NOT_FOUND");
}

TEST(UnassignStaff, OpensAVacancyWhereItWasFull) {
    auto given = scene();
    EXPECT_EQ(given.when(unassign(22, {13})).summary(), "shift.unassigned shift.vacancy_opened");
    EXPECT_EQ(given.after(unassign(22, {13})).status, events::ShiftStatus::open);
    EXPECT_EQ(given.when(unassign(22, {13})).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(assign(21, {13})).summary(), "shift.staff_assigned");  // the time is free again
    given.after(assign(21, {11}));
    EXPECT_EQ(given.when(unassign(21, {11})).summary(), "shift.unassigned");
    EXPECT_EQ(given.when(unassign(99, {11})).summary(), "NOT_FOUND");
}

TEST(UnassignStaff, TakesSeveralOffOrNobody) {
    auto given = scene();
    given.shift(31, 1, "2026-07-26", "08:00", "16:00", 2, {11, 13});
    EXPECT_EQ(given.when(unassign(31, {11, 99})).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(unassign(31, {11, 13, 11})).summary(),
              "shift.unassigned shift.vacancy_opened shift.unassigned");
    given.after(unassign(31, {11, 13}));
    EXPECT_EQ(given.when(unassign(31, {11})).summary(), "NOT_FOUND");
}

TEST(UnassignStaff, FollowsTheState) {
    auto given = scene();
    given.on_shift(22, events::ShiftStarted{});
    EXPECT_EQ(given.when(unassign(22, {13})).summary(), "shift.unassigned shift.vacancy_opened");
    given.on_shift(22, events::ShiftCompleted{});
    EXPECT_EQ(given.when(unassign(22, {13})).summary(), "INVALID_STATE_TRANSITION");
    given.shift(31, 1, "2026-07-26", "08:00", "16:00", 1, {11}).on_shift(31, events::ShiftCancelled{});
    EXPECT_EQ(given.when(unassign(31, {11})).summary(), "INVALID_STATE_TRANSITION");
}

}  // namespace
}  // namespace workforce::tests
