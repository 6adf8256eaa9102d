// When a process that does not hear the log says so, and when it gives its work up.
#include "workers/cluster/log_watch.hpp"

#include <gtest/gtest.h>

namespace workforce::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using workers::LogWatch;

class LogWatchTest : public testing::Test {
   protected:
    /// Looks each second while nothing comes; whether all was given up by then.
    bool quiet(int times, bool others) {
        bool yielded = false;
        for (int i = 0; i < times; ++i) yielded = look(silence_ + seconds(1), others) || yielded;
        return yielded;
    }
    bool look(milliseconds silence, bool others) {
        silence_ = silence;
        now_ += seconds(1);
        watch_.look(now_);
        return watch_.yields(others, now_);
    }

    milliseconds silence_{0};
    LogWatch::Clock::time_point now_ = LogWatch::Clock::now();
    LogWatch watch_{[this] { return silence_; }};
};

TEST_F(LogWatchTest, WhoHearsItGivesNothingUp) {
    for (int i = 0; i < 60; ++i) ASSERT_FALSE(look({}, true));
    EXPECT_FALSE(quiet(5, true));
    EXPECT_FALSE(watch_.silent()) << "another leader is found within that";
    EXPECT_FALSE(look({}, true));
    EXPECT_FALSE(quiet(5, true)) << "it counts from the last answer";
}

TEST_F(LogWatchTest, WorkIsLeftToWhoHasHeardItForSomeTime) {
    look({}, true);
    EXPECT_FALSE(quiet(9, true));
    EXPECT_TRUE(watch_.silent());
    EXPECT_TRUE(quiet(1, true));
    EXPECT_TRUE(quiet(60, true));
    EXPECT_FALSE(quiet(60, false)) << "there is nobody any more";
    EXPECT_FALSE(quiet(3, true));
    EXPECT_TRUE(quiet(1, true));
    EXPECT_FALSE(look({}, true));
    EXPECT_FALSE(watch_.silent());
    EXPECT_FALSE(quiet(9, true)) << "from the beginning";
}

TEST_F(LogWatchTest, ASilenceForAllMovesNothing) {
    look({}, true);
    EXPECT_FALSE(quiet(8, true)) << "others notice it some time later";
    EXPECT_FALSE(quiet(60, false));
    EXPECT_FALSE(quiet(3, true)) << "and its end some time earlier";
    EXPECT_FALSE(look({}, true));
    EXPECT_FALSE(watch_.silent());
}

TEST_F(LogWatchTest, WhoStoodStillKnowsNothingOfTheTimeBetween) {
    look({}, true);
    now_ += seconds(30);
    EXPECT_FALSE(look(seconds(31), true));
    EXPECT_FALSE(watch_.silent());
    EXPECT_FALSE(quiet(5, true));
    EXPECT_FALSE(watch_.silent());
    EXPECT_FALSE(quiet(4, true));
    EXPECT_TRUE(watch_.silent());
    EXPECT_TRUE(quiet(1, true));
}

TEST_F(LogWatchTest, ASilenceGoesOnForWhoStoodStillInIt) {
    look({}, true);
    EXPECT_FALSE(quiet(9, false));
    EXPECT_TRUE(watch_.silent());
    now_ += seconds(30);
    EXPECT_FALSE(look(silence_ + seconds(31), false));
    EXPECT_TRUE(watch_.silent()) << "nothing has answered";
    EXPECT_FALSE(look({}, false));
    EXPECT_FALSE(watch_.silent());
}

TEST(LogWatch, WithoutAQuestionNothingIsWrong) {
    LogWatch watch(nullptr);
    auto const now = LogWatch::Clock::now();
    for (int i = 0; i < 60; ++i) {
        watch.look(now + seconds(i));
        ASSERT_FALSE(watch.silent());
        ASSERT_FALSE(watch.yields(true, now + seconds(i)));
    }
}

}  // namespace
}  // namespace workforce::tests
