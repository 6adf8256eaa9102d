// Timesheets: every move of their states, what time is a log, overlap, overtime of the week, and who may.
#include "commands/timesheet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/shift.hpp"
#include "commands/work_week.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::TimesheetRecord;
using events::TimesheetStatus;
using tests::at;
using tests::Given;

constexpr Id kAda = 11;
constexpr Id kBob = 12;
constexpr Id kDay = 21;  // a shift of Ada's, 2026-07-24 08:00 to 16:00 UTC

/// An organization with a facility in UTC and two people of it; Ada is on a shift that runs at the present time.
Given given_people() {
    Given given;
    given.organization().facility(1).facility(2).staff(kAda, {1}).staff(kBob, {1});
    given.shift(kDay, 1, "2026-07-24", "08:00", "16:00", 1, {kAda});
    return given;
}

ClockIn clock_in(Id staff, std::optional<Id> shift = {}) {
    ClockIn command;
    command.staffId = staff;
    command.shiftId = shift;
    return command;
}

CreateTimesheet work(Id staff, std::string_view from, std::string_view to) {
    CreateTimesheet command;
    command.staffId = staff;
    command.facilityId = 1;
    command.clockIn = at(from);
    if (!to.empty()) command.clockOut = at(to);
    return command;
}

TimesheetRecord const& log_of(Given const& given, Id id) { return *given.view().get<TimesheetRecord>(id); }

/// Records work and gives the log's id.
Id logged(Given& given, Id id, Id staff, std::string_view from, std::string_view to) {
    given.context.new_ids = {id};
    return given.after(work(staff, from, to)).id;
}

template <class Command>
Command about(Id id) {
    Command command;
    command.id = id;
    return command;
}

TEST(ClockIn, StartsTheShiftOnce) {
    auto given = given_people();
    EXPECT_EQ(given.when(clock_in(kAda, kDay)).summary(), "timesheet.opened shift.started");
    auto const log = given.after(clock_in(kAda, kDay));
    EXPECT_EQ(log.status, TimesheetStatus::open);
    EXPECT_EQ(log.facilityId, 1);
    EXPECT_EQ(log.clockIn, given.context.now);
    EXPECT_EQ(given.view().get<events::ShiftRecord>(kDay)->shift.status, events::ShiftStatus::in_progress);
    EXPECT_EQ(given.when(clock_in(kAda, kDay)).summary(), "ALREADY_CLOCKED_IN");
    EXPECT_EQ(given.when(clock_in(kBob)).summary(), "timesheet.opened") << "at their only facility";
}

TEST(ClockIn, RefusesWhoIsNotToWorkThere) {
    auto given = given_people();
    EXPECT_EQ(given.when(clock_in(kBob, kDay)).summary(), "NOT_FOUND") << "not assigned";
    EXPECT_EQ(given.when(clock_in(99)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ClockIn{}).summary(), "VALIDATION_ERROR") << "the caller is no staff member";
    given.event({events::Kind::staff, kBob}, events::StaffEvent(events::StaffDeactivated{}));
    EXPECT_EQ(given.when(clock_in(kBob)).summary(), "STAFF_INACTIVE");
    given.context.now = at("2026-07-24T06:59:59Z");
    EXPECT_EQ(given.when(clock_in(kAda, kDay)).summary(), "INVALID_STATE_TRANSITION") << "more than an hour ahead";
    given.context.now = at("2026-07-24T07:00:00Z");
    EXPECT_EQ(given.when(clock_in(kAda, kDay)).summary(), "timesheet.opened shift.started");
    given.on_shift(kDay, events::ShiftStarted{}).on_shift(kDay, events::ShiftCompleted{});
    EXPECT_EQ(given.when(clock_in(kAda, kDay)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given
                  .when([] {
                      auto late = work(kAda, "2026-07-24T08:00:00Z", "2026-07-24T09:00:00Z");
                      late.facilityId.reset();
                      late.shiftId = kDay;
                      return late;
                  }())
                  .summary(),
              "timesheet.submitted")
        << "work on a completed shift is recorded, and starts none";
}

TEST(ClockIn, WhoWasOnACancelledShiftIsToldSo) {
    auto given = given_people();
    CancelShift cancelled;
    cancelled.id = kDay;
    given.after(cancelled);
    EXPECT_EQ(given.when(clock_in(kAda, kDay)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_THAT(given.when(clock_in(kAda, kDay)).details(),
                testing::StartsWith(R"({"from":"cancelled","command":"clock-in")"));
    EXPECT_EQ(given.when(clock_in(kBob, kDay)).summary(), "NOT_FOUND") << "never on it";
    given.context.facilities = {2};
    EXPECT_EQ(given.when(clock_in(kAda, kDay)).summary(), "NOT_FOUND") << "not seen";
}

TEST(ClockIn, OneselfIsWhoAsks) {
    auto given = given_people();
    given.context.own_only = true;
    given.context.staff = kAda;
    given.context.facilities = {2};
    EXPECT_EQ(given.when(ClockIn{}).summary(), "timesheet.opened") << "at one's own facility";
    EXPECT_EQ(given.when(clock_in(kBob)).summary(), "NOT_FOUND");
    auto elsewhere = clock_in(kAda);
    elsewhere.facilityId = 2;
    EXPECT_EQ(given.when(elsewhere).summary(), "FACILITY_SCOPE_VIOLATION");
}

TEST(ClockOut, SubmitsWhatWasWorked) {
    auto given = given_people();
    auto const id = given.after(clock_in(kAda, kDay)).id;
    given.context.now = at("2026-07-24T14:30:59Z");
    ClockOut out;
    out.id = id;
    out.breaks = std::vector<events::TimesheetBreak>{{at("2026-07-24T12:00:00Z"), at("2026-07-24T12:30:00Z"), false},
                                                     {at("2026-07-24T13:00:00Z"), at("2026-07-24T13:15:00Z"), true}};
    EXPECT_EQ(given.when(out).summary(), "timesheet.submitted");
    auto const log = given.after(out);
    EXPECT_EQ(log.workedMinutes, 240) << "whole minutes, without the unpaid break";
    EXPECT_EQ(given.when(out).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(about<SubmitTimesheet>(id)).summary(), "nothing");
    EXPECT_EQ(given.when(about<ClockOut>(99)).summary(), "NOT_FOUND");
}

TEST(CreateTimesheet, SaysWhatIsNoLog) {
    auto const faults = [](std::string const& times) {
        return tests::faults_in<CreateTimesheet>(R"({"staffId":1,"facilityId":1,)" + times + "}");
    };
    EXPECT_EQ(tests::faults_in<CreateTimesheet>("{}"), "clockIn required");
    EXPECT_EQ(faults(R"("clockIn":"2026-07-24T08:00:00Z","clockOut":"2026-07-24T08:00:00Z")"), "clockOut order");
    EXPECT_EQ(faults(R"("clockIn":"2026-07-24T08:00:00Z","clockOut":"2026-07-24T07:59:00Z")"), "clockOut order");
    EXPECT_EQ(faults(R"("clockIn":"2026-07-24T08:00:00Z","clockOut":"2026-07-25T08:00:00Z")"), "");
    EXPECT_EQ(faults(R"("clockIn":"2026-07-24T08:00:00Z","clockOut":"2026-07-25T08:01:00Z")"), "clockOut range");
    std::string const day = R"("clockIn":"2026-07-24T08:00:00Z","clockOut":"2026-07-24T16:00:00Z","breaks":[)";
    auto const rest = [](char const* from, char const* to) {
        return std::string(R"({"start":"2026-07-24T)") + from + R"(:00Z","end":"2026-07-24T)" + to + R"(:00Z"})";
    };
    EXPECT_EQ(faults(day + rest("12:00", "12:00") + "]"), "breaks order");
    EXPECT_EQ(faults(day + rest("07:59", "08:30") + "]"), "breaks range");
    EXPECT_EQ(faults(day + rest("15:30", "16:01") + "]"), "breaks range");
    EXPECT_EQ(faults(day + rest("12:00", "12:30") + "," + rest("12:29", "13:00") + "]"), "breaks overlap");
    EXPECT_EQ(faults(day + rest("12:30", "13:00") + "," + rest("12:00", "12:30") + "]"), "") << "in any order";
    EXPECT_EQ(faults(day + rest("07:30", "09:00") + "," + rest("08:30", "09:30") + "," + rest("12:00", "11:00") + "]"),
              "breaks order, breaks range, breaks overlap")
        << "all at once";
    EXPECT_EQ(faults(R"("clockIn":"2026-07-24T08:00:00Z","clockOut":"2026-07-24T07:00:00Z","breaks":[)" +
                     rest("12:00", "12:00") + "]"),
              "clockOut order, breaks order");
    EXPECT_EQ(faults(R"("clockIn":"2026-07-24T08:00:00Z","clockOut":"2026-07-24T07:00:00Z","breaks":[{"start":"x"}])"),
              "breaks[0].start timestamp, breaks[0].end required, clockOut order");
}

// PostgreSQL has no year 0: a log of it would stop read models.
TEST(CreateTimesheet, IsOfADayThatCanBeKept) {
    for (auto const& [zone, begins, ends] :
         {std::tuple("America/New_York", "0001-01-01T00:00:00Z", "0001-01-01T04:00:00Z"),
          std::tuple("Asia/Tokyo", "9999-12-31T20:00:00Z", "9999-12-31T22:00:00Z")}) {
        Given given;
        given.organization().facility(1, zone).staff(kAda, {1});
        given.context.new_ids = {31};
        EXPECT_THAT(given.when(work(kAda, begins, ends)).details(),
                    testing::HasSubstr(R"("field":"clockIn","rule":"range")"));
        EXPECT_EQ(given.when(work(kAda, begins, "")).summary(), "VALIDATION_ERROR") << "open ones, too";
        auto edit = about<UpdateTimesheet>(logged(given, 31, kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z"));
        edit.clockIn = at(begins);
        edit.clockOut = core::Nullable<Timestamp>(at(ends));
        EXPECT_EQ(given.when(edit).summary(), "VALIDATION_ERROR") << "nor is one moved there";
    }
    Given given;
    given.organization().facility(1, "Asia/Tokyo").staff(kAda, {1});
    given.context.new_ids = {31};
    EXPECT_EQ(given.when(work(kAda, "0001-01-01T00:00:00Z", "0001-01-01T04:00:00Z")).summary(), "timesheet.submitted");
}

TEST(CreateTimesheet, NobodyWorksTwiceAtATime) {
    auto given = given_people();
    logged(given, 31, kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z");
    EXPECT_EQ(given.when(work(kAda, "2026-07-23T15:59:00Z", "2026-07-23T18:00:00Z")).summary(), "TIMESHEET_OVERLAP");
    EXPECT_EQ(given.when(work(kAda, "2026-07-23T16:00:00Z", "2026-07-23T18:00:00Z")).summary(), "timesheet.submitted");
    EXPECT_EQ(given.when(work(kBob, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z")).summary(), "timesheet.submitted");
    given.after(about<VoidTimesheet>(31));
    EXPECT_EQ(given.when(work(kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z")).summary(), "timesheet.submitted");
}

TEST(Timesheet, TakesTheMovesThatItsStatePermits) {
    auto given = given_people();
    auto const id = logged(given, 31, kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z");
    RejectTimesheet reject;
    reject.id = id;
    reject.reason = core::Text<1, 4000, core::TextForm::paragraph>("Too long");
    UpdateTimesheet edit;
    edit.id = id;
    edit.clockOut = core::Nullable<Timestamp>(at("2026-07-23T15:00:00Z"));

    EXPECT_EQ(given.when(about<UnapproveTimesheet>(id)).summary(), "nothing");
    EXPECT_EQ(given.when(reject).summary(), "timesheet.rejected");
    given.after(reject);
    EXPECT_EQ(given.when(reject).summary(), "nothing");
    EXPECT_EQ(given.when(about<ApproveTimesheet>(id)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(edit).summary(), "timesheet.edited");
    EXPECT_EQ(given.after(edit).status, TimesheetStatus::submitted) << "rejected work that was edited is submitted";
    EXPECT_EQ(log_of(given, id).rejectionReason.value.value, "");

    auto const approved = given.after(about<ApproveTimesheet>(id));
    EXPECT_EQ(approved.status, TimesheetStatus::approved);
    EXPECT_EQ(approved.approvedBy.value, given.context.actor.user);
    EXPECT_EQ(given.when(about<ApproveTimesheet>(id)).summary(), "nothing");
    edit.clockOut = core::Nullable<Timestamp>(at("2026-07-23T14:00:00Z"));
    EXPECT_EQ(given.when(edit).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(edit).details(), R"({"from":"approved","command":"update","allowed":["unapprove","void"]})");
    EXPECT_EQ(given.when(reject).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.after(about<UnapproveTimesheet>(id)).status, TimesheetStatus::submitted);

    EXPECT_EQ(given.after(about<VoidTimesheet>(id)).status, TimesheetStatus::void_);
    EXPECT_EQ(given.when(about<VoidTimesheet>(id)).summary(), "nothing");
    EXPECT_EQ(given.when(about<ApproveTimesheet>(id)).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(edit).summary(), "INVALID_STATE_TRANSITION");
}

/// A log of that status.
Given given_log_that_is(TimesheetStatus status) {
    auto given = given_people();
    if (status == TimesheetStatus::open) {
        logged(given, 31, kAda, "2026-07-24T08:00:00Z", "");
        return given;
    }
    logged(given, 31, kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z");
    auto reject = about<RejectTimesheet>(31);
    reject.reason = core::Text<1, 4000, core::TextForm::paragraph>("Too long");
    if (status == TimesheetStatus::rejected) given.after(reject);
    if (status == TimesheetStatus::void_) given.after(about<VoidTimesheet>(31));
    if (status == TimesheetStatus::approved || status == TimesheetStatus::paid)
        given.after(about<ApproveTimesheet>(31));
    if (status == TimesheetStatus::paid) {
        given.event({events::Kind::timesheet, 31}, events::TimesheetEvent(events::TimesheetPaid{50}));
    }
    return given;
}

TEST(Timesheet, EachStatePermitsItsMoves) {
    using enum TimesheetStatus;
    constexpr auto kNo = "INVALID_STATE_TRANSITION";
    constexpr std::array kCommands{"update", "clock-out", "submit", "approve", "reject", "unapprove", "void"};
    struct Row {
        TimesheetStatus status;
        char const* permitted;
        std::array<std::string, 7> leads_to;
    };
    std::vector<Row> const rows{
        {open,
         R"(["update","clock-out","submit","void"])",
         {"timesheet.edited", "timesheet.submitted", kNo, kNo, kNo, kNo, "timesheet.voided"}},
        {submitted,
         R"(["update","approve","reject","void"])",
         {"timesheet.edited", kNo, "nothing", "timesheet.approved", "timesheet.rejected", "nothing",
          "timesheet.voided"}},
        {approved,
         R"(["unapprove","void"])",
         {kNo, kNo, kNo, "nothing", kNo, "timesheet.unapproved", "timesheet.voided"}},
        {rejected, R"(["update","void"])", {"timesheet.edited", kNo, kNo, kNo, "nothing", kNo, "timesheet.voided"}},
        {paid, "[]", {kNo, kNo, kNo, kNo, kNo, kNo, kNo}},
        {void_, "[]", {kNo, kNo, kNo, kNo, kNo, kNo, "nothing"}},
    };
    auto update = about<UpdateTimesheet>(31);
    update.notes = core::LongText("Another");
    auto reject = about<RejectTimesheet>(31);
    reject.reason = core::Text<1, 4000, core::TextForm::paragraph>("Too long");
    for (auto const& row : rows) {
        auto const given = given_log_that_is(row.status);
        auto const status = std::string(core::enum_name(row.status));
        std::array const found{given.when(update),
                               given.when(about<ClockOut>(31)),
                               given.when(about<SubmitTimesheet>(31)),
                               given.when(about<ApproveTimesheet>(31)),
                               given.when(reject),
                               given.when(about<UnapproveTimesheet>(31)),
                               given.when(about<VoidTimesheet>(31))};
        for (std::size_t i = 0; i < kCommands.size(); ++i) {
            EXPECT_EQ(found[i].summary(), row.leads_to[i]) << status << " " << kCommands[i];
            if (row.leads_to[i] != kNo) continue;
            auto const told =
                R"({"from":")" + status + R"(","command":")" + kCommands[i] + R"(","allowed":)" + row.permitted;
            EXPECT_THAT(found[i].details(), testing::StartsWith(told));
        }
    }
}

TEST(Timesheet, WhereItIsAndWhoseCannotChange) {
    auto given = given_people();
    auto edit = about<UpdateTimesheet>(logged(given, 31, kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z"));
    EXPECT_EQ(given.when(edit).summary(), "nothing");
    edit.staffId = kBob;
    EXPECT_EQ(given.when(edit).summary(), "VALIDATION_ERROR");
    edit.facilityId = 2;
    edit.shiftId = core::Nullable<Id>(kDay);
    auto const details = given.when(edit).details();
    for (auto const* name : {"staffId", "facilityId", "shiftId"}) {
        EXPECT_THAT(details, testing::HasSubstr(std::string(R"("field":")") + name + R"(","rule":"fixed")"));
    }
    edit = about<UpdateTimesheet>(31);
    edit.clockOut = core::Nullable<Timestamp>();
    EXPECT_EQ(given.when(edit).summary(), "VALIDATION_ERROR") << "submitted work has an end";
}

TEST(ApproveTimesheet, IsNotForOnesOwnTime) {
    auto given = given_people();
    auto const id = logged(given, 31, kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z");
    given.context.staff = kAda;
    given.context.role = events::Role::manager;
    EXPECT_EQ(given.when(about<ApproveTimesheet>(id)).summary(), "SELF_APPROVAL_FORBIDDEN");
    given.context.role = events::Role::admin;
    EXPECT_EQ(given.when(about<ApproveTimesheet>(id)).summary(), "timesheet.approved");
    given.context.staff = kBob;
    given.context.role = events::Role::manager;
    EXPECT_EQ(given.when(about<ApproveTimesheet>(id)).summary(), "timesheet.approved");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(about<ApproveTimesheet>(id)).summary(), "NOT_FOUND");
}

TEST(ApproveTimesheets, AnswersEachOnItsOwn) {
    auto given = given_people();
    logged(given, 31, kAda, "2026-07-22T08:00:00Z", "2026-07-22T16:00:00Z");
    logged(given, 32, kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z");
    given.after(about<VoidTimesheet>(32));
    logged(given, 33, kBob, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z");
    ApproveTimesheets command;
    command.ids = {31, 32, 99, 33, 31};
    EXPECT_EQ(given.when(command).summary(), "timesheet.approved timesheet.approved");
    auto const answer = given.after(command);
    ASSERT_EQ(answer.results.size(), 5U);
    std::string told;
    for (auto const& each : answer.results) told += each.error.value ? each.error.value->code + " " : "approved ";
    EXPECT_EQ(told, "approved INVALID_STATE_TRANSITION NOT_FOUND approved approved ");
    EXPECT_EQ(log_of(given, 33).status, TimesheetStatus::approved);
    EXPECT_EQ(tests::faults_in<ApproveTimesheets>(R"({"ids":[]})"), "ids min_items");
}

TEST(WorkWeek, BeginsOnMonday) {
    EXPECT_EQ(monday_of(tests::day("2026-07-24")), tests::day("2026-07-20"));
    EXPECT_EQ(monday_of(tests::day("2026-07-20")), tests::day("2026-07-20"));
    EXPECT_EQ(monday_of(tests::day("1969-12-31")), tests::day("1969-12-29")) << "before the epoch, too";
}

TEST(WorkWeek, EarnsToTheCent) {
    EXPECT_EQ(gross_of({3850}, 480, 60, {150}).hundredths, 32725) << "38.50 × (7 + 1.5)";
    EXPECT_EQ(gross_of({1}, 30, 0, {150}).hundredths, 1) << "half a cent is one";
    EXPECT_EQ(gross_of({1}, 29, 0, {150}).hundredths, 0);
    EXPECT_EQ(gross_of({10'000'00}, 1440, 1440, {1000}).hundredths, 240'000'000) << "the most there is";
}

// 40 hours a week, 10 a day: the last of five is all overtime.
TEST(WorkWeek, OvertimeFallsToTheLastOfTheWeek) {
    auto given = given_people();
    char const* const days[] = {"2026-07-20", "2026-07-21", "2026-07-22", "2026-07-23", "2026-07-24"};
    for (Id i = 0; i < 5; ++i) {
        std::string const date = days[i];
        logged(given, 31 + i, kAda, date + "T00:00:00Z", date + "T10:00:00Z");
    }
    EXPECT_EQ(log_of(given, 34).overtimeMinutes, 0);
    EXPECT_EQ(log_of(given, 35).overtimeMinutes, 600);
    given.after(about<ApproveTimesheet>(35));
    EXPECT_EQ(given.when(about<VoidTimesheet>(31)).summary(), "timesheet.voided")
        << "what is approved keeps its overtime";
    // Recorded late, an earlier log takes the week's overtime less what is frozen.
    given.context.new_ids = {41};
    EXPECT_EQ(given.when(work(kAda, "2026-07-20T12:00:00Z", "2026-07-20T14:00:00Z")).summary(),
              "timesheet.submitted timesheet.recalculated");
    given.after(work(kAda, "2026-07-20T12:00:00Z", "2026-07-20T14:00:00Z"));
    EXPECT_EQ(log_of(given, 34).overtimeMinutes, 120) << "the latest of those that are free";
    EXPECT_EQ(log_of(given, 35).overtimeMinutes, 600);
    EXPECT_EQ(log_of(given, 41).overtimeMinutes, 0);
    // The next week is another one.
    logged(given, 42, kAda, "2026-07-27T00:00:00Z", "2026-07-27T10:00:00Z");
    EXPECT_EQ(log_of(given, 42).overtimeMinutes, 0);
    // Moved out of the week, a log takes its minutes along.
    auto edit = about<UpdateTimesheet>(41);
    edit.clockIn = at("2026-07-28T12:00:00Z");
    edit.clockOut = core::Nullable<Timestamp>(at("2026-07-28T14:00:00Z"));
    EXPECT_EQ(given.when(edit).summary(), "timesheet.edited timesheet.recalculated");
    given.after(edit);
    EXPECT_EQ(log_of(given, 34).overtimeMinutes, 0);
}

TEST(WorkWeek, ALogBelongsToTheDayOfItsBeginning) {
    Given given;
    given.organization().facility(1, "Australia/Lord_Howe").staff(kAda, {1});
    // Sunday night there is Sunday noon in UTC; clocks go back half an hour on 2026-04-05.
    auto const id = logged(given, 31, kAda, "2026-04-04T12:00:00Z", "2026-04-04T20:00:00Z");
    EXPECT_EQ(log_of(given, id).date, tests::day("2026-04-04"));
    EXPECT_EQ(log_of(given, id).workedMinutes, 480) << "time that passed, whatever clocks showed";
    auto const sunday = logged(given, 32, kAda, "2026-04-05T13:00:00Z", "2026-04-05T14:00:00Z");
    EXPECT_EQ(log_of(given, sunday).date, tests::day("2026-04-05"));
    auto const monday = logged(given, 33, kAda, "2026-04-05T14:00:00Z", "2026-04-05T15:00:00Z");
    EXPECT_EQ(log_of(given, monday).date, tests::day("2026-04-06"));
}

TEST(WorkOnShift, StopsWhatWouldLoseIt) {
    auto given = given_people();
    auto const id = given.after(clock_in(kAda, kDay)).id;
    UnassignStaff off;
    off.id = kDay;
    off.staffId = kAda;
    EXPECT_EQ(given.when(off).summary(), "TIMESHEET_EXISTS");
    EXPECT_EQ(given.when(DeleteShift{kDay}).summary(), "TIMESHEET_EXISTS");
    AssignStaff replaced;
    replaced.id = kDay;
    replaced.staffIds = std::vector<Id>{kBob};
    replaced.mode = AssignMode::replace;
    EXPECT_EQ(given.when(replaced).summary(), "TIMESHEET_EXISTS");
    CancelShift cancelled;
    cancelled.id = kDay;
    cancelled.reason = core::LongText("Closed");
    EXPECT_EQ(given.when(cancelled).summary(), "shift.cancelled") << "logs stay";
    given.after(about<VoidTimesheet>(id));
    EXPECT_EQ(given.when(off).summary(), "shift.unassigned shift.vacancy_opened");
}

TEST(ErasePerson, LeavesTheirHours) {
    auto given = given_people();
    auto noted = work(kAda, "2026-07-23T08:00:00Z", "2026-07-23T16:00:00Z");
    noted.notes = core::LongText("Private");
    given.context.new_ids = {31};
    given.after(noted);
    given.after(ErasePerson{{"asked for", "ops"}, {events::Kind::staff, kAda}});
    auto const& log = log_of(given, 31);
    EXPECT_EQ(log.notes.value.value, "");
    EXPECT_TRUE(log.internals.holderErased);
    EXPECT_EQ(log.workedMinutes, 480);
}

}  // namespace
}  // namespace workforce::commands
