// Limits of one process.
#include "api/credentials/window_counter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace workforce::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Counter = WindowCounter<std::string>;

Counter::Clock::time_point now{seconds(1000)};  // NOLINT(*-avoid-non-const-global-variables): the counters' clock
Counter::Clock::time_point the_time() { return now; }

TEST(WindowCounter, EachHolderHasItsOwnWindow) {
    Counter counter(seconds(60), 10, the_time);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(counter.take("a", 3));
    now += seconds(10);
    EXPECT_FALSE(counter.take("b", 3));
    auto const over = counter.take("a", 3);
    ASSERT_TRUE(over);
    EXPECT_EQ(*over, seconds(51)) << "when it is over for sure";
    EXPECT_EQ(counter.refused(), 1U);
    now += seconds(50);
    EXPECT_FALSE(counter.take("a", 3)) << "a window of its own has passed";
    EXPECT_EQ(counter.holders(), 2U);
    now += seconds(60);
    EXPECT_FALSE(counter.take("c", 3));
    EXPECT_EQ(counter.holders(), 1U) << "what is over is forgotten";
}

TEST(WindowCounter, TellsWhatItWouldSayWithoutCounting) {
    Counter counter(seconds(60), 10, the_time);
    EXPECT_FALSE(counter.exhausted("a", 1));
    EXPECT_FALSE(counter.take("a", 2));
    EXPECT_FALSE(counter.exhausted("a", 2));
    EXPECT_FALSE(counter.take("a", 2));
    EXPECT_TRUE(counter.exhausted("a", 2));
    EXPECT_FALSE(counter.exhausted("a", 3));
    EXPECT_EQ(counter.refused(), 0U);
    now += seconds(60);
    EXPECT_FALSE(counter.exhausted("a", 2)) << "the window is over";
}

TEST(WindowCounter, ForgetsTheOldestRatherThanGrow) {
    Counter counter(seconds(60), 3, the_time);
    for (int i = 0; i < 1000; ++i) {
        now += milliseconds(1);
        EXPECT_FALSE(counter.take(std::to_string(i), 1));
        EXPECT_LE(counter.holders(), 3U);
    }
    EXPECT_TRUE(counter.take("999", 1));
    EXPECT_TRUE(counter.take("998", 1));
    EXPECT_FALSE(counter.take("1", 1)) << "it was forgotten long ago";
}

}  // namespace
}  // namespace workforce::api
