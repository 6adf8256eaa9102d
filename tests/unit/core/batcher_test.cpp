// Grouping of what is asked for at once.
#include "core/batcher.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <stdexcept>

namespace workforce::core {
namespace {

using boost::asio::awaitable;

struct BatcherTest : testing::Test {
    /// Doubles each number; waits a turn of the context, so that more can come meanwhile.
    awaitable<std::vector<int>> serve(std::vector<int> items) {
        sizes.push_back(items.size());
        co_await boost::asio::post(context, boost::asio::use_awaitable);
        for (int& item : items) {
            if (item < 0) throw std::runtime_error("negative");
            item *= 2;
        }
        co_return items;
    }
    std::future<int> submit(int item) {
        return boost::asio::co_spawn(context, batcher.submit(item), boost::asio::use_future);
    }

    boost::asio::io_context context{1};
    std::vector<std::size_t> sizes;
    Batcher<int, int> batcher{[this](std::vector<int> items) { return serve(std::move(items)); }};
};

TEST_F(BatcherTest, OneCallForAllThatCameWhileOneWasUnderWay) {
    std::vector<std::future<int>> results;
    for (int i = 0; i < 10; ++i) results.push_back(submit(i));
    context.run();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].get(), 2 * i);
    EXPECT_LE(sizes.size(), 3U);
    context.restart();
    auto later = submit(21);
    context.run();
    EXPECT_EQ(later.get(), 42);
    EXPECT_EQ(sizes.back(), 1U);
}

TEST_F(BatcherTest, AFaultReachesItsBatchAlone) {
    auto bad = submit(-1);
    context.run();
    EXPECT_THROW(bad.get(), std::runtime_error);
    context.restart();
    auto good = submit(1);
    context.run();
    EXPECT_EQ(good.get(), 2);
}

}  // namespace
}  // namespace workforce::core
