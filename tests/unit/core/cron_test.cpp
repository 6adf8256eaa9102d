#include "core/cron.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace workforce::core {
namespace {

constexpr std::int64_t kCronMinute = 60'000;

Cron cron(std::string_view text) {
    auto const parsed = Cron::parse(text);
    if (!parsed) throw std::invalid_argument(std::string(text) + ": " + parsed.error());
    return *parsed;
}

std::string next_of(std::string_view text, std::string_view after, std::string_view zone = "UTC") {
    auto const next = cron(text).next(parse_timestamp(after).value(), zone);
    return next ? to_string(*next).substr(0, 16) : "never";
}

std::string fault_of(std::string_view text) {
    auto const parsed = Cron::parse(text);
    return parsed ? "" : parsed.error();
}

/// When a person who looks at a clock each minute is told to act, if the schedule is read to them: of what the clock
/// shows for the first time, or has jumped over.
std::vector<Timestamp> model(Cron const& schedule, Timestamp from, Timestamp to, std::string_view zone) {
    std::vector<Timestamp> fires;
    auto const count = [](LocalTime const& reading) {
        return std::int64_t{reading.date.days} * 1440 + reading.time.minutes;
    };
    // The clock may have been set back shortly before.
    auto seen = count(local_time({from.ms - 3 * 86'400'000}, zone));
    for (Timestamp t{from.ms - 3 * 86'400'000}; t <= to; t.ms += kCronMinute) {
        auto const shown = count(local_time(t, zone));
        bool named = false;
        for (auto reading = seen + 1; reading <= shown; ++reading) {
            named = named || schedule.names({{static_cast<std::int32_t>(reading / 1440)},
                                             {static_cast<std::int16_t>(reading % 1440)}});
        }
        seen = std::max(seen, shown);
        if (named && t > from) fires.push_back(t);
    }
    return fires;
}

std::vector<Timestamp> fires_of(Cron const& schedule, Timestamp from, Timestamp to, std::string_view zone) {
    std::vector<Timestamp> fires;
    for (auto next = schedule.next(from, zone); next && *next <= to; next = schedule.next(*next, zone)) {
        fires.push_back(*next);
    }
    return fires;
}

TEST(Cron, NamesTheNextTime) {
    EXPECT_EQ(next_of("0 9 * * *", "2026-07-24T10:00:00Z"), "2026-07-25T09:00");
    EXPECT_EQ(next_of("*/15 * * * *", "2026-07-24T10:00:00Z"), "2026-07-24T10:15");
    EXPECT_EQ(next_of("*/15 * * * *", "2026-07-24T10:14:59.999Z"), "2026-07-24T10:15");
    EXPECT_EQ(next_of("5-20/5,40 8-9 1 1 *", "2026-07-24T10:00:00Z"), "2027-01-01T08:05");
    EXPECT_EQ(next_of("0 9 * * mon-fri", "2026-07-24T09:00:00Z"), "2026-07-27T09:00");
    EXPECT_EQ(next_of("0 0 29 2 *", "2026-07-24T10:00:00Z"), "2028-02-29T00:00");
    EXPECT_EQ(next_of("0 0 29 2 *", "2096-07-24T10:00:00Z"), "2104-02-29T00:00");
    EXPECT_EQ(next_of("59 23 31 12 *", "9999-12-31T23:59:00Z"), "never");
    EXPECT_EQ(next_of("0 9 * * *", "2026-07-24T10:00:00Z", "Asia/Kathmandu"), "2026-07-25T03:15");
}

TEST(Cron, SundayIsZeroAndSeven) {
    for (auto const* sunday : {"0", "7", "sun", "SUN", "7-7"}) {
        EXPECT_EQ(next_of(fmt::format("0 9 * * {}", sunday), "2026-07-24T10:00:00Z"), "2026-07-26T09:00") << sunday;
    }
    EXPECT_EQ(next_of("0 9 * * sat-sun", "2026-07-25T10:00:00Z"), "2026-07-26T09:00");
    EXPECT_EQ(next_of("0 9 * * 5-7", "2026-07-25T10:00:00Z"), "2026-07-26T09:00");
    EXPECT_EQ(next_of("0 9 * * 0-1", "2026-07-26T10:00:00Z"), "2026-07-27T09:00");
}

TEST(Cron, BothDayFieldsRestrictedMeansEither) {
    EXPECT_EQ(next_of("0 9 13 * fri", "2026-07-24T10:00:00Z"), "2026-07-31T09:00");
    EXPECT_EQ(next_of("0 9 13 * fri", "2026-08-07T10:00:00Z"), "2026-08-13T09:00");
    EXPECT_EQ(next_of("0 9 13 * *", "2026-07-24T10:00:00Z"), "2026-08-13T09:00");
    EXPECT_EQ(next_of("0 9 */2 * mon", "2026-07-24T10:00:00Z"), "2026-07-27T09:00") << "a step over all restricts both";
    EXPECT_EQ(next_of("0 9 */2 * mon", "2026-07-27T10:00:00Z"), "2026-08-03T09:00");
}

TEST(Cron, SaysWhatIsWrong) {
    EXPECT_EQ(fault_of("* * * * * *"),
              "must have five fields: minute, hour, day of the month, month and day of the week");
    for (auto const* text : {"", "@reboot", "@daily", "0 9 * *", "0 0 9 * * mon", "0 9 * * mon 2026"}) {
        EXPECT_TRUE(fault_of(text).starts_with("must have five fields")) << text;
    }
    EXPECT_EQ(fault_of("60 * * * *"), "has '60' as minute, which is not from 0 to 59");
    EXPECT_EQ(fault_of("0 24 * * *"), "has '24' as hour, which is not from 0 to 23");
    EXPECT_EQ(fault_of("0 9 0 * *"), "has '0' as day of the month, which is not from 1 to 31");
    EXPECT_EQ(fault_of("0 9 * 13 *"), "has '13' as month, which is not from 1 to 12");
    EXPECT_EQ(fault_of("0 9 * * 8"), "has '8' as day of the week, which is not from 0 to 7");
    EXPECT_EQ(fault_of("0 17-9 * * *"), "has '17-9' as hour, which is a range that ends before it begins");
    EXPECT_EQ(fault_of("5/15 * * * *"), "has '5/15' as minute, which has a step that goes over no range");
    EXPECT_EQ(fault_of("*/0 * * * *"), "has '*/0' as minute, which has no step from 1 to 999");
    EXPECT_EQ(fault_of("0 9 * mon *"),
              "has 'mon' as month, which is neither a number nor *, a range or a step over one");
    for (auto const* text : {"a 9 * * *", "0 9 L * *", "0 9 ? * *", "0 9 15W * *", "0 9 * * 5#2", "0, 9 * * *",
                             "-1 9 * * *", "0 9 1- * *", "0 9 -1 * *", "0 9 * jan-feb-mar *", "*/ * * * *",
                             "0 9 * * */x", "+1 9 * * *", "0.5 9 * * *", "99999999999 9 * * *", "*-5 9 * * *"}) {
        EXPECT_NE(fault_of(text), "") << text;
    }
}

TEST(Cron, RefusesADateThatNeverComes) {
    for (auto const* text : {"0 9 30 2 *", "0 9 31 4,6,9,11 *", "0 9 31 feb *"}) {
        EXPECT_EQ(fault_of(text), "names a date that never comes") << text;
    }
    EXPECT_EQ(fault_of("0 9 30 2 mon"), "") << "Mondays of February come";
    EXPECT_EQ(fault_of("0 9 29 2 *"), "");
}

TEST(Cron, KnowsTheShortestDistance) {
    auto const distance = [](std::string_view text) { return cron(text).shortest_distance(); };
    EXPECT_EQ(distance("* * * * *"), 1);
    EXPECT_EQ(distance("*/5 * * * *"), 5);
    EXPECT_EQ(distance("*/7 * * * *"), 4) << "from 56 to 0";
    EXPECT_EQ(distance("*/7 */2 * * *"), 7);
    EXPECT_EQ(distance("0,58 9-10 * * *"), 2);
    EXPECT_EQ(distance("0 9 * * *"), 1440);
    EXPECT_EQ(distance("58,2 0,23 * * *"), 4) << "over midnight";
    EXPECT_EQ(distance("58,2 0,23 1 * *"), 56) << "the day after is not named";
    EXPECT_EQ(distance("58,2 0,23 29,1 2,3 *"), 4) << "in years with a leap day";
    EXPECT_EQ(distance("0 0,23 * * 1"), 1380);
}

TEST(Cron, AMissingTimeFiresOnceWhenTheClocksJump) {
    // Berlin: from 02:00 to 03:00 on 2026-03-29, at 01:00 UTC.
    EXPECT_EQ(next_of("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin"), "2026-03-29T01:00");
    EXPECT_EQ(next_of("30 2 * * *", "2026-03-29T01:00:00Z", "Europe/Berlin"), "2026-03-30T00:30");
    EXPECT_EQ(next_of("*/10 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin"), "2026-03-29T01:00");
    EXPECT_EQ(next_of("*/10 2 * * *", "2026-03-29T01:00:00Z", "Europe/Berlin"), "2026-03-30T00:00");
    EXPECT_EQ(next_of("0 3 * * *", "2026-03-29T00:59:00Z", "Europe/Berlin"), "2026-03-29T01:00");
    // Havana: from 00:00 to 01:00 on 2026-03-08.
    EXPECT_EQ(next_of("0 0 * * *", "2026-03-07T12:00:00Z", "America/Havana"), "2026-03-08T05:00");
    // Apia had no 2011-12-30.
    EXPECT_EQ(next_of("0 9 30 12 *", "2011-12-29T12:00:00Z", "Pacific/Apia"), "2011-12-30T10:00");
    EXPECT_EQ(next_of("0 9 30 12 *", "2011-12-30T10:00:00Z", "Pacific/Apia"), "2012-12-29T19:00");
}

TEST(Cron, ATimeThatComesTwiceFiresOnceTheFirstTime) {
    // Berlin: from 03:00 to 02:00 on 2026-10-25, at 01:00 UTC.
    EXPECT_EQ(next_of("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin"), "2026-10-25T00:30");
    EXPECT_EQ(next_of("30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Berlin"), "2026-10-26T01:30");
    EXPECT_EQ(next_of("30 2 * * *", "2026-10-25T01:10:00Z", "Europe/Berlin"), "2026-10-26T01:30");
    EXPECT_EQ(next_of("*/30 * * * *", "2026-10-25T00:30:00Z", "Europe/Berlin"), "2026-10-25T02:00");
    EXPECT_EQ(next_of("0 1 * * *", "2026-11-01T00:00:00Z", "America/New_York"), "2026-11-01T05:00");
}

TEST(Cron, AgreesWithAClockOverChanges) {
    struct Change {
        char const* zone;
        char const* around;
    };
    std::array const changes{
        Change{"Europe/Berlin", "2026-03-29T01:00:00Z"},       Change{"Europe/Berlin", "2026-10-25T01:00:00Z"},
        Change{"America/New_York", "2026-03-08T07:00:00Z"},    Change{"America/New_York", "2026-11-01T06:00:00Z"},
        Change{"Australia/Lord_Howe", "2026-10-03T15:30:00Z"}, Change{"Australia/Lord_Howe", "2026-04-04T15:00:00Z"},
        Change{"America/Havana", "2026-03-08T05:00:00Z"},      Change{"America/Havana", "2026-11-01T05:00:00Z"},
        Change{"America/Sao_Paulo", "2018-11-04T03:00:00Z"},   Change{"America/Sao_Paulo", "2018-02-18T02:00:00Z"},
        Change{"Pacific/Apia", "2011-12-30T10:00:00Z"},        Change{"Pacific/Kwajalein", "1993-08-21T12:00:00Z"},
        Change{"Africa/Casablanca", "2026-02-15T02:00:00Z"},   Change{"Asia/Pyongyang", "2018-05-04T15:00:00Z"},
        Change{"America/Caracas", "2016-05-01T07:00:00Z"},     Change{"UTC", "2026-03-29T01:00:00Z"}};
    std::vector<std::string> schedules{"* * * * *",   "*/5 * * * *",   "*/30 * * * *",  "0 * * * *",
                                       "30 2 * * *",  "15 1,2 * * *",  "0 0 * * *",     "59 23 * * *",
                                       "0 3 * * sun", "30 0 30,4 * *", "*/7 1-3 * * *", "0 0,2,3 */2 * *"};
    std::mt19937 random(20260724);  // NOLINT(bugprone-random-generator-seed): the same each time
    auto const any = [&](int first, int last) { return std::uniform_int_distribution<int>(first, last)(random); };
    for (int i = 0; i < 12; ++i) {
        schedules.push_back(fmt::format("{}-59/{} {},{} * * {}", any(0, 59), any(1, 20), any(0, 3), any(0, 23),
                                        any(0, 1) == 0 ? "*" : "sat,sun,mon"));
    }
    std::size_t compared = 0;
    for (auto const& [zone, around] : changes) {
        Timestamp const change = parse_timestamp(around).value();
        for (auto const& text : schedules) {
            Timestamp const from{change.ms - 30 * 3'600'000 + any(0, 59) * kCronMinute};
            Timestamp const to{change.ms + 50 * 3'600'000};
            auto const expected = model(cron(text), from, to, zone);
            ASSERT_EQ(fires_of(cron(text), from, to, zone), expected) << zone << ' ' << text;
            compared += expected.size();
        }
    }
    EXPECT_GT(compared, 10'000U);
}

}  // namespace
}  // namespace workforce::core
