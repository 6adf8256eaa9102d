// Waiting for a coroutine for a bounded time.
#include "core/deadline.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "tests/support/await.hpp"

namespace workforce::core {
namespace {

using boost::asio::awaitable;
using std::chrono::milliseconds;

struct NoDefault {
    explicit NoDefault(int v) : value(v) {}
    std::unique_ptr<int> moves_only;
    int value;
};

awaitable<void> pause(milliseconds duration) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, duration);
    co_await timer.async_wait(boost::asio::use_awaitable);
}

awaitable<NoDefault> give(int value, milliseconds delay) {
    co_await pause(delay);
    co_return NoDefault(value);
}

awaitable<int> fail(milliseconds delay) {
    co_await pause(delay);
    throw std::invalid_argument("as it should");
}

awaitable<int> mark(std::shared_ptr<bool> done) {
    co_await pause(milliseconds(20));
    *done = true;
    co_return 1;
}

TEST(Within, GivesTheResultOrTheException) {
    auto const result = tests::await(within(std::chrono::minutes(10), give(7, milliseconds(0))));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->value, 7);
    EXPECT_THROW(tests::await(within(std::chrono::minutes(10), fail(milliseconds(0)))), std::invalid_argument);
}

TEST(Within, GivesUpButLetsTheOperationGoOn) {
    auto const done = std::make_shared<bool>(false);
    EXPECT_FALSE(tests::await(within(milliseconds(0), mark(done))));
    EXPECT_TRUE(*done);  // the io_context ran until it ended
    EXPECT_FALSE(tests::await(within(milliseconds(0), fail(milliseconds(20)))));
}

}  // namespace
}  // namespace workforce::core
