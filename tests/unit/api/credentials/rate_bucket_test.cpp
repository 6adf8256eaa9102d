// What a process makes of its leases.
#include "api/credentials/rate_bucket.hpp"

#include <gtest/gtest.h>

namespace workforce::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Taken = RateBucket::Taken;

constexpr Id kKey = 7;
constexpr std::int64_t kWindow = 1'800'000'000'250'000;  // its end, in µs

class RateBucketTest : public testing::Test {
   protected:
    /// A contact in which the table lends so many of the window that is open for `left` yet.
    RateContact lease(std::int64_t lent, std::int64_t granted, std::int64_t held, std::int64_t window = kWindow,
                      milliseconds left = seconds(60)) {
        auto const told = bucket.contact(kKey, 10, now);
        bucket.settle(told, {kKey, window, now + left, lent, granted, held}, now);
        return told;
    }
    /// How many are let in before the bucket says something else, and what that is.
    std::pair<int, Taken> take_all(std::int64_t limit = 10) {
        for (int taken = 0;; ++taken) {
            if (auto const next = bucket.take(now, limit); next != Taken::yes) return {taken, next};
        }
    }

    RateBucket bucket;
    RateBucket::Time now{std::chrono::hours(1)};
};

TEST_F(RateBucketTest, LetsInWhatItLeasedAndAsksForMore) {
    EXPECT_EQ(bucket.take(now, 10), Taken::ask) << "it knows no window";
    lease(5, 5, 5);
    EXPECT_EQ(take_all(), std::pair(5, Taken::ask));
    auto const told = lease(2, 7, 2);
    EXPECT_EQ(told.window, kWindow);
    EXPECT_EQ(told.used, 5);
    EXPECT_EQ(told.back, 0);
    EXPECT_EQ(take_all(), std::pair(2, Taken::ask));
}

TEST_F(RateBucketTest, RefusesOnceAllAreUsedAndWaitsWhileOthersHoldSome) {
    lease(3, 10, 5);
    EXPECT_EQ(take_all(), std::pair(3, Taken::wait));
    EXPECT_EQ(bucket.others(), 2);
    EXPECT_FALSE(bucket.exhausted(now, 10)) << "others may give some back";
    lease(0, 10, 0);
    EXPECT_TRUE(bucket.exhausted(now, 10));
    EXPECT_FALSE(bucket.exhausted(now, 12));
    EXPECT_FALSE(bucket.exhausted(now + seconds(60), 10)) << "the window is over";
    EXPECT_EQ(bucket.take(now, 10), Taken::no);
    EXPECT_TRUE(bucket.first_refusal());
    EXPECT_FALSE(bucket.first_refusal()) << "once a window";
    EXPECT_EQ(bucket.take(now, 12), Taken::ask) << "a limit that was raised holds at once";
}

TEST_F(RateBucketTest, LeasesDieWithTheirWindow) {
    lease(5, 5, 5, kWindow, milliseconds(40));
    now += milliseconds(39);
    EXPECT_EQ(bucket.take(now, 10), Taken::yes);
    now += milliseconds(1);
    EXPECT_EQ(bucket.take(now, 10), Taken::ask);
    EXPECT_TRUE(bucket.over(now));
    EXPECT_FALSE(bucket.idle(now + seconds(1), milliseconds(250))) << "there is nothing to give back";
    auto const told = lease(4, 4, 4, kWindow + 60'000'000);
    EXPECT_EQ(told.kept, 0);
    EXPECT_EQ(take_all(), std::pair(4, Taken::ask)) << "none of the former window";
}

TEST_F(RateBucketTest, AContactKeepsWhatIsThereUnlessItGivesBack) {
    lease(5, 5, 5);
    bucket.take(now, 10);
    EXPECT_FALSE(bucket.idle(now + milliseconds(249), milliseconds(250)));
    EXPECT_TRUE(bucket.idle(now + milliseconds(250), milliseconds(250)));
    auto const told = bucket.contact(kKey, 0, now);
    EXPECT_EQ(told.used, 1);
    EXPECT_EQ(told.back, 4);
    EXPECT_EQ(bucket.take(now, 10), Taken::ask) << "given back before the table knows of it";
    bucket.settle(told, {kKey, kWindow, now + seconds(60), 0, 1, 0}, now);
    EXPECT_FALSE(bucket.idle(now + seconds(1), milliseconds(250)));
    lease(3, 4, 3);
    auto const more = lease(1, 5, 4);
    EXPECT_EQ(more.kept, 3);
    EXPECT_EQ(bucket.others(), 0);
    EXPECT_EQ(take_all(), std::pair(4, Taken::ask));
}

TEST_F(RateBucketTest, ALimitThatWasLoweredHoldsAtOnce) {
    lease(8, 8, 8);
    bucket.take(now, 10);
    EXPECT_EQ(bucket.state(now, 10).remaining, 9);
    EXPECT_EQ(bucket.take(now, 3), Taken::ask) << "the table takes back what is left";
    EXPECT_LE(bucket.state(now, 3).remaining, 3);
    auto const told = bucket.contact(kKey, 3, now);
    EXPECT_EQ(told.used, 1);
    EXPECT_EQ(told.back, 7);
    EXPECT_EQ(told.kept, 0);
    EXPECT_EQ(bucket.take(now, 3), Taken::ask) << "nothing is refused meanwhile that may have a place";
    bucket.settle(told, {kKey, kWindow, now + seconds(60), 2, 3, 2}, now);
    EXPECT_EQ(bucket.state(now, 3).remaining, 2);
    EXPECT_EQ(take_all(3), std::pair(2, Taken::no));
    EXPECT_EQ(bucket.state(now, 3).remaining, 0);
    EXPECT_EQ(bucket.take(now, 10), Taken::ask) << "and so does one that was raised";
}

TEST_F(RateBucketTest, ALimitBelowWhatWasUsedLeavesNothing) {
    lease(8, 8, 8);
    for (int i = 0; i < 5; ++i) bucket.take(now, 10);
    EXPECT_EQ(bucket.state(now, 3).remaining, 0);
    auto const told = bucket.contact(kKey, 3, now);
    EXPECT_EQ(told.back, 3);
    EXPECT_EQ(bucket.take(now, 3), Taken::no);
    bucket.settle(told, {kKey, kWindow, now + seconds(60), 0, 5, 0}, now);
    EXPECT_EQ(bucket.take(now, 3), Taken::no);
}

TEST_F(RateBucketTest, AnOlderWindowsAnswerIsOvertaken) {
    auto const first = bucket.contact(kKey, 10, now);
    lease(5, 5, 5, kWindow + 1);
    bucket.settle(first, {kKey, kWindow, now + seconds(1), 9, 9, 9}, now);
    EXPECT_EQ(take_all(), std::pair(5, Taken::ask));
}

TEST_F(RateBucketTest, AWindowThatEndsEarlierIsOfAClockThatWasSetBack) {
    lease(1, 1, 1);
    EXPECT_EQ(take_all(), std::pair(1, Taken::ask));
    lease(4, 4, 4, kWindow - 100'000'000);
    EXPECT_EQ(take_all(), std::pair(4, Taken::ask));
}

TEST_F(RateBucketTest, TellsWhatIsLeftOfTheWindow) {
    lease(4, 6, 6);
    bucket.take(now, 10);
    auto state = bucket.state(now, 10);
    EXPECT_EQ(state.limit, 10);
    EXPECT_EQ(state.remaining, 7) << "4 that nobody has and 3 of its own";
    EXPECT_EQ(state.reset, kWindow / 1'000'000 + 1) << "a second that has begun counts";
    EXPECT_EQ(bucket.state(now + milliseconds(1), 10).retry_after, 60) << "never before the window is over";
    EXPECT_EQ(bucket.state(now + milliseconds(59'001), 10).retry_after, 1);
    EXPECT_EQ(bucket.state(now, 3).remaining, 0) << "6 were granted of a limit that was lowered, and 3 are here";
}

}  // namespace
}  // namespace workforce::api
