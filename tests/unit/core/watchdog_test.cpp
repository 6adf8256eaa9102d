// Connections whose other end keeps a question without an answer.
#include "core/watchdog.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace workforce::core {
namespace {

using std::chrono::milliseconds;

/// A connection to oneself.
class WatchTest : public testing::Test {
   protected:
    void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
    void TearDown() override {
        for (int const end : ends_) ::close(end);
    }

    /// Whether the near end is at its end within the time.
    [[nodiscard]] bool cut_within(milliseconds time) const {
        pollfd one{ends_[0], POLLIN, 0};
        char byte = 0;
        return ::poll(&one, 1, static_cast<int>(time.count())) == 1 && ::read(ends_[0], &byte, 1) == 0;
    }

    std::array<int, 2> ends_{};
};

TEST_F(WatchTest, AQuestionThatIsNotAnsweredEndsTheConnection) {
    Watch watch(ends_[0], milliseconds(20));
    watch.asked();
    EXPECT_TRUE(cut_within(milliseconds(30'000)));
    EXPECT_TRUE(watch.cut());
}

TEST_F(WatchTest, SilenceWithoutAQuestionIsNoFault) {
    Watch watch(ends_[0], milliseconds(20));
    {
        Watch::Question const question(watch);
    }
    EXPECT_FALSE(cut_within(milliseconds(700)));
}

TEST_F(WatchTest, EachQuestionHasItsOwnTime) {
    Watch watch(ends_[0], milliseconds(1500));
    for (int i = 0; i < 6; ++i) {
        watch.asked();
        ASSERT_FALSE(cut_within(milliseconds(400))) << i;
    }
    EXPECT_FALSE(watch.cut());
}

TEST_F(WatchTest, WithoutALimitItWaitsForEver) {
    Watch watch(ends_[0], milliseconds(0));
    watch.asked();
    EXPECT_FALSE(cut_within(milliseconds(700)));
}

TEST_F(WatchTest, TheSocketMayBeClosedBeforeAndItsNumberBeAnothers) {
    Watch watch(ends_[0], milliseconds(20));
    watch.asked();
    std::array<int, 2> others{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, others.data()), 0);
    ASSERT_EQ(::dup2(others[0], ends_[0]), ends_[0]);  // closes what was there
    EXPECT_FALSE(cut_within(milliseconds(700)));
    ::close(others[0]);
    ::close(others[1]);
}

}  // namespace
}  // namespace workforce::core
