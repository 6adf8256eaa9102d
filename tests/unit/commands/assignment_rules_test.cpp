// Rest and overtime: what of a person's other time counts, by which limits, and who is told of it.
#include <gtest/gtest.h>

#include <numeric>

#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::AssignStaff;
using commands::UpdateShift;
using events::RuleLevel;

events::SchedulingRules levels(RuleLevel rest, RuleLevel overtime) {
    events::SchedulingRules rules;
    rules.minRest = rest;
    rules.overtime = overtime;
    return rules;
}

/// Facility 1 with the rules, and staff 11. The week of the 20th of July 2026 begins on that Monday.
Given person_at(events::SchedulingRules const& rules, std::string const& timezone = "UTC") {
    Given given;
    given.organization().facility(1, timezone, rules).staff(11);
    return given;
}

AssignStaff put_on(Id shift) {
    AssignStaff command;
    command.id = shift;
    command.staffIds = {11};
    return command;
}

/// The codes of the warnings that the command leads to, or its refusal: "shift.filled" stands for none.
template <class Command>
std::string warned(Given const& given, Command const& command) {
    auto const outcome = given.when(command);
    if (!outcome.result) return outcome.summary() + " refused";
    std::string codes;
    for (auto const& warning : outcome.result->warnings) codes += (codes.empty() ? "" : " ") + warning.code;
    return codes;
}

TEST(MinRest, IsTheGapToTheNeighbours) {
    struct {
        std::string date, start, end;
        std::string_view warnings;
    } const cases[] = {
        {"2026-07-22", "00:00", "04:00", "REST_PERIOD_VIOLATION"},        // 4 h to the next one
        {"2026-07-22", "16:01", "20:00", "REST_PERIOD_VIOLATION"},        // a minute short of 8 h
        {"2026-07-22", "19:59", "22:00", "REST_PERIOD_VIOLATION"},        //
        {"2026-07-22", "20:00", "22:00", ""},                             // 8 h
        {"2026-07-21", "20:00", "00:00", ""},                             // before, 8 h
        {"2026-07-21", "20:00", "00:01", "REST_PERIOD_VIOLATION"},        //
        {"2026-07-22", "12:00", "13:00", "REST_PERIOD_VIOLATION"},        // it touches
        {"2026-07-22", "11:00", "13:00", "STAFF_DOUBLE_BOOKED refused"},  // it overlaps
        {"2026-07-22", "13:00", "15:00", "REST_PERIOD_VIOLATION"},        //
    };
    for (auto const& c : cases) {
        auto given = person_at(levels(RuleLevel::flag, RuleLevel::flag));
        given.shift(21, 1, "2026-07-22", "08:00", "12:00", 1, {11}).shift(22, 1, c.date, c.start, c.end);
        EXPECT_EQ(warned(given, put_on(22)), c.warnings) << c.date << ' ' << c.start << '-' << c.end;
    }
}

TEST(MinRest, NamesTheNeighbourAndFollowsItsLevel) {
    auto given = person_at(levels(RuleLevel::block, RuleLevel::flag));
    given.shift(21, 1, "2026-07-22", "08:00", "12:00", 1, {11}).shift(22, 1, "2026-07-22", "14:00", "15:00");
    auto const blocked = given.when(put_on(22));
    EXPECT_EQ(blocked.summary(), "REST_PERIOD_VIOLATION");
    EXPECT_NE(blocked.details().find(R"("staffId":11,"shiftId":21)"), std::string::npos) << blocked.details();
    given.context.may_override = true;
    auto command = put_on(22);
    command.override_ = true;
    EXPECT_EQ(given.when(command).event<events::ShiftStaffAssigned>().overrides.at(0).rule, "minRest");
    auto allowed = person_at(levels(RuleLevel::allow, RuleLevel::flag));
    allowed.shift(21, 1, "2026-07-22", "08:00", "12:00", 1, {11}).shift(22, 1, "2026-07-22", "14:00", "15:00");
    EXPECT_EQ(warned(allowed, put_on(22)), "");
}

TEST(MinRest, IsTheOrganizations) {
    auto given = person_at(levels(RuleLevel::flag, RuleLevel::flag));
    given.shift(21, 1, "2026-07-22", "08:00", "12:00", 1, {11}).shift(22, 1, "2026-07-22", "14:00", "15:00");
    events::OrganizationUpdated two_hours;
    two_hours.settings.emplace().minRestMinutes = core::Int<0, 2880>{120};
    given.event({events::Kind::organization, Given::kOrganization}, events::OrganizationEvent(two_hours));
    EXPECT_EQ(warned(given, put_on(22)), "");
}

TEST(MinRest, OfAShiftThatTheCallerDoesNotSeeTellsNoId) {
    Given given;
    given.organization().facility(1, "UTC", levels(RuleLevel::block, RuleLevel::flag)).facility(2).staff(11);
    given.shift(21, 2, "2026-07-22", "08:00", "12:00", 1, {11}).shift(22, 1, "2026-07-22", "14:00", "15:00");
    given.context.facilities = {1};
    auto const refused = given.when(put_on(22));
    EXPECT_EQ(refused.summary(), "REST_PERIOD_VIOLATION");
    EXPECT_EQ(refused.details().find("shiftId"), std::string::npos) << refused.details();
}

/// Five shifts of eight hours on Monday to Friday, with staff 11.
Given full_week(events::SchedulingRules const& rules, std::string const& timezone = "UTC") {
    auto given = person_at(rules, timezone);
    for (int i = 0; i < 5; ++i) given.shift(31 + i, 1, "2026-07-2" + std::to_string(i), "08:00", "16:00", 1, {11});
    return given;
}

TEST(Overtime, CountsThePlannedTimeOfTheWeek) {
    auto given = full_week(levels(RuleLevel::allow, RuleLevel::flag));
    given.shift(41, 1, "2026-07-25", "08:00", "08:15").shift(42, 1, "2026-07-26", "23:45", "08:00");
    given.shift(43, 1, "2026-07-27", "00:00", "08:00").shift(44, 1, "2026-07-19", "08:00", "16:00");
    EXPECT_EQ(warned(given, put_on(41)), "OVERTIME_EXCEEDED") << "15 minutes past 40 hours";
    EXPECT_EQ(warned(given, put_on(42)), "OVERTIME_EXCEEDED") << "the week of its start";
    EXPECT_EQ(warned(given, put_on(43)), "") << "the next Monday";
    EXPECT_EQ(warned(given, put_on(44)), "") << "the Sunday before";
    auto blocking = full_week(levels(RuleLevel::allow, RuleLevel::block));
    blocking.shift(41, 1, "2026-07-25", "08:00", "08:15");
    EXPECT_EQ(warned(blocking, put_on(41)), "OVERTIME_EXCEEDED refused");
}

TEST(Overtime, TheWeekIsTheFacilitysCalendars) {
    auto given = full_week(levels(RuleLevel::allow, RuleLevel::flag), "Pacific/Auckland");
    given.shift(41, 1, "2026-07-26", "23:00", "23:30").shift(42, 1, "2026-07-27", "00:00", "00:30");
    EXPECT_EQ(warned(given, put_on(41)), "OVERTIME_EXCEEDED");
    EXPECT_EQ(warned(given, put_on(42)), "") << "a Monday there, and still Sunday in UTC";
}

TEST(Overtime, APersonsOwnLimitHolds) {
    auto given = full_week(levels(RuleLevel::allow, RuleLevel::flag));
    events::StaffUpdated more;
    more.maxWeeklyHours = core::Nullable<core::Decimal<0, 168>>(core::Decimal<0, 168>{4850});
    given.event({events::Kind::staff, 11}, events::StaffEvent(more));
    given.shift(41, 1, "2026-07-25", "08:00", "16:30").shift(42, 1, "2026-07-25", "08:00", "16:31");
    EXPECT_EQ(warned(given, put_on(41)), "") << "48.5 hours";
    EXPECT_EQ(warned(given, put_on(42)), "OVERTIME_EXCEEDED");
}

TEST(Overtime, CountsTheShiftsOfTheSameRequest) {
    auto given = person_at(levels(RuleLevel::allow, RuleLevel::flag));
    commands::CreateShifts command;
    for (int i = 0; i < 6; ++i) {
        commands::CreateShift shift;
        shift.facilityId = 1;
        shift.title = core::Name("Early");
        shift.date = day("2026-07-2" + std::to_string(i));
        shift.startTime = clock("08:00");
        shift.endTime = clock("16:00");
        shift.assignedStaffIds = {11};
        command.shifts.push_back(shift);
    }
    given.context.new_ids = {101, 102, 103, 104, 105, 106};
    EXPECT_EQ(warned(given, command), "OVERTIME_EXCEEDED") << "of the sixth";
    command.shifts[1].date = day("2026-07-20");
    command.shifts[1].startTime = clock("17:00");
    command.shifts[1].endTime = clock("18:00");
    auto resting = person_at(levels(RuleLevel::flag, RuleLevel::allow));
    resting.context.new_ids = given.context.new_ids;
    EXPECT_EQ(warned(resting, command), "REST_PERIOD_VIOLATION");
}

UpdateShift new_times(Id shift, std::string_view start, std::string_view end) {
    UpdateShift command;
    command.id = shift;
    command.startTime = clock(start);
    command.endTime = clock(end);
    return command;
}

TEST(NewTimes, AreJudgedByRestAndOvertime) {
    auto given = full_week(levels(RuleLevel::flag, RuleLevel::block));
    EXPECT_EQ(warned(given, new_times(35, "09:00", "17:01")), "OVERTIME_EXCEEDED refused");
    EXPECT_EQ(warned(given, new_times(35, "09:00", "17:00")), "");
    auto rested = person_at(levels(RuleLevel::flag, RuleLevel::allow));
    rested.shift(21, 1, "2026-07-22", "08:00", "12:00", 1, {11}).shift(22, 1, "2026-07-22", "20:00", "22:00", 1, {11});
    EXPECT_EQ(warned(rested, new_times(22, "19:59", "22:00")), "REST_PERIOD_VIOLATION");
    EXPECT_EQ(warned(rested, new_times(22, "20:00", "23:00")), "");
}

TEST(NewTimes, WhatWasBrokenBeforeStopsNothing) {
    auto given = person_at(levels(RuleLevel::block, RuleLevel::block));
    given.shift(21, 1, "2026-07-22", "08:00", "12:00", 1, {11}).shift(22, 1, "2026-07-22", "11:00", "15:00", 1, {11});
    EXPECT_EQ(warned(given, new_times(21, "07:00", "12:00")), "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(warned(given, new_times(21, "08:00", "11:30")), "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(warned(given, new_times(21, "08:00", "12:01")), "STAFF_DOUBLE_BOOKED refused") << "a minute more";
    EXPECT_EQ(warned(given, new_times(21, "06:00", "10:00")), "REST_PERIOD_VIOLATION") << "better than an overlap";
    given.shift(23, 1, "2026-07-22", "19:00", "20:00", 1, {11});
    EXPECT_EQ(warned(given, new_times(23, "19:30", "20:30")), "REST_PERIOD_VIOLATION");
    EXPECT_EQ(warned(given, new_times(23, "18:59", "20:00")), "REST_PERIOD_VIOLATION refused") << "a minute less";
}

TEST(NewTimes, OvertimeThatWasThereStopsNothing) {
    auto tired = full_week(levels(RuleLevel::allow, RuleLevel::block));
    tired.shift(41, 1, "2026-07-25", "08:00", "10:00", 1, {11});
    EXPECT_EQ(warned(tired, new_times(41, "09:00", "11:00")), "OVERTIME_EXCEEDED");
    EXPECT_EQ(warned(tired, new_times(41, "09:00", "11:01")), "OVERTIME_EXCEEDED refused") << "it adds time";
    events::FacilityUpdated moved;
    moved.timezone = core::TimeZoneName("Europe/Berlin");
    tired.event({events::Kind::facility, 1}, events::FacilityEvent(std::move(moved)), 1);
    EXPECT_EQ(warned(tired, new_times(41, "09:00", "10:00")), "OVERTIME_EXCEEDED") << "the same week in another zone";
}

TEST(MinRest, IsToldOfTheNearestOnEachSideAlone) {
    auto given = person_at(levels(RuleLevel::flag, RuleLevel::allow));
    given.shift(21, 1, "2026-07-22", "08:00", "09:00", 1, {11}).shift(22, 1, "2026-07-22", "09:00", "10:00", 1, {11});
    given.shift(23, 1, "2026-07-22", "13:00", "14:00", 1, {11}).shift(24, 1, "2026-07-22", "14:00", "15:00", 1, {11});
    given.shift(25, 1, "2026-07-22", "11:00", "12:00");
    auto const outcome = given.when(put_on(25));
    ASSERT_EQ(outcome.result->warnings.size(), 2U);
    EXPECT_EQ(outcome.result->warnings[0].shiftId, 22);
    EXPECT_EQ(outcome.result->warnings[1].shiftId, 23);
}

TEST(Findings, AreNoMoreThanAnAnswerHolds) {
    auto given = person_at(levels(RuleLevel::flag, RuleLevel::flag));
    commands::CreateShifts command;
    for (int i = 0; i < 100; ++i) {
        commands::CreateShift shift;
        shift.facilityId = 1;
        shift.title = core::Name("Minute");
        shift.date = day("2026-07-22");
        shift.startTime = core::TimeOfDay{static_cast<std::int16_t>(480 + i)};
        shift.endTime = core::TimeOfDay{static_cast<std::int16_t>(481 + i)};
        shift.requiredWorkers = 30;
        for (Id staff = 11; staff < 41; ++staff) shift.assignedStaffIds.push_back(staff);
        command.shifts.push_back(shift);
    }
    for (Id staff = 12; staff < 41; ++staff) given.staff(staff);
    given.context.new_ids.resize(100);
    std::iota(given.context.new_ids.begin(), given.context.new_ids.end(), 101);
    EXPECT_EQ(given.when(command).summary(), "PAYLOAD_TOO_LARGE");
    command.shifts.resize(20);
    EXPECT_EQ(given.when(command).result->warnings.size(), 19U * 30) << "each has one neighbour within the request";
}

TEST(Overtime, CountsOverlappingShiftsOfARequestOnceEach) {
    auto rules = levels(RuleLevel::allow, RuleLevel::flag);
    rules.doubleBooking = RuleLevel::allow;
    auto given = person_at(rules);
    commands::CreateShifts command;
    for (int i = 0; i < 6; ++i) {
        commands::CreateShift shift;
        shift.facilityId = 1;
        shift.title = core::Name("Twice");
        shift.date = day("2026-07-20");
        shift.startTime = clock("08:00");
        shift.endTime = clock("16:00");
        shift.assignedStaffIds = {11};
        command.shifts.push_back(shift);
    }
    given.context.new_ids = {101, 102, 103, 104, 105, 106};
    EXPECT_EQ(warned(given, command), "OVERTIME_EXCEEDED");
}

}  // namespace
}  // namespace workforce::tests
