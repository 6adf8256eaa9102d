// Time off: who asks for it and who decides, when it is, what overlaps, and what it does to assignments.
#include "commands/time_off.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::TimeOffStatus;
using events::TimeOffType;
using tests::at;
using tests::clock;
using tests::day;
using tests::Given;

constexpr Id kAway = 11;
constexpr Id kStaying = 12;

/// Facility 1 in New York, where both people work, and facility 2 in UTC; the organization is in Berlin.
Given given_workers(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "America/New_York", rules).facility(2);
    given.staff(kAway, {1}).staff(kStaying, {1});
    return given;
}

RequestTimeOff asking(Id staff, std::string_view first, std::string_view last) {
    RequestTimeOff command;
    command.staffId = staff;
    command.startDate = day(first);
    command.endDate = day(last);
    return command;
}

/// Asked for, under that id.
Id make_request(Given& given, Id id, RequestTimeOff const& command) {
    given.context.new_ids = {id};
    return given.after(command).id;
}

Id make_approved(Given& given, Id id, RequestTimeOff const& command) {
    make_request(given, id, command);
    given.after(ApproveTimeOff{id});
    return id;
}

void act_for_oneself(Given& given, Id staff) {
    given.context.own_only = true;
    given.context.staff = staff;
    given.context.role = events::Role::staff;
}

AssignStaff assignment_of(Id shift, Id staff = kAway) {
    AssignStaff command;
    command.id = shift;
    command.staffIds = {staff};
    return command;
}

std::vector<std::string> warning_codes(Decision const& decision) {
    std::vector<std::string> all;
    for (auto const& warning : decision.warnings) all.push_back(warning.code);
    return all;
}

TEST(RequestTimeOff, TakesWholeDaysByTheClocksOfThePersonsFacility) {
    auto given = given_workers();
    auto command = asking(kAway, "2026-08-03", "2026-08-07");
    command.type = TimeOffType::personal;
    command.note = core::LongText("A wedding");
    auto const off = given.after(command);
    EXPECT_EQ(off.status, TimeOffStatus::pending);
    EXPECT_EQ(off.type, TimeOffType::personal);
    EXPECT_EQ(off.note.value.value, "A wedding");
    EXPECT_EQ(off.timezone, "America/New_York");
    EXPECT_EQ(off.startsAt, at("2026-08-03T04:00:00Z"));
    EXPECT_EQ(off.endsAt, at("2026-08-08T04:00:00Z"));
    EXPECT_EQ(off.requestedBy.value, 3);
    EXPECT_FALSE(off.decidedBy.value);
    given.staff(13, {1, 2}).staff(14);
    for (Id const several : {13, 14})
        EXPECT_EQ(given.after(asking(several, "2026-08-03", "2026-08-03")).timezone, "Europe/Berlin");
}

TEST(RequestTimeOff, TakesPartsOfDays) {
    auto given = given_workers();
    auto night = asking(kAway, "2026-08-03", "2026-08-04");
    night.startTime = clock("22:00");
    night.endTime = clock("06:00");
    auto const off = given.after(night);
    EXPECT_EQ(off.startsAt, at("2026-08-04T02:00:00Z"));
    EXPECT_EQ(off.endsAt, at("2026-08-04T10:00:00Z"));
    auto skipped =
        asking(kStaying, "2026-03-08", "2026-03-08");  // no clock of New York shows these, and 03:15 comes before 03:30
    skipped.startTime = clock("02:30");
    skipped.endTime = clock("03:15");
    EXPECT_EQ(given.when(skipped).summary(), "VALIDATION_ERROR");
}

TEST(RequestTimeOff, RefusesDaysThatAreNone) {
    auto const faults = [](std::string const& members) {
        return tests::faults_in<RequestTimeOff>(R"({"type":"sick",)" + members + "}");
    };
    EXPECT_EQ(faults(R"("startDate":"2026-08-03","endDate":"2026-08-03")"), "");
    EXPECT_EQ(faults(R"("startDate":"2026-08-03","endDate":"2026-08-02")"), "endDate order");
    EXPECT_EQ(faults(R"("startDate":"2026-01-01","endDate":"2027-01-01")"), "");
    EXPECT_EQ(faults(R"("startDate":"2026-01-01","endDate":"2027-01-02")"), "endDate range");
    EXPECT_EQ(faults(R"("startDate":"1999-12-31","endDate":"2101-01-01")"), "startDate range, endDate range");
    EXPECT_EQ(faults(R"("startDate":"2026-08-03","endDate":"2026-08-03","startTime":"08:00","endTime":"08:00")"),
              "endTime order");
    EXPECT_EQ(faults(R"("startDate":"2026-08-03","endDate":"2026-08-04","startTime":"22:00","endTime":"06:00")"), "");
    EXPECT_EQ(tests::faults_in<RequestTimeOff>("{}"), "type required, startDate required, endDate required");
}

TEST(RequestTimeOff, IsOfPeopleWhomTheCallerReaches) {
    auto given = given_workers();
    EXPECT_EQ(given.when(asking(99, "2026-08-03", "2026-08-03")).summary(), "NOT_FOUND");
    auto unnamed = asking(kAway, "2026-08-03", "2026-08-03");
    unnamed.staffId.reset();
    EXPECT_EQ(given.when(unnamed).summary(), "VALIDATION_ERROR") << "the caller is no staff member";
    given.context.facilities = {2};
    EXPECT_EQ(given.when(asking(kAway, "2026-08-03", "2026-08-03")).summary(), "NOT_FOUND");
    act_for_oneself(given, kAway);
    EXPECT_EQ(given.after(unnamed).staffId, kAway) << "people are bound nowhere for what is their own";
    EXPECT_EQ(given.when(asking(kStaying, "2026-08-03", "2026-08-03")).summary(), "NOT_FOUND");
    given.context.actor.type = events::ActorType::api_key;
    EXPECT_EQ(given.when(asking(kAway, "2026-08-10", "2026-08-10")).summary(), "NOT_FOUND") << "a key is bound";
    given.context.facilities = {1};
    EXPECT_EQ(given.when(asking(kAway, "2026-08-10", "2026-08-10")).summary(), "time_off.requested");
    given.event({events::Kind::staff, kAway}, events::StaffEvent(events::StaffDeactivated{}));
    EXPECT_EQ(given.when(asking(kAway, "2026-08-10", "2026-08-10")).summary(), "STAFF_INACTIVE");
}

TEST(RequestTimeOff, OverlapsNoOtherThatStands) {
    auto given = given_workers();
    make_request(given, 201, asking(kAway, "2026-08-03", "2026-08-07"));
    auto const again = given.when(asking(kAway, "2026-08-07", "2026-08-09"));
    EXPECT_EQ(again.summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(again.details(), R"({"existingId":201})");
    EXPECT_EQ(given.when(asking(kAway, "2026-08-08", "2026-08-09")).summary(), "time_off.requested") << "it touches";
    EXPECT_EQ(given.when(asking(kStaying, "2026-08-07", "2026-08-09")).summary(), "time_off.requested")
        << "somebody else's";
    given.after(ApproveTimeOff{201});
    EXPECT_EQ(given.when(asking(kAway, "2026-01-01", "2027-01-01")).summary(), "DUPLICATE_RESOURCE");
    given.after(CancelTimeOff{201});
    EXPECT_EQ(given.when(asking(kAway, "2026-08-07", "2026-08-09")).summary(), "time_off.requested");
    make_request(given, 202, asking(kAway, "2026-08-07", "2026-08-09"));
    given.after(DeclineTimeOff{202, {}});
    EXPECT_EQ(given.when(asking(kAway, "2026-08-07", "2026-08-09")).summary(), "time_off.requested");
}

TEST(DecideTimeOff, MovesAsTheStatesSay) {
    auto const outcomes = [](Given const& given, Id id) {
        return std::vector{given.when(ApproveTimeOff{id}).summary(), given.when(DeclineTimeOff{id, {}}).summary(),
                           given.when(CancelTimeOff{id}).summary()};
    };
    auto given = given_workers();
    make_request(given, 201, asking(kAway, "2026-08-03", "2026-08-03"));
    EXPECT_THAT(outcomes(given, 201),
                testing::ElementsAre("time_off.approved", "time_off.declined", "time_off.cancelled"));
    given.after(ApproveTimeOff{201});
    EXPECT_THAT(outcomes(given, 201),
                testing::ElementsAre("nothing", "INVALID_STATE_TRANSITION", "time_off.cancelled"));
    EXPECT_EQ(given.when(CancelTimeOff{201}).event<events::TimeOffCancelled>().from, TimeOffStatus::approved);
    given.after(CancelTimeOff{201});
    EXPECT_THAT(outcomes(given, 201),
                testing::ElementsAre("INVALID_STATE_TRANSITION", "INVALID_STATE_TRANSITION", "nothing"));
    make_request(given, 202, asking(kAway, "2026-08-03", "2026-08-03"));
    auto const declined = given.after(DeclineTimeOff{202, core::LongText("Too few people")});
    EXPECT_EQ(declined.declineReason.value.value, "Too few people");
    EXPECT_EQ(declined.decidedBy.value, 3);
    EXPECT_EQ(declined.decidedAt.value, given.context.now);
    EXPECT_THAT(outcomes(given, 202),
                testing::ElementsAre("INVALID_STATE_TRANSITION", "nothing", "INVALID_STATE_TRANSITION"));
    given.context.facilities = {2};
    EXPECT_THAT(outcomes(given, 202), testing::Each("NOT_FOUND"));
}

TEST(ApproveTimeOff, IsNobodysOwnButAnAdmins) {
    auto given = given_workers();
    make_request(given, 201, asking(kAway, "2026-08-03", "2026-08-03"));
    given.context.staff = kAway;
    given.context.role = events::Role::manager;
    EXPECT_EQ(given.when(ApproveTimeOff{201}).summary(), "SELF_APPROVAL_FORBIDDEN");
    EXPECT_EQ(given.when(DeclineTimeOff{201, {}}).summary(), "time_off.declined");
    for (auto const role : {events::Role::admin, events::Role::super_admin}) {
        given.context.role = role;
        EXPECT_EQ(given.when(ApproveTimeOff{201}).summary(), "time_off.approved");
    }
    given.context.role = events::Role::manager;
    given.context.staff = kStaying;
    EXPECT_EQ(given.when(ApproveTimeOff{201}).summary(), "time_off.approved");
}

TEST(ApproveTimeOff, WarnsOfShiftsMeanwhile) {
    auto given = given_workers();
    given.shift(50, 1, "2026-08-03", "08:00", "16:00", 1, {kAway})
        .shift(51, 2, "2026-08-04", "08:00", "16:00", 1, {kAway});
    given.shift(52, 1, "2026-08-05", "08:00", "16:00", 1, {kStaying})
        .shift(53, 1, "2026-08-08", "08:00", "16:00", 1, {kAway});
    given.shift(54, 1, "2026-08-06", "08:00", "16:00", 1, {kAway});
    given.on_shift(54, events::ShiftStarted{}).on_shift(54, events::ShiftCompleted{});
    make_request(given, 201, asking(kAway, "2026-08-03", "2026-08-07"));
    auto const shifts = [&] {
        std::vector<std::optional<Id>> ids;
        auto const outcome = given.when(ApproveTimeOff{201});
        for (auto const& warning : outcome.result->warnings) ids.push_back(warning.shiftId);
        return ids;
    };
    EXPECT_THAT(shifts(), testing::ElementsAre(50, 51));
    given.context.facilities = {1};
    EXPECT_THAT(shifts(), testing::ElementsAre(std::optional<Id>(50), std::nullopt))
        << "of which the caller sees nothing";
    auto const answer = given.after(ApproveTimeOff{201});
    EXPECT_EQ(answer.status, TimeOffStatus::approved);
    ASSERT_TRUE(answer.warnings);
    EXPECT_EQ(answer.warnings->size(), 2U);
    EXPECT_EQ(given.view().get<events::ShiftRecord>(50)->shift.assignedStaffIds, std::vector<Id>{kAway})
        << "they stay on it";
    EXPECT_EQ(given.after(ApproveTimeOff{201}).warnings->size(), 2U) << "asked again";
    make_approved(given, 202, asking(kStaying, "2026-09-01", "2026-09-01"));
    EXPECT_FALSE(given.after(ApproveTimeOff{202}).warnings);
}

TEST(CancelTimeOff, EndsForOneselfOnceApprovedTimeHasBegun) {
    auto given = given_workers();
    make_approved(given, 201, asking(kAway, "2026-08-03", "2026-08-07"));
    make_request(given, 202, asking(kAway, "2026-08-10", "2026-08-10"));
    auto planner = given.context;
    act_for_oneself(given, kAway);
    EXPECT_EQ(given.when(CancelTimeOff{201}).summary(), "time_off.cancelled");
    given.context.now = at("2026-08-03T04:00:00Z");
    EXPECT_EQ(given.when(CancelTimeOff{201}).summary(), "INVALID_STATE_TRANSITION");
    given.context.now = at("2026-08-11T04:00:00Z");
    EXPECT_EQ(given.when(CancelTimeOff{202}).summary(), "time_off.cancelled") << "nobody decided on it";
    given.context.staff = kStaying;
    EXPECT_EQ(given.when(CancelTimeOff{202}).summary(), "NOT_FOUND");
    planner.now = given.context.now;
    given.context = planner;
    EXPECT_EQ(given.when(CancelTimeOff{201}).summary(), "time_off.cancelled");
}

TEST(TimeOffRule, BlocksAssignmentsOfThatTimeAlone) {
    auto given = given_workers();
    given.shift(50, 1, "2026-08-03", "08:00", "16:00").shift(51, 1, "2026-08-02", "16:00", "00:00");
    make_request(given, 201, asking(kAway, "2026-08-03", "2026-08-03"));
    EXPECT_EQ(given.when(assignment_of(50)).summary(), "shift.staff_assigned shift.filled") << "it is pending";
    given.after(ApproveTimeOff{201});
    auto const refused = given.when(assignment_of(50));
    EXPECT_EQ(refused.summary(), "STAFF_ON_TIME_OFF");
    EXPECT_NE(refused.details().find(R"("code":"STAFF_ON_TIME_OFF")"), std::string::npos) << refused.details();
    EXPECT_EQ(given.when(assignment_of(51)).summary(), "shift.staff_assigned shift.filled") << "it touches";
    EXPECT_EQ(given.when(assignment_of(50, kStaying)).summary(), "shift.staff_assigned shift.filled");
    given.context.may_override = true;
    auto command = assignment_of(50);
    command.override_ = true;
    EXPECT_EQ(given.when(command).event<events::ShiftStaffAssigned>().overrides.at(0).rule, "timeOff");
    given.after(CancelTimeOff{201});
    EXPECT_EQ(given.when(assignment_of(50)).summary(), "shift.staff_assigned shift.filled");
}

TEST(TimeOffRule, FollowsItsLevel) {
    for (auto const& [level, warned] :
         {std::pair{events::RuleLevel::flag, std::vector<std::string>{"STAFF_ON_TIME_OFF"}},
          std::pair{events::RuleLevel::allow, std::vector<std::string>{}}}) {
        events::SchedulingRules rules;
        rules.timeOff = level;
        auto given = given_workers(rules);
        given.shift(50, 1, "2026-08-03", "08:00", "16:00");
        make_approved(given, 201, asking(kAway, "2026-08-01", "2026-08-31"));
        EXPECT_EQ(warning_codes(*given.when(assignment_of(50)).result), warned);
    }
}

TEST(TimeOffRule, StopsTimesThatComeIntoItAndNoOthers) {
    auto given = given_workers();
    given.shift(50, 1, "2026-08-02", "08:00", "16:00", 1, {kAway});
    make_approved(given, 201, asking(kAway, "2026-08-03", "2026-08-04"));
    UpdateShift command;
    command.id = 50;
    command.date = day("2026-08-03");
    EXPECT_EQ(given.when(command).summary(), "STAFF_ON_TIME_OFF");
    given.context.may_override = true;
    given.shift(51, 1, "2026-08-03", "08:00", "16:00");
    auto assigned = assignment_of(51);
    assigned.override_ = true;
    given.after(assigned);
    command.id = 51;
    command.date = day("2026-08-04");
    EXPECT_THAT(warning_codes(*given.when(command).result), testing::ElementsAre("STAFF_ON_TIME_OFF"))
        << "it gets no worse";
}

TEST(TimeOff, KeepsNothingThatWasSaidOfWhoIsErased) {
    auto given = given_workers();
    auto command = asking(kAway, "2026-08-03", "2026-08-03");
    command.note = core::LongText("A wedding");
    make_request(given, 201, command);
    given.after(DeclineTimeOff{201, core::LongText("Too few people")});
    given.after(ErasePerson{{"asked for", "ops"}, {events::Kind::staff, kAway}});
    auto const& record = *given.view().get<events::TimeOffRecord>(201);
    EXPECT_EQ(record.note.value.value + record.declineReason.value.value, "");
    EXPECT_TRUE(record.internals.holderErased);
    EXPECT_EQ(record.startDate, day("2026-08-03"));
}

}  // namespace
}  // namespace workforce::commands
