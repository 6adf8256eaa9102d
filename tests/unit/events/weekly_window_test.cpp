// Times of the week on wall clocks.
#include "events/weekly_window.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::events {
namespace {

using tests::faults_in;

WeeklyWindow window(std::vector<core::Int<1, 7>> days, std::string_view from, std::string_view to,
                    std::string zone = "UTC") {
    return {std::move(days), tests::clock(from), tests::clock(to), core::TimeZoneName(std::move(zone))};
}

bool holds(WeeklyWindow const& window, std::string_view moment) {
    return contains(window, core::local_time(tests::at(moment), window.timezone.value));
}

TEST(WeeklyWindow, BeginsAtFromAndEndsBeforeTo) {
    auto const fridays = window({5}, "08:00", "17:00");  // 2026-07-24 is a Friday
    EXPECT_FALSE(holds(fridays, "2026-07-24T07:59:59Z"));
    EXPECT_TRUE(holds(fridays, "2026-07-24T08:00:00Z"));
    EXPECT_TRUE(holds(fridays, "2026-07-24T16:59:59Z"));
    EXPECT_FALSE(holds(fridays, "2026-07-24T17:00:00Z"));
    EXPECT_FALSE(holds(fridays, "2026-07-25T08:00:00Z"));
}

TEST(WeeklyWindow, KnowsEachDay) {
    for (int day = 1; day <= 7; ++day) {
        auto const one = window({day}, "00:00", "00:00");
        for (int other = 1; other <= 7; ++other) {
            auto const moment = "2026-07-" + std::to_string(19 + other) + "T12:00:00Z";  // the 20th is a Monday
            EXPECT_EQ(holds(one, moment), day == other) << day << " " << moment;
        }
        EXPECT_EQ(contains(one, {{-3}, {0}}), day == 1) << "1969-12-29 was a Monday";
    }
}

TEST(WeeklyWindow, OverMidnightBelongsToTheDayOnWhichItBegan) {
    auto const nights = window({5}, "22:00", "06:00");
    EXPECT_TRUE(holds(nights, "2026-07-24T22:00:00Z"));
    EXPECT_TRUE(holds(nights, "2026-07-25T05:59:00Z"));
    EXPECT_FALSE(holds(nights, "2026-07-25T06:00:00Z"));
    EXPECT_FALSE(holds(nights, "2026-07-24T05:59:00Z")) << "that is Thursday's night";
    EXPECT_FALSE(holds(nights, "2026-07-25T22:00:00Z"));
    auto const sundays = window({7}, "22:00", "06:00");
    EXPECT_TRUE(holds(sundays, "2026-07-27T05:00:00Z")) << "Monday's morning is of Sunday's night";
}

TEST(WeeklyWindow, OfOneTimeLastsADay) {
    auto const day = window({5}, "08:00", "08:00");
    EXPECT_TRUE(holds(day, "2026-07-24T08:00:00Z"));
    EXPECT_TRUE(holds(day, "2026-07-25T07:59:00Z"));
    EXPECT_FALSE(holds(day, "2026-07-25T08:00:00Z"));
    EXPECT_FALSE(holds(day, "2026-07-24T07:59:00Z"));
}

TEST(WeeklyWindow, GoesByTheZonesClocks) {
    auto const there = window({5}, "08:00", "17:00", "America/New_York");
    EXPECT_FALSE(holds(there, "2026-07-24T11:59:00Z"));
    EXPECT_TRUE(holds(there, "2026-07-24T12:00:00Z"));
    EXPECT_TRUE(holds(there, "2026-07-24T20:59:00Z"));
    EXPECT_FALSE(holds(there, "2026-07-24T21:00:00Z"));
    auto const far = window({6}, "00:00", "06:00", "Pacific/Kiritimati");  // 14 hours ahead
    EXPECT_TRUE(holds(far, "2026-07-24T12:00:00Z")) << "Saturday there";
}

TEST(WeeklyWindow, OverAChangeOfTheClocks) {
    // In Berlin 2026-03-29 has no 02:30, and 2026-10-25 has it twice; both are Sundays.
    auto const skipped = window({7}, "02:00", "03:00", "Europe/Berlin");
    EXPECT_FALSE(holds(skipped, "2026-03-29T00:59:00Z")) << "01:59";
    EXPECT_FALSE(holds(skipped, "2026-03-29T01:00:00Z")) << "03:00: no clock showed a time within it";
    auto const around = window({7}, "01:30", "03:30", "Europe/Berlin");
    EXPECT_TRUE(holds(around, "2026-03-29T00:30:00Z"));
    EXPECT_TRUE(holds(around, "2026-03-29T01:29:00Z")) << "03:29";
    EXPECT_FALSE(holds(around, "2026-03-29T01:30:00Z")) << "03:30";
    for (auto const* moment : {"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"}) {
        EXPECT_TRUE(holds(skipped, moment)) << "02:30, twice";
    }
    EXPECT_FALSE(holds(skipped, "2026-10-25T02:00:00Z")) << "03:00";
    auto const night = window({6}, "22:00", "06:00", "Europe/Berlin");
    EXPECT_TRUE(holds(night, "2026-03-29T03:59:00Z")) << "05:59 in summer";
    EXPECT_FALSE(holds(night, "2026-03-29T04:00:00Z"));
    EXPECT_TRUE(holds(night, "2026-10-25T04:59:00Z")) << "05:59 in winter";
    EXPECT_FALSE(holds(night, "2026-10-25T05:00:00Z"));
}

TEST(WeeklyWindow, FaultsNameTheField) {
    EXPECT_EQ(faults_in<WeeklyWindow>(R"({"days":[1,7],"from":"22:00","to":"06:00","timezone":"Europe/Berlin"})"), "");
    EXPECT_EQ(faults_in<WeeklyWindow>(R"({"days":[],"from":"08:00","to":"17:00","timezone":"UTC"})"), "days min_items");
    EXPECT_EQ(faults_in<WeeklyWindow>(R"({"days":[1,1],"from":"08:00","to":"17:00","timezone":"UTC"})"), "days unique");
    EXPECT_EQ(faults_in<WeeklyWindow>(R"({"days":[0,8],"from":"08:00","to":"17:00","timezone":"UTC"})"),
              "days[0] range, days[1] range");
    EXPECT_EQ(faults_in<WeeklyWindow>(R"({"days":[1],"from":"8:00","to":"24:00","timezone":"Mars/Base"})"),
              "from time, to time, timezone time_zone");
    EXPECT_EQ(faults_in<WeeklyWindow>("{}"), "days required, from required, to required, timezone required");
}

}  // namespace
}  // namespace workforce::events
