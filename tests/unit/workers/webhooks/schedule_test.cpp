#include "workers/webhooks/schedule.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace workforce::workers {
namespace {

using namespace std::chrono_literals;

TEST(RetryDelay, GrowsFromHalfAMinuteToSixHours) {
    static_assert(kMostAttempts == 6);
    EXPECT_EQ(retry_delay(1, 0), 30s);
    EXPECT_EQ(retry_delay(2, 0), 2min);
    EXPECT_EQ(retry_delay(3, 0), 15min);
    EXPECT_EQ(retry_delay(4, 0), 1h);
    EXPECT_EQ(retry_delay(5, 0), 6h);
    EXPECT_THROW(std::ignore = retry_delay(6, 0), std::out_of_range) << "the sixth is the last";
}

TEST(RetryDelay, IsATenthLongerAtMostAndNeverShorter) {
    for (int attempt = 1; attempt < kMostAttempts; ++attempt) {
        auto const least = retry_delay(attempt, 0);
        EXPECT_EQ(retry_delay(attempt, 1), least + least / 10);
        EXPECT_EQ(retry_delay(attempt, 0.5), least + least / 20);
    }
}

TEST(RetryDelay, BeginsWithTheFailure) {
    EXPECT_EQ(retry_at({1000}, 10s, 1, 0).ms, 41'000);
    EXPECT_EQ(retry_at({1000}, 10s, 1, 1).ms, 44'000);
}

}  // namespace
}  // namespace workforce::workers
