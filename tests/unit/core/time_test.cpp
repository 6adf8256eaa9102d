// Texts of moments both ways, calendar edges, and wall clocks around changes of the clocks.
#include "core/time.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace workforce::core {
namespace {

std::string utc(std::string_view date, std::string_view time, std::string_view zone) {
    return to_string(to_utc(*parse_date(date), *parse_time_of_day(time), zone));
}

TEST(Time, TimestampsAsText) {
    EXPECT_EQ(to_string(Timestamp{0}), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(to_string(Timestamp{-1}), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(to_string(Timestamp{1'784'887'200'000}), "2026-07-24T10:00:00.000Z");
    EXPECT_EQ(to_string(Timestamp{951'782'400'123}), "2000-02-29T00:00:00.123Z");
    EXPECT_EQ(to_string(Timestamp{INT64_MAX}), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(to_string(Timestamp{INT64_MIN}), "0000-01-01T00:00:00.000Z");
}

TEST(Time, TimestampsFromText) {
    struct Case {
        std::string_view text, same;
    };
    for (auto const& [text, same] : {
             Case{"2026-07-24T10:00:00Z", "2026-07-24T10:00:00.000Z"},
             Case{"2026-07-24t10:00:00z", "2026-07-24T10:00:00.000Z"},
             Case{"2026-07-24T10:00:00.5Z", "2026-07-24T10:00:00.500Z"},
             Case{"2026-07-24T10:00:00.123456789Z", "2026-07-24T10:00:00.123Z"},
             Case{"2026-07-24T10:00:00.000999999Z", "2026-07-24T10:00:00.000Z"},
             Case{"2026-07-24T10:00:00+02:00", "2026-07-24T08:00:00.000Z"},
             Case{"2026-07-24T10:00:00-23:59", "2026-07-25T09:59:00.000Z"},
             Case{"2026-01-01T00:30:00+05:45", "2025-12-31T18:45:00.000Z"},
             Case{"1969-12-31T23:59:59.999-00:00", "1969-12-31T23:59:59.999Z"},
             Case{"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"},
             Case{"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
         }) {
        auto const parsed = parse_timestamp(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_EQ(to_string(*parsed), same) << text;
    }
}

TEST(Time, NonsenseIsNoTimestamp) {
    for (std::string_view const text : {
             "",
             "2026-07-24",
             "2026-07-24T10:00Z",
             "2026-07-24 10:00:00Z",
             "2026-07-24T10:00:00",
             "2026-07-24T10:00:00.Z",
             "2026-07-24T10:00:00.1234567890Z",
             "2026-07-24T24:00:00Z",
             "2026-07-24T10:60:00Z",
             "2016-12-31T23:59:60Z",
             "2026-02-29T10:00:00Z",
             "2026-13-01T10:00:00Z",
             "2026-00-01T10:00:00Z",
             "2026-01-00T10:00:00Z",
             "2026-07-24T10:00:00+24:00",
             "2026-07-24T10:00:00+02:60",
             "2026-07-24T10:00:00+0200",
             "2026-07-24T10:00:00ZZ",
             "2026-07-24T10:00:00Z ",
             " 2026-07-24T10:00:00Z",
             "26-07-24T10:00:00Z",
             "+026-07-24T10:00:00Z",
             "2026-7-24T10:00:00Z",
             "2026-07-24T-1:00:00Z",
             "2026-07-24T10:00:00.-5Z",
             "0000-01-01T00:00:00+00:01",
             "9999-12-31T23:59:59-00:01",
             "2026/07/24T10:00:00Z",
         }) {
        EXPECT_FALSE(parse_timestamp(text)) << text;
    }
}

TEST(Time, EveryDayOfSixCenturiesGoesThroughItsText) {
    for (std::int32_t days = -146'097; days < 73'049; ++days) {
        auto const text = to_string(Date{days});
        ASSERT_EQ(parse_date(text), Date{days}) << text;
        ASSERT_EQ(to_string(Timestamp{days * std::int64_t{86'400'000}}), text + "T00:00:00.000Z");
    }
}

TEST(Time, OnlyDaysOfTheCalendar) {
    EXPECT_EQ(parse_date("1970-01-01"), Date{0});
    EXPECT_EQ(parse_date("1969-12-31"), Date{-1});
    for (std::string_view const leap : {"2024-02-29", "2000-02-29", "1600-02-29"})
        EXPECT_TRUE(parse_date(leap)) << leap;
    for (std::string_view const text : {"2023-02-29", "1900-02-29", "2100-02-29", "2024-02-30", "2024-04-31",
                                        "2024-12-32", "2024-1-01", "2024-01-1", "20240101", "2024-01-01Z", ""}) {
        EXPECT_FALSE(parse_date(text)) << text;
    }
}

TEST(Time, TimesOfDay) {
    for (std::int16_t minutes = 0; minutes < 1440; ++minutes) {
        ASSERT_EQ(parse_time_of_day(to_string(TimeOfDay{minutes})), TimeOfDay{minutes});
    }
    EXPECT_EQ(to_string(TimeOfDay{1439}), "23:59");
    for (std::string_view const text : {"24:00", "23:60", "7:00", "07:0", "0700", "07:00:00", ""}) {
        EXPECT_FALSE(parse_time_of_day(text)) << text;
    }
}

TEST(TimeZones, Names) {
    for (std::string_view const zone : {"America/New_York", "Europe/Berlin", "UTC", "Asia/Kolkata"}) {
        EXPECT_TRUE(is_time_zone(zone)) << zone;
    }
    for (std::string_view const zone :
         {"", "Mars/Olympus", "America/New_York ", "../../etc/passwd", "america", "Europe", "localtime"}) {
        EXPECT_FALSE(is_time_zone(zone)) << zone;
    }
    EXPECT_THROW(to_utc(Date{0}, TimeOfDay{0}, "Mars/Olympus"), std::invalid_argument);
    EXPECT_THROW(local_date(Timestamp{0}, "Mars/Olympus"), std::invalid_argument);
}

TEST(TimeZones, WallClockToUtc) {
    EXPECT_EQ(utc("2026-01-15", "07:00", "America/New_York"), "2026-01-15T12:00:00.000Z");
    EXPECT_EQ(utc("2026-07-15", "07:00", "America/New_York"), "2026-07-15T11:00:00.000Z");
    EXPECT_EQ(utc("2026-07-15", "07:00", "Europe/Berlin"), "2026-07-15T05:00:00.000Z");
    EXPECT_EQ(utc("2026-07-15", "00:15", "Asia/Kolkata"), "2026-07-14T18:45:00.000Z");
    EXPECT_EQ(utc("2026-07-15", "07:00", "UTC"), "2026-07-15T07:00:00.000Z");
}

TEST(TimeZones, SkippedReadingsMoveForwardByTheGap) {
    EXPECT_EQ(utc("2026-03-08", "01:59", "America/New_York"), "2026-03-08T06:59:00.000Z");
    EXPECT_EQ(utc("2026-03-08", "02:00", "America/New_York"), "2026-03-08T07:00:00.000Z");
    EXPECT_EQ(utc("2026-03-08", "02:30", "America/New_York"), utc("2026-03-08", "03:30", "America/New_York"));
    EXPECT_EQ(utc("2026-03-29", "02:30", "Europe/Berlin"), utc("2026-03-29", "03:30", "Europe/Berlin"));
    EXPECT_EQ(utc("2026-03-29", "02:30", "Europe/Berlin"), "2026-03-29T01:30:00.000Z");
}

TEST(TimeZones, RepeatedReadingsMeanTheFirst) {
    EXPECT_EQ(utc("2026-11-01", "01:30", "America/New_York"), "2026-11-01T05:30:00.000Z");
    EXPECT_EQ(utc("2026-11-01", "02:00", "America/New_York"), "2026-11-01T07:00:00.000Z");
    EXPECT_EQ(utc("2026-10-25", "02:30", "Europe/Berlin"), "2026-10-25T00:30:00.000Z");
}

TEST(TimeZones, LocalDates) {
    EXPECT_EQ(to_string(local_date(*parse_timestamp("2026-07-24T03:59:59.999Z"), "America/New_York")), "2026-07-23");
    EXPECT_EQ(to_string(local_date(*parse_timestamp("2026-07-24T04:00:00Z"), "America/New_York")), "2026-07-24");
    EXPECT_EQ(to_string(local_date(*parse_timestamp("2026-07-23T22:00:00Z"), "Europe/Berlin")), "2026-07-24");
    EXPECT_EQ(to_string(local_date(Timestamp{-1}, "UTC")), "1969-12-31");
}

TEST(TimeZones, ManyThreadsMayAskAtOnce) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            for (int day = 0; day < 400; ++day) {
                auto const moment = to_utc(Date{20'000 + day}, TimeOfDay{720}, "Australia/Sydney");
                EXPECT_EQ(local_date(moment, "Australia/Sydney"), Date{20'000 + day});
            }
        });
    }
}

}  // namespace
}  // namespace workforce::core
