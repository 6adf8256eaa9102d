// Shift templates: what may be said of one, who may, and the shifts that it makes: once for each day, by the clocks
// there.
#include "commands/shift_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/facility.hpp"
#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using events::Kind;
using testing::ElementsAre;
using tests::clock;
using tests::day;
using tests::Given;

constexpr Id kPatternId = 21;

CreateShiftTemplate pattern_on(events::Weekdays weekdays, std::string_view start = "22:00",
                               std::string_view end = "06:00") {
    CreateShiftTemplate command;
    command.facilityId = 1;
    command.title = "Night watch";
    command.weekdays = std::move(weekdays);
    command.startTime = clock(start);
    command.endTime = clock(end);
    return command;
}

/// A template at facility 1, in New York; facility 2 is in UTC.
Given given_pattern(CreateShiftTemplate const& command = pattern_on({1, 3})) {
    Given given;
    given.organization().facility(1, "America/New_York").facility(2);
    given.context.new_ids = {kPatternId};
    given.after(command);
    return given;
}

/// Ids from 1000 on, as many as a command may take; those that were given before are passed over.
void give_generation_ids(Given& given) {
    static Id last = 1000;
    given.context.new_ids.clear();
    for (int i = 0; i < kMostTemplateDays; ++i) given.context.new_ids.push_back(++last);
}

GenerateShifts generation_of(std::string_view from, std::string_view to) {
    GenerateShifts command;
    command.id = kPatternId;
    command.from = day(from);
    command.to = day(to);
    return command;
}

GeneratedShifts generate_between(Given& given, std::string_view from, std::string_view to) {
    give_generation_ids(given);
    return given.after(generation_of(from, to));
}

std::vector<std::string> generated_dates(GeneratedShifts const& generated) {
    std::vector<std::string> dates;
    for (auto const& shift : generated.data) dates.push_back(core::to_string(shift.date));
    return dates;
}

UpdateShiftTemplate pattern_change() {
    UpdateShiftTemplate command;
    command.id = kPatternId;
    return command;
}

TEST(CreateShiftTemplate, HasItsDaysInTheirOrder) {
    auto given = given_pattern(pattern_on({7, 1, 3}));
    auto const* made = given.view().get<events::ShiftTemplateRecord>(kPatternId);
    EXPECT_THAT(made->weekdays, ElementsAre(1, 3, 7));
    EXPECT_TRUE(made->isActive);
    EXPECT_EQ(made->urgency, events::Urgency::medium);
}

TEST(CreateShiftTemplate, TakesWhatABodySays) {
    auto const faults = [](std::string const& members) {
        return tests::faults_in<CreateShiftTemplate>(R"({"facilityId":1,"title":"Night")" + members + "}");
    };
    constexpr auto kTimes = R"(,"startTime":"22:00","endTime":"06:00")";
    EXPECT_EQ(faults(std::string(R"(,"weekdays":[1,7])") + kTimes), "");
    EXPECT_EQ(faults(std::string(R"(,"weekdays":[])") + kTimes), "weekdays min_items");
    EXPECT_EQ(faults(std::string(R"(,"weekdays":[2,2])") + kTimes), "weekdays unique");
    EXPECT_EQ(faults(std::string(R"(,"weekdays":[0,8])") + kTimes), "weekdays[0] range, weekdays[1] range");
    EXPECT_EQ(faults(R"(,"weekdays":[1],"startTime":"06:00","endTime":"06:00")"), "endTime order");
    EXPECT_EQ(faults(""), "weekdays required, startTime required, endTime required");
}

TEST(CreateShiftTemplate, IsOfAFacilityThatShiftsMayBeOf) {
    auto given = given_pattern();
    given.context.facilities = {2};
    EXPECT_EQ(given.when(pattern_on({1})).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {};
    given.after(DeactivateFacility{1});
    EXPECT_EQ(given.when(pattern_on({1})).summary(), "INVALID_STATE_TRANSITION");
}

TEST(UpdateShiftTemplate, ChangesWhatIsGiven) {
    auto given = given_pattern();
    auto command = pattern_change();
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.weekdays = events::Weekdays{3, 1};
    EXPECT_EQ(given.when(command).summary(), "nothing") << "they are the same days";
    command.weekdays = events::Weekdays{5, 2};
    command.facilityId = 1;
    EXPECT_EQ(given.when(command).summary(), "shift_template.updated");
    EXPECT_THAT(given.after(command).weekdays, ElementsAre(2, 5));
    command.facilityId = 2;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    command = pattern_change();
    command.startTime = clock("06:00");
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR") << "which is its end";
}

TEST(UpdateShiftTemplate, IsForWhoReachesIt) {
    auto given = given_pattern();
    given.context.facilities = {2};
    auto command = pattern_change();
    command.isActive = false;
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeleteShiftTemplate{kPatternId}).summary(), "NOT_FOUND");
    give_generation_ids(given);
    EXPECT_EQ(given.when(generation_of("2026-08-03", "2026-08-09")).summary(), "NOT_FOUND");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(command).summary(), "shift_template.updated");
}

TEST(DeleteShiftTemplate, LeavesItsShifts) {
    auto given = given_pattern();
    auto const shift = generate_between(given, "2026-08-03", "2026-08-03").data.at(0).id;
    given.after(DeleteShiftTemplate{kPatternId});
    EXPECT_EQ(given.when(DeleteShiftTemplate{kPatternId}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(generation_of("2026-08-03", "2026-08-09")).summary(), "NOT_FOUND");
    EXPECT_EQ(given.view().get<events::ShiftRecord>(shift)->shift.templateId.value, kPatternId);
}

TEST(GenerateShifts, MakesOneForEachDayOfThePattern) {
    auto command = pattern_on({1, 3});
    command.requiredWorkers = 3;
    command.notes = "Use the south entrance.";
    command.breaks = {{30, true}};
    auto given = given_pattern(command);
    auto const generated = generate_between(given, "2026-08-03", "2026-08-12");
    EXPECT_THAT(generated_dates(generated), ElementsAre("2026-08-03", "2026-08-05", "2026-08-10", "2026-08-12"));
    EXPECT_EQ(generated.created, 4);
    EXPECT_EQ(generated.existing, 0);
    auto const& first = generated.data.at(0);
    EXPECT_EQ(first.templateId.value, kPatternId);
    EXPECT_EQ(first.title.value, "Night watch");
    EXPECT_EQ(first.requiredWorkers.value, 3);
    EXPECT_EQ(first.openSpots, 3);
    EXPECT_EQ(first.notes.value, "Use the south entrance.");
    EXPECT_EQ(first.breaks.at(0).minutes, 30);
    EXPECT_EQ(core::to_string(first.startsAt), "2026-08-04T02:00:00.000Z");
    EXPECT_EQ(core::to_string(first.endsAt), "2026-08-04T10:00:00.000Z");
}

TEST(GenerateShifts, MakesNoDayTwice) {
    auto given = given_pattern();
    generate_between(given, "2026-08-03", "2026-08-05");
    give_generation_ids(given);
    EXPECT_EQ(given.when(generation_of("2026-08-03", "2026-08-05")).summary(), "nothing");
    auto const wider = generate_between(given, "2026-08-01", "2026-08-10");
    EXPECT_THAT(generated_dates(wider), ElementsAre("2026-08-10"));
    EXPECT_EQ(wider.existing, 2);
    auto const none = generate_between(given, "2026-08-04", "2026-08-04");
    EXPECT_EQ(none.created + none.existing, 0) << "a Tuesday";
}

TEST(GenerateShifts, LeavesWhatWasDeletedOrMoved) {
    auto given = given_pattern();
    auto const made = generate_between(given, "2026-08-03", "2026-08-05");
    given.after(DeleteShift{made.data.at(0).id});
    UpdateShift moved;
    moved.id = made.data.at(1).id;
    moved.date = day("2026-08-12");
    given.after(moved);
    auto const again = generate_between(given, "2026-08-03", "2026-08-12");
    EXPECT_THAT(generated_dates(again), ElementsAre("2026-08-10", "2026-08-12")) << "the moved one is the 5th's";
    EXPECT_EQ(again.existing, 2);
}

TEST(GenerateShifts, FollowsWhatTheTemplateIsByThen) {
    auto given = given_pattern();
    generate_between(given, "2026-08-03", "2026-08-03");
    auto command = pattern_change();
    command.weekdays = events::Weekdays{1, 2};
    command.title = core::Name("Late");
    given.after(command);
    auto const again = generate_between(given, "2026-08-03", "2026-08-09");
    EXPECT_THAT(generated_dates(again), ElementsAre("2026-08-04"));
    EXPECT_EQ(again.data.at(0).title.value, "Late");
    command = pattern_change();
    command.isActive = false;
    given.after(command);
    auto const refused = given.when(generation_of("2026-08-10", "2026-08-12"));
    EXPECT_EQ(refused.summary(), "INVALID_STATE_TRANSITION");
    EXPECT_THAT(refused.details(), testing::HasSubstr(R"("allowed":["update"])"));
}

TEST(GenerateShifts, AsksOfAShiftWhatItsOwnCreationAsks) {
    auto given = given_pattern();
    give_generation_ids(given);
    given.after(DeactivateFacility{1});
    EXPECT_EQ(given.when(generation_of("2026-08-03", "2026-08-09")).summary(), "INVALID_STATE_TRANSITION");
}

TEST(GenerateShifts, GoesByTheClocksOfEachDay) {
    auto given = given_pattern(pattern_on({6, 7}));
    auto const made = generate_between(given, "2026-10-31", "2026-11-01");  // the first night has an hour more
    EXPECT_EQ(made.data.at(0).endsAt.ms - made.data.at(0).startsAt.ms, 9 * 3'600'000);
    EXPECT_EQ(made.data.at(1).endsAt.ms - made.data.at(1).startsAt.ms, 8 * 3'600'000);
    // 02:15 is skipped on 2026-03-08 and moves behind 03:00.
    given = given_pattern(pattern_on({1, 7}, "02:15", "03:00"));
    give_generation_ids(given);
    auto const refused = given.when(generation_of("2026-03-01", "2026-03-09"));
    EXPECT_EQ(refused.summary(), "VALIDATION_ERROR") << "and nothing of the other days";
    EXPECT_THAT(refused.details(), testing::HasSubstr(" on 2026-03-08"));
    EXPECT_THAT(refused.details(), testing::Not(testing::HasSubstr("2026-03-01: ")));
}

TEST(GenerateShifts, TakesADayTo92) {
    EXPECT_EQ(tests::faults_in<GenerateShifts>(R"({"from":"2026-08-01","to":"2026-08-01"})"), "");
    EXPECT_EQ(tests::faults_in<GenerateShifts>(R"({"from":"2026-08-01","to":"2026-10-31"})"), "");
    EXPECT_EQ(tests::faults_in<GenerateShifts>(R"({"from":"2026-08-01","to":"2026-11-01"})"), "to range");
    EXPECT_EQ(tests::faults_in<GenerateShifts>(R"({"from":"2026-08-02","to":"2026-08-01"})"), "to order");
    EXPECT_EQ(tests::faults_in<GenerateShifts>(R"({"from":"1999-12-31","to":"2000-01-01"})"), "from range");
    EXPECT_EQ(tests::faults_in<GenerateShifts>(R"({"from":"2100-12-31","to":"2101-01-01"})"), "to range");
    EXPECT_EQ(tests::faults_in<GenerateShifts>("{}"), "from required, to required");
}

}  // namespace
}  // namespace workforce::commands
