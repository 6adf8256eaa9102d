// When a wall clock is believed.
#include "core/checked_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace workforce::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr steady_clock::time_point kMoment{hours(1000)};
constexpr Timestamp kDay{1'900'000'000'000};

TEST(ClockJudgementTest, HalfOfTheWayIsCounted) {
    auto const mark = clock_mark(kDay, kMoment, kMoment + seconds(4));
    ASSERT_TRUE(mark);
    EXPECT_EQ(mark->database, kDay);
    EXPECT_EQ(mark->at, kMoment + seconds(2));
    EXPECT_TRUE(clock_mark(kDay, kMoment, kMoment + kClockTolerance));
    EXPECT_FALSE(clock_mark(kDay, kMoment, kMoment + kClockTolerance + milliseconds(1)))
        << "who stood still knows nothing";
}

TEST(ClockJudgementTest, TheSteadyClockGoesOnFromTheMark) {
    ClockMark const mark{kDay, kMoment};
    EXPECT_EQ(clock_ahead(mark, kDay, kMoment), milliseconds(0));
    EXPECT_EQ(clock_ahead(mark, {kDay.ms + 10'000}, kMoment + seconds(10)), milliseconds(0));
    EXPECT_EQ(clock_ahead(mark, {kDay.ms + 10'000}, kMoment), seconds(10));
    EXPECT_EQ(clock_ahead(mark, kDay, kMoment + seconds(10)), -seconds(10));
    EXPECT_EQ(clock_ahead(mark, kDay, kMoment - seconds(10)), seconds(10)) << "a moment before the mark";
}

TEST(ClockJudgementTest, OnlyTheToleranceIsBelieved) {
    for (auto const fine : {milliseconds(0), milliseconds(59'999), milliseconds(60'000), milliseconds(-60'000)}) {
        EXPECT_EQ(clock_fault(fine), std::nullopt) << fine.count();
    }
    EXPECT_EQ(clock_fault(milliseconds(60'001)), "this process's clock is 60.001 s ahead of the database's");
    EXPECT_EQ(clock_fault(milliseconds(-60'001)), "this process's clock is 60.001 s behind the database's");
    EXPECT_EQ(clock_fault(hours(25)), "this process's clock is 90000.000 s ahead of the database's");
    EXPECT_TRUE(clock_fault(hours(-24 * 365 * 50)));
}

TEST(CheckedClockTest, AJumpShowsAtOnceAndANewComparisonDecides) {
    std::atomic<std::int64_t> wall = kDay.ms;
    CheckedClock clock([&] { return Timestamp{wall}; });
    EXPECT_FALSE(clock.ahead());
    EXPECT_FALSE(clock.now()) << "nothing is known yet";
    clock.follow({kDay, steady_clock::now()});
    EXPECT_EQ(clock.now().value(), kDay);
    for (std::int64_t const jump : {hours(25) / milliseconds(1), -hours(2) / milliseconds(1)}) {
        wall = kDay.ms + jump;
        EXPECT_FALSE(clock.now());
        EXPECT_NEAR(static_cast<double>(clock.ahead()->count()), static_cast<double>(jump), 30'000);
        wall = kDay.ms;
        EXPECT_TRUE(clock.now());
    }
    // The database's clock has jumped as well: both are set right.
    wall = kDay.ms + hours(25) / milliseconds(1);
    clock.follow({{wall}, steady_clock::now()});
    EXPECT_EQ(clock.now().value().ms, wall);
}

}  // namespace
}  // namespace workforce::core
