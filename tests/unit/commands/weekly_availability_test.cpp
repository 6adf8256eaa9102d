// Weekly availability: who says it, which minutes of a shift it leaves out, and what that does to assignments.
#include "commands/weekly_availability.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::AvailabilityBlock;
using tests::at;
using tests::clock;
using tests::Given;

constexpr Id kWeekly = 11;

AvailabilityBlock weekly_block(int weekday, std::string_view from, std::string_view to) {
    return {weekday, clock(from), clock(to)};
}

events::ShiftSpan shift_span(std::string_view starts, std::string_view ends, std::string const& zone = "UTC") {
    return {zone, at(starts), at(ends)};
}

/// Facility 1 with those rules, and Ada. The 20th of July 2026 is a Monday.
Given given_ada(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "UTC", rules).facility(2).staff(kWeekly, {1});
    return given;
}

AssignStaff adas_assignment(Id shift) {
    AssignStaff command;
    command.id = shift;
    command.staffIds = {kWeekly};
    return command;
}

std::string warned_of(tests::Outcome const& outcome) {
    if (!outcome.result) return outcome.summary() + " refused";
    std::string codes;
    for (auto const& warning : outcome.result->warnings) codes += (codes.empty() ? "" : " ") + warning.code;
    return codes;
}

TEST(MinutesOutside, AreThoseThatNoBlockHas) {
    std::vector const week{weekly_block(1, "08:00", "16:00"), weekly_block(1, "15:00", "18:00"),
                           weekly_block(5, "22:00", "06:00"), weekly_block(7, "00:00", "00:00")};
    struct {
        std::string_view starts, ends;
        std::int64_t outside;
    } const cases[] = {
        {"2026-07-20T08:00:00Z", "2026-07-20T16:00:00Z", 0},    // a Monday
        {"2026-07-20T08:00:00Z", "2026-07-20T18:00:00Z", 0},    // by two blocks that overlap
        {"2026-07-20T07:30:00Z", "2026-07-20T18:15:00Z", 45},   //
        {"2026-07-21T08:00:00Z", "2026-07-21T16:00:00Z", 480},  // a Tuesday
        {"2026-07-24T22:00:00Z", "2026-07-25T06:00:00Z", 0},    // over a midnight
        {"2026-07-25T02:00:00Z", "2026-07-25T07:00:00Z", 60},   // the end of it
        {"2026-07-26T00:00:00Z", "2026-07-27T00:00:00Z", 0},    // a Sunday, all of it
        {"2026-07-26T20:00:00Z", "2026-07-27T09:00:00Z", 480},  // and into the next week
        {"2026-07-19T23:00:00Z", "2026-07-20T08:30:00Z", 480},  //
    };
    for (auto const& c : cases) EXPECT_EQ(minutes_outside(shift_span(c.starts, c.ends), week), c.outside) << c.starts;
    EXPECT_EQ(minutes_outside(shift_span("2026-07-21T08:00:00Z", "2026-07-21T16:00:00Z"), {}), 0) << "nothing is said";
}

TEST(MinutesOutside, GoByTheClocksOfTheShift) {
    std::vector const week{weekly_block(7, "22:00", "06:00")};
    EXPECT_EQ(minutes_outside(shift_span("2026-07-20T02:00:00Z", "2026-07-20T10:00:00Z", "America/New_York"), week), 0);
    EXPECT_EQ(minutes_outside(shift_span("2026-07-19T22:00:00Z", "2026-07-20T06:00:00Z", "America/New_York"), week),
              240);
    // A night of nine hours, over the end of summer time.
    EXPECT_EQ(minutes_outside(shift_span("2026-11-01T02:00:00Z", "2026-11-01T11:00:00Z", "America/New_York"),
                              std::vector{weekly_block(6, "22:00", "06:00")}),
              0);
    // A Sunday night into a Monday begins in the week before.
    EXPECT_EQ(minutes_outside(shift_span("2026-07-20T05:00:00Z", "2026-07-20T06:00:00Z"), week), 0);
}

TEST(SetAvailability, ReplacesWhatWasSaid) {
    auto given = given_ada();
    auto const said =
        given.after(SetAvailability{kWeekly, {weekly_block(1, "08:00", "16:00"), weekly_block(2, "08:00", "16:00")}});
    EXPECT_EQ(said.staffId, kWeekly);
    EXPECT_EQ(said.blocks.size(), 2U);
    EXPECT_EQ(said.updatedAt.value, given.context.now);
    auto const before = given.context.now;
    given.context.now.ms += 1000;
    EXPECT_EQ(given.when(SetAvailability{kWeekly, said.blocks}).summary(), "nothing");
    EXPECT_EQ(given.after(SetAvailability{kWeekly, said.blocks}).updatedAt.value, before);
    auto const gone = given.after(SetAvailability{kWeekly, {}});
    EXPECT_TRUE(gone.blocks.empty());
    EXPECT_EQ(gone.updatedAt.value, given.context.now);
    EXPECT_EQ(tests::faults_in<SetAvailability>(R"({"blocks":[{"weekday":8,"from":"08:00","to":"24:00"},{}]})"),
              "blocks[0].weekday range, blocks[0].to time, blocks[1].weekday required, blocks[1].from required, "
              "blocks[1].to required");
}

TEST(SetAvailability, IsOfPeopleWhomTheCallerReaches) {
    auto given = given_ada();
    given.staff(12, {1});
    EXPECT_EQ(given.when(SetAvailability{99, {}}).summary(), "NOT_FOUND");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(SetAvailability{kWeekly, {}}).summary(), "NOT_FOUND");
    given.context.own_only = true;
    given.context.staff = kWeekly;
    EXPECT_EQ(given.when(SetAvailability{kWeekly, {weekly_block(1, "08:00", "16:00")}}).summary(),
              "staff.availability_set");
    EXPECT_EQ(given.when(SetAvailability{12, {}}).summary(), "NOT_FOUND");
}

TEST(AvailabilityRule, FlagsShiftsThatLieOutside) {
    auto given = given_ada();
    given.shift(50, 1, "2026-07-20", "08:00", "17:00").shift(51, 1, "2026-07-20", "08:00", "16:00");
    EXPECT_EQ(warned_of(given.when(adas_assignment(50))), "") << "nothing is said";
    given.after(SetAvailability{kWeekly, {weekly_block(1, "08:00", "16:00")}});
    EXPECT_EQ(warned_of(given.when(adas_assignment(50))), "STAFF_UNAVAILABLE");
    EXPECT_THAT(given.when(adas_assignment(50)).result->warnings.at(0).message, testing::StartsWith("60 minutes "));
    EXPECT_EQ(warned_of(given.when(adas_assignment(51))), "");
}

TEST(AvailabilityRule, FollowsItsLevel) {
    for (auto const& [level, outcome] :
         {std::pair{events::RuleLevel::block, "STAFF_UNAVAILABLE refused"}, std::pair{events::RuleLevel::allow, ""}}) {
        events::SchedulingRules rules;
        rules.unavailable = level;
        auto given = given_ada(rules);
        given.shift(50, 1, "2026-07-21", "08:00", "16:00");
        given.after(SetAvailability{kWeekly, {weekly_block(1, "08:00", "16:00")}});
        EXPECT_EQ(warned_of(given.when(adas_assignment(50))), outcome);
    }
}

TEST(AvailabilityRule, StopsNoTimesThatLieOutsideNoFurther) {
    events::SchedulingRules rules;
    rules.unavailable = events::RuleLevel::block;
    auto given = given_ada(rules);
    given.shift(50, 1, "2026-07-20", "08:00", "18:00", 1, {kWeekly});
    given.after(SetAvailability{kWeekly, {weekly_block(1, "08:00", "16:00")}});
    UpdateShift command;
    command.id = 50;
    command.endTime = clock("17:00");
    EXPECT_EQ(warned_of(given.when(command)), "STAFF_UNAVAILABLE") << "an hour less than before";
    command.endTime = clock("19:00");
    EXPECT_EQ(warned_of(given.when(command)), "STAFF_UNAVAILABLE refused");
}

TEST(Availability, EndsWithThePerson) {
    auto given = given_ada();
    given.after(SetAvailability{kWeekly, {weekly_block(1, "08:00", "16:00")}});
    given.after(ErasePerson{{"asked for", "ops"}, {events::Kind::staff, kWeekly}});
    auto const& said = given.view().get<events::StaffRecord>(kWeekly)->internals.availability;
    EXPECT_TRUE(said.blocks.empty());
    EXPECT_FALSE(said.updatedAt.value);
}

}  // namespace
}  // namespace workforce::commands
