// How long an attempt to sign in waits for others.
#include <gtest/gtest.h>

#include "operations/accounts.hpp"
#include "tests/support/await.hpp"

namespace workforce::operations {
namespace {

/// Asks for attempts, of which so many find no place; returns the last one and how often it asked.
std::pair<workers::Attempt, int> begin_among(int crowded) {
    int asked = 0;
    auto const begin = [&]() -> boost::asio::awaitable<workers::Attempt> {
        workers::Attempt attempt;
        attempt.crowded = attempt.locked = asked < crowded;
        ++asked;
        co_return attempt;
    };
    auto attempt = tests::await(begin_attempt(begin));
    return {attempt, asked};
}

TEST(BeginAttempt, WaitsUntilOthersLeaveItAPlace) {
    auto const [attempt, asked] = begin_among(2);
    EXPECT_FALSE(attempt.crowded);
    EXPECT_EQ(asked, 3);
}

TEST(BeginAttempt, GivesUpAfterSomeLooks) {
    auto const [attempt, asked] = begin_among(100);
    EXPECT_TRUE(attempt.crowded);
    EXPECT_EQ(asked, 7);
}

}  // namespace
}  // namespace workforce::operations
