// Writers whose wall clock is wrong: no event gets its time, and no answer is forgotten for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/commands/fixture.hpp"

namespace workforce::tests {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kHourMs = 60 * kMinuteMs;

class WriterClockTest : public CommandsTest {
   protected:
    core::Timestamp last_time() { return history().back().meta.time; }
    std::string claims() {
        core::Connection connection({.url = database_.url()});
        return connection.execute_sql("SELECT string_agg(epoch::text, ' ' ORDER BY partition) FROM log.partition")[0][0]
            .c_str();
    }
};

TEST_F(WriterClockTest, AJumpRefusesEverythingUntilTheClockIsBack) {
    auto const first = ask(keyed(staff("ada"), "key"));
    ASSERT_EQ(first.status, 201);
    auto const stored = records().size();
    for (auto const jump : {25 * kHourMs, 2 * kMinuteMs, -2 * kMinuteMs, -25 * kHourMs}) {
        first_->ahead_ms = jump;
        EXPECT_EQ(ask(keyed(staff("ada"), "key")).status, 503) << "a replay, " << jump;
        EXPECT_EQ(ask(staff("bob")).status, 503) << jump;
        EXPECT_EQ(ask(look()).status, 503) << jump;
        EXPECT_EQ(records().size(), stored);
        first_->ahead_ms = 0;
        auto const again = ask(keyed(staff("ada"), "key"));
        EXPECT_TRUE(again.replayed) << "the answer was not forgotten";
        EXPECT_EQ(again.body, first.body);
    }
    EXPECT_EQ(ask(staff("bob")).status, 201);
}

TEST_F(WriterClockTest, NobodyClaimsWithAWrongClock) {
    auto const first = ask(keyed(staff("ada"), "key"));
    auto const before = claims();
    auto other = join();
    other->ahead_ms = 25 * kHourMs;
    EXPECT_EQ(ask(*other, keyed(staff("ada"), "key")).status, 503);
    EXPECT_THROW(await(other->processor.acquire(home_)), std::runtime_error);
    EXPECT_EQ(claims(), before);
    other->ahead_ms = 0;
    auto const again = ask(*other, keyed(staff("ada"), "key"));
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.body, first.body);
}

TEST_F(WriterClockTest, AClockALittleBehindTakesTheTimeOfTheOneBefore) {
    ASSERT_EQ(ask(staff("ada")).status, 201);
    auto const before = last_time();
    first_->ahead_ms = -kMinuteMs / 2;
    EXPECT_EQ(ask(staff("bob")).status, 201);
    EXPECT_EQ(last_time(), before);
}

TEST_F(WriterClockTest, TimesGoOnFromALogThatIsAhead) {
    // As the database's clock was wrong by then, too.
    first_->ahead_ms = 25 * kHourMs;
    first_->clock.follow({{core::now().ms + 25 * kHourMs}, std::chrono::steady_clock::now()});
    auto const told = ask(keyed(staff("ada"), "key"));
    ASSERT_EQ(told.status, 201);
    auto const ahead = last_time();
    EXPECT_GT(ahead.ms, core::now().ms + 24 * kHourMs);
    auto other = join();
    testing::internal::CaptureStderr();
    EXPECT_EQ(ask(*other, staff("bob")).status, 201);
    auto const said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, testing::HasSubstr("lies in the future"));
    EXPECT_EQ(last_time(), ahead);
    EXPECT_TRUE(ask(*other, keyed(staff("ada"), "key")).replayed);
}

}  // namespace
}  // namespace workforce::tests
