// Updates of shifts: fields, times, head counts, the status shorthand, and what a running shift still permits.
#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::UpdateShift;
using events::ShiftStatus;

/// Shifts of facility 1: 21 open, 22 full, 23 full and running at 10:00, 24 completed, 25 cancelled, 26 full, the day
/// after 22 and for the same person.
Given scene_to_change() {
    Given given;
    given.organization().facility(1).facility(2).staff(11).staff(12).staff(13);
    given.shift(21, 1, "2026-07-25", "08:00", "16:00", 2, {});
    given.shift(22, 1, "2026-07-25", "08:00", "16:00", 1, {11});
    given.shift(23, 1, "2026-07-24", "08:00", "16:00", 2, {12, 13}).on_shift(23, events::ShiftStarted{});
    given.shift(24, 1, "2026-07-23", "08:00", "16:00", 1, {12});
    given.on_shift(24, events::ShiftStarted{}).on_shift(24, events::ShiftCompleted{});
    given.shift(25, 1, "2026-07-25", "08:00", "16:00").on_shift(25, events::ShiftCancelled{"rain"});
    given.shift(26, 1, "2026-07-26", "08:00", "16:00", 1, {11});
    return given;
}

UpdateShift update_of(Id id) {
    UpdateShift command;
    command.id = id;
    return command;
}

/// The shift as GET shows it, sent back.
UpdateShift as_read(Given const& given, Id id) {
    auto const& shift = given.view().get<events::ShiftRecord>(id)->shift;
    UpdateShift command = update_of(id);
    command.title = shift.title;
    command.date = shift.date;
    command.startTime = shift.startTime;
    command.endTime = shift.endTime;
    command.department = shift.department;
    command.specialty = shift.specialty;
    command.requiredWorkers = shift.requiredWorkers;
    command.urgency = shift.urgency;
    command.rate = shift.rate;
    command.notes = shift.notes;
    command.breaks = shift.breaks;
    command.externalId = shift.externalId;
    command.facilityId = shift.facilityId;
    command.status = shift.status;
    return command;
}

TEST(UpdateShift, WhatHoldsAlreadyIsNoEvent) {
    auto const given = scene_to_change();
    for (Id const id : {21, 22, 23, 24, 25}) {
        EXPECT_EQ(given.when(as_read(given, id)).summary(), "nothing") << id;
        EXPECT_EQ(given.when(update_of(id)).summary(), "nothing") << id;
    }
}

TEST(UpdateShift, CarriesOnlyWhatChanged) {
    auto const given = scene_to_change();
    auto command = as_read(given, 21);
    command.notes = core::LongText("Bring keys");
    auto const outcome = given.when(command);
    ASSERT_EQ(outcome.summary(), "shift.updated");
    auto const& updated = outcome.event<events::ShiftUpdated>();
    EXPECT_EQ(updated.notes->value, "Bring keys");
    EXPECT_FALSE(updated.title || updated.date || updated.requiredWorkers || updated.span);
}

TEST(UpdateShift, NewTimesBringANewSpan) {
    auto given = scene_to_change();
    auto command = update_of(21);
    command.startTime = clock("22:00");
    auto const outcome = given.when(command);
    ASSERT_EQ(outcome.summary(), "shift.updated");
    auto const& span = outcome.event<events::ShiftUpdated>().span;
    ASSERT_TRUE(span);
    EXPECT_EQ(core::to_string(span->startsAt), "2026-07-25T22:00:00.000Z");
    EXPECT_EQ(core::to_string(span->endsAt), "2026-07-26T16:00:00.000Z");
    EXPECT_EQ(given.after(command).endsAt, at("2026-07-26T16:00:00Z"));
}

TEST(UpdateShift, RefusesTimesThatAreNone) {
    auto const given = scene_to_change();
    auto command = update_of(21);
    command.endTime = clock("08:00");
    command.facilityId = 2;
    auto const details = given.when(command).details();
    EXPECT_NE(details.find(R"("field":"facilityId","rule":"fixed")"), std::string::npos) << details;
    EXPECT_NE(details.find(R"("field":"endTime","rule":"order")"), std::string::npos) << details;
    EXPECT_EQ(faults_in<UpdateShift>(R"({"date":"1999-01-01","startTime":"08:00","endTime":"08:00","urgency":"x"})"),
              "urgency enum, date range, endTime order");
    EXPECT_EQ(faults_in<UpdateShift>(R"({"startTime":"08:00"})"), "");
}

TEST(UpdateShift, TheFacilityIsFixed) {
    auto const given = scene_to_change();
    auto command = update_of(21);
    command.facilityId = 1;
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.facilityId = 2;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
}

TEST(UpdateShift, FinishedOnesStay) {
    auto const given = scene_to_change();
    for (Id const id : {24, 25}) {
        auto command = update_of(id);
        command.notes = core::LongText("late");
        EXPECT_EQ(given.when(command).summary(), "INVALID_STATE_TRANSITION") << id;
    }
    EXPECT_NE(given
                  .when([] {
                      auto command = update_of(25);
                      command.title = core::Name("x");
                      return command;
                  }())
                  .details()
                  .find(R"("from":"cancelled","command":"update","allowed":["reopen","delete"])"),
              std::string::npos);
}

TEST(UpdateShift, NewTimesDoubleBookNobody) {
    auto given = scene_to_change();
    auto command = update_of(26);
    command.date = day("2026-07-25");
    EXPECT_EQ(given.when(command).summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_NE(given.when(command).details().find(R"("staffId":11,"shiftId":22)"), std::string::npos);
    command.startTime = clock("16:00");  // touches the end of the other
    command.endTime = clock("20:00");
    EXPECT_EQ(given.when(command).summary(), "shift.updated");
    command.startTime = clock("15:59");
    EXPECT_EQ(given.when(command).summary(), "STAFF_DOUBLE_BOOKED");
}

/// Two people on shift 21, both elsewhere at 12:00–14:00, at a facility with these rules.
Given two_busy_people(events::RuleLevel double_booking) {
    events::SchedulingRules rules;
    rules.doubleBooking = double_booking;
    Given given;
    given.organization().facility(1, "UTC", rules).staff(11).staff(12);
    given.shift(21, 1, "2026-07-25", "08:00", "12:00", 2, {11, 12});
    given.shift(22, 1, "2026-07-25", "12:00", "14:00", 1, {11}).shift(23, 1, "2026-07-25", "12:00", "14:00", 1, {12});
    return given;
}

TEST(UpdateShift, NewTimesAreJudgedForEverybody) {
    auto longer = update_of(21);
    longer.endTime = clock("13:00");
    auto const blocked = two_busy_people(events::RuleLevel::block).when(longer);
    EXPECT_EQ(blocked.summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_NE(blocked.details().find(R"("staffId":11,"shiftId":22)"), std::string::npos) << blocked.details();
    EXPECT_NE(blocked.details().find(R"("staffId":12,"shiftId":23)"), std::string::npos) << blocked.details();

    auto flagged = two_busy_people(events::RuleLevel::flag);
    EXPECT_EQ(flagged.when(longer).summary(), "shift.updated");
    auto const answer = flagged.after(longer);
    ASSERT_EQ(answer.warnings.value().size(), 2U);
    EXPECT_EQ(answer.warnings->at(1).staffId, 12);
    EXPECT_EQ(answer.warnings->at(1).code, "STAFF_DOUBLE_BOOKED");

    auto allowed = two_busy_people(events::RuleLevel::allow);
    EXPECT_FALSE(allowed.after(longer).warnings);
}

TEST(UpdateShift, NewTimesAreByTheClocksThatTheFacilityHasNow) {
    Given given;
    given.organization().facility(1, "UTC").shift(21, 1, "2026-07-25", "08:00", "16:00");
    events::FacilityUpdated moved;
    moved.timezone = core::TimeZoneName("Europe/Berlin");
    given.event({events::Kind::facility, 1}, events::FacilityEvent(std::move(moved)), 1);
    auto command = update_of(21);
    command.title = core::Name("Late");
    EXPECT_EQ(given.after(command).startsAt, at("2026-07-25T08:00:00Z")) << "what was agreed on stays";
    command.endTime = clock("17:00");
    auto const shift = given.after(command);
    EXPECT_EQ(shift.timezone, "Europe/Berlin");
    EXPECT_EQ(shift.startsAt, at("2026-07-25T06:00:00Z"));
    EXPECT_EQ(shift.endsAt, at("2026-07-25T15:00:00Z"));
}

TEST(UpdateShift, ARunningOneKeepsTheClocksThatItBeganBy) {
    Given given;
    given.organization().facility(1, "UTC").staff(11).shift(21, 1, "2026-07-24", "08:00", "16:00", 1, {11});
    given.on_shift(21, events::ShiftStarted{});
    events::FacilityUpdated moved;
    moved.timezone = core::TimeZoneName("America/New_York");
    given.event({events::Kind::facility, 1}, events::FacilityEvent(std::move(moved)), 1);
    auto command = update_of(21);
    command.endTime = clock("17:00");
    auto const shift = given.after(command);
    EXPECT_EQ(shift.startsAt, at("2026-07-24T08:00:00Z"));
    EXPECT_EQ(shift.endsAt, at("2026-07-24T17:00:00Z"));
}

TEST(UpdateShift, AShiftDoesNotOverlapItself) {
    auto const given = scene_to_change();
    auto command = update_of(22);
    command.endTime = clock("17:00");
    EXPECT_EQ(given.when(command).summary(), "shift.updated");
}

TEST(UpdateShift, HeadCountsMoveIt) {
    struct {
        Id shift;
        int required;
        std::string summary;
    } const cases[] = {
        {22, 2, "shift.updated shift.vacancy_opened"},
        {21, 3, "shift.updated"},
        {21, 1, "shift.updated"},
        {23, 3, "shift.updated shift.vacancy_opened"},  // a running one too
        {23, 1, "SHIFT_OVERSTAFFED"},
        {22, 1, "nothing"},
    };
    auto const given = scene_to_change();
    for (auto const& c : cases) {
        auto command = update_of(c.shift);
        command.requiredWorkers = c.required;
        EXPECT_EQ(given.when(command).summary(), c.summary) << c.shift << " to " << c.required;
    }
    auto too_few = update_of(23);
    too_few.requiredWorkers = 1;
    EXPECT_EQ(given.when(too_few).details(), R"({"requiredWorkers":1,"assignedCount":2})");
}

TEST(UpdateShift, FewerNeededFillsIt) {
    Given given;
    given.organization().facility(1).staff(11).shift(21, 1, "2026-07-25", "08:00", "16:00", 2, {11});
    auto command = update_of(21);
    command.requiredWorkers = 1;
    EXPECT_EQ(given.when(command).summary(), "shift.updated shift.filled");
    auto const shift = given.after(command);
    EXPECT_EQ(shift.status, ShiftStatus::assigned);
    EXPECT_TRUE(shift.filledAt.value);
    command.requiredWorkers = 4;
    auto const reopened = given.after(command);
    EXPECT_EQ(reopened.status, ShiftStatus::open);
    EXPECT_EQ(reopened.openSpots, 3);
    EXPECT_FALSE(reopened.filledAt.value);
}

struct RunningCase {
    std::string end;
    std::string summary;
};

TEST(UpdateShift, ARunningOneOnlyEndsLater) {
    auto const given = scene_to_change();  // 23 runs 08:00–16:00
    RunningCase const cases[] = {
        {"17:00", "shift.updated"},
        {"15:59", "INVALID_STATE_TRANSITION"},
        {"01:00", "shift.updated"},  // past midnight
        {"08:00", "VALIDATION_ERROR"},
    };
    for (auto const& c : cases) {
        auto command = update_of(23);
        command.endTime = clock(c.end);
        EXPECT_EQ(given.when(command).summary(), c.summary) << c.end;
    }
}

TEST(UpdateShift, ARunningNightOnlyEndsLater) {
    Given given;
    given.organization().facility(1).staff(11).shift(21, 1, "2026-07-23", "22:00", "12:00", 1, {11});
    given.on_shift(21, events::ShiftStarted{});
    RunningCase const cases[] = {
        {"13:00", "shift.updated"}, {"11:00", "INVALID_STATE_TRANSITION"}, {"23:00", "INVALID_STATE_TRANSITION"}};
    for (auto const& c : cases) {
        auto command = update_of(21);
        command.endTime = clock(c.end);
        EXPECT_EQ(given.when(command).summary(), c.summary) << c.end;
    }
}

TEST(UpdateShift, ARunningOneKeepsWhatItIs) {
    auto const given = scene_to_change();
    auto const tried = [&](auto change) {
        auto command = update_of(23);
        change(command);
        return given.when(command).summary();
    };
    std::string const no = "INVALID_STATE_TRANSITION";
    EXPECT_EQ(tried([](auto& c) { c.title = core::Name("x"); }), no);
    EXPECT_EQ(tried([](auto& c) { c.date = day("2026-07-25"); }), no);
    EXPECT_EQ(tried([](auto& c) { c.startTime = clock("07:00"); }), no);
    EXPECT_EQ(tried([](auto& c) { c.department = core::ShortText("x"); }), no);
    EXPECT_EQ(tried([](auto& c) { c.specialty = core::ShortText("x"); }), no);
    EXPECT_EQ(tried([](auto& c) { c.urgency = events::Urgency::critical; }), no);
    EXPECT_EQ(tried([](auto& c) { c.rate = core::Rate{1}; }), no);
    EXPECT_EQ(tried([](auto& c) { c.breaks = std::vector<events::ShiftBreak>{{30, true}}; }), no);
    EXPECT_EQ(tried([](auto& c) { c.externalId = core::ShortText("x"); }), no);
    EXPECT_EQ(tried([](auto& c) { c.notes = core::LongText("x"); }), "shift.updated");
    EXPECT_EQ(tried([](auto& c) { c.title = core::Name("Shift 23"); }), "nothing");
}

TEST(UpdateShift, StatusStandsForItsCommand) {
    struct {
        Id shift;
        ShiftStatus status;
        std::string reason;
        std::string summary;
    } const cases[] = {
        {22, ShiftStatus::in_progress, "", "INVALID_STATE_TRANSITION"},  // starts tomorrow
        {22, ShiftStatus::cancelled, "", "shift.cancelled"},
        {22, ShiftStatus::completed, "", "INVALID_STATE_TRANSITION"},
        {22, ShiftStatus::open, "", "INVALID_STATE_TRANSITION"},
        {21, ShiftStatus::assigned, "", "INVALID_STATE_TRANSITION"},
        {23, ShiftStatus::completed, "", "shift.completed"},
        {23, ShiftStatus::cancelled, "", "VALIDATION_ERROR"},
        {23, ShiftStatus::cancelled, "flood", "shift.cancelled"},
        {24, ShiftStatus::cancelled, "", "INVALID_STATE_TRANSITION"},
        {25, ShiftStatus::open, "", "shift.reopened"},
    };
    auto const given = scene_to_change();
    for (auto const& c : cases) {
        auto command = update_of(c.shift);
        command.status = c.status;
        if (!c.reason.empty()) command.cancelReason = core::LongText(c.reason);
        EXPECT_EQ(given.when(command).summary(), c.summary) << c.shift << " " << core::enum_name(c.status);
    }
    auto unreasoned = update_of(23);
    unreasoned.status = ShiftStatus::cancelled;
    EXPECT_NE(given.when(unreasoned).details().find(R"("field":"cancelReason")"), std::string::npos);
}

TEST(UpdateShift, StatusIsJudgedAfterTheOtherChanges) {
    auto given = scene_to_change();
    auto command = update_of(22);
    command.date = day("2026-07-24");
    command.startTime = clock("10:30");
    command.status = ShiftStatus::in_progress;
    EXPECT_EQ(given.when(command).summary(), "shift.updated shift.started");
}

TEST(UpdateShift, TheStatusItHadIsNoMove) {
    // GET, edit, PUT: the edit moves the shift itself, and the body still tells of the state before.
    auto const given = scene_to_change();
    auto command = as_read(given, 22);
    command.requiredWorkers = 2;
    EXPECT_EQ(given.when(command).summary(), "shift.updated shift.vacancy_opened");
}

TEST(UpdateShift, IsHiddenOutsideTheCallersReach) {
    auto given = scene_to_change();
    auto command = update_of(21);
    command.notes = core::LongText("x");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(command).summary(), "shift.updated");
    EXPECT_EQ(given.when(update_of(99)).summary(), "NOT_FOUND");
    given.context.sandbox = true;
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
}

}  // namespace
}  // namespace workforce::tests
