// The runner of what is done again and again.
#include "workers/jobs/periodic.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace workforce::tests {
namespace {

using std::chrono::milliseconds;

TEST(Periodic, RoundsFollowEachOtherAndOneThatFailsIsFollowedToo) {
    boost::asio::io_context context{1};
    int rounds = 0;
    auto round = [&]() -> boost::asio::awaitable<void> {
        if (++rounds == 4) context.stop();
        if (rounds < 3) throw std::runtime_error("no");
        co_return;
    };
    boost::asio::co_spawn(context, workers::run_periodically({"a test", milliseconds(0), round}),
                          boost::asio::detached);
    context.run();
    EXPECT_EQ(rounds, 4);
}

TEST(Periodic, NoRoundBeginsOnceAStopIsAskedFor) {
    boost::asio::io_context context{1};
    std::stop_source stop;
    int rounds = 0;
    auto round = [&]() -> boost::asio::awaitable<void> {
        if (++rounds == 2) stop.request_stop();
        if (rounds == 5) context.stop();  // else a runner that goes on does so without end
        co_return;
    };
    boost::asio::co_spawn(context, workers::run_periodically({"a test", milliseconds(0), round}, stop.get_token()),
                          boost::asio::detached);
    context.run();
    EXPECT_EQ(rounds, 2);
}

TEST(Periodic, WhatBlocksHasAThreadOfItsOwnAndItsFailureIsTheRounds) {
    boost::asio::io_context context{1};
    boost::asio::thread_pool threads{1};
    std::thread::id where;
    auto const blocks = workers::blocking(threads, [&] {
        where = std::this_thread::get_id();
        throw std::runtime_error("no");
    });
    bool failed = false;
    auto ask = [&]() -> boost::asio::awaitable<void> {
        try {
            co_await blocks();
        } catch (std::runtime_error const&) {
            failed = true;
        }
    };
    boost::asio::co_spawn(context, ask(), boost::asio::detached);
    context.run();
    threads.join();
    EXPECT_TRUE(failed);
    EXPECT_NE(where, std::this_thread::get_id());
}

}  // namespace
}  // namespace workforce::tests
