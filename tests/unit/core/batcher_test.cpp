// Grouping of what is asked for at once.
#include "core/batcher.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <memory>
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

TEST_F(BatcherTest, SeveralCallsMayBeUnderWayAtOnce) {
    std::vector<Completion<bool>> held;
    Batcher<int, int> patient(
        [&](std::vector<int> items) -> awaitable<std::vector<int>> {
            co_await await_completion<bool>([&](Completion<bool> done) { held.push_back(std::move(done)); });
            co_return items;
        },
        2);
    std::vector<std::future<int>> results;
    for (int i = 0; i < 4; ++i) {
        results.push_back(boost::asio::co_spawn(context, patient.submit(i), boost::asio::use_future));
    }
    while (held.size() < 2) ASSERT_EQ(context.run_one_for(std::chrono::seconds(30)), 1U);
    context.poll();
    EXPECT_EQ(held.size(), 2U) << "no more than that";
    int calls = 0;
    for (; !held.empty(); ++calls) {
        auto next = std::move(held.back());
        held.pop_back();
        next(true);
        context.poll();
    }
    for (int i = 0; i < 4; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].get(), i);
    EXPECT_EQ(calls, 3) << "one call for both that waited";
}

TEST_F(BatcherTest, StoppingEndsThoseWhoWaitAndThoseWhoseCallNeverEnds) {
    Completion<bool> held;
    {
        boost::asio::io_context ending{1};
        auto patient = std::make_unique<Batcher<int, int>>([&](std::vector<int> items) -> awaitable<std::vector<int>> {
            co_await await_completion<bool>([&](Completion<bool> done) { held = std::move(done); });
            co_return items;
        });
        auto first = boost::asio::co_spawn(ending, patient->submit(1), boost::asio::use_future);
        while (!held) ASSERT_EQ(ending.run_one_for(std::chrono::seconds(30)), 1U);
        auto second = boost::asio::co_spawn(ending, patient->submit(2), boost::asio::use_future);
        ending.poll();
        patient->stop(std::make_exception_ptr(std::runtime_error("stopped")));
        auto third = boost::asio::co_spawn(ending, patient->submit(3), boost::asio::use_future);
        ending.poll();
        for (auto* each : {&first, &second, &third}) EXPECT_THROW(each->get(), std::runtime_error);
        held(true);  // the call ends late, and nobody waits for it
        ending.poll();
    }
}

}  // namespace
}  // namespace workforce::core
