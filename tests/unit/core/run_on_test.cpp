// Blocking work on other threads, awaited.
#include "core/run_on.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "tests/support/await.hpp"

namespace workforce::core {
namespace {

TEST(RunOn, TheWorkIsDoneElsewhereAndTheCallerGoesOnWhereItWas) {
    boost::asio::thread_pool threads(1);
    std::thread::id worker;
    auto const ask = [&]() -> boost::asio::awaitable<std::thread::id> {
        auto const answer = co_await run_on(threads, [&] {
            worker = std::this_thread::get_id();
            return 42;
        });
        EXPECT_EQ(answer, 42);
        co_return std::this_thread::get_id();
    };
    EXPECT_EQ(tests::await(ask()), std::this_thread::get_id());
    EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(RunOn, WhatItThrowsReachesTheCaller) {
    boost::asio::thread_pool threads(1);
    EXPECT_THROW(tests::await(run_on(threads, [] { throw std::runtime_error("away"); })), std::runtime_error);
}

}  // namespace
}  // namespace workforce::core
