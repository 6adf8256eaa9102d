// Probes of a log that hangs.
#include "api/admin/log_probe.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <stdexcept>

#include "events/log/log.hpp"
#include "tests/support/await.hpp"

namespace workforce::api {
namespace {

/// A log whose answers wait until they are let go, and askers on one io_context.
class LogProbeTest : public testing::Test {
   protected:
    std::future<void> ask() { return boost::asio::co_spawn(context_, probe_.ask(), boost::asio::use_future); }
    void wait_for(std::future<void>& one) {
        context_.restart();
        while (one.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            if (context_.run_one_for(std::chrono::seconds(30)) != 0) continue;
            let_go_.set_value();  // or the test would not end
            throw std::runtime_error("nobody is told");
        }
    }

    std::promise<void> let_go_;
    std::shared_future<void> const gone_ = let_go_.get_future().share();
    std::atomic<int> asked_ = 0;
    boost::asio::io_context context_{1};
    LogProbe probe_{[this] {
        ++asked_;
        gone_.wait();
    }};
};

TEST_F(LogProbeTest, WhoComesWhileItHangsSharesTheNextQuestion) {
    std::vector<std::future<void>> askers;
    for (int i = 0; i < 100; ++i) askers.push_back(ask());
    context_.poll();
    let_go_.set_value();
    for (auto& each : askers) {
        wait_for(each);
        each.get();
    }
    EXPECT_EQ(asked_, 2);
}

TEST_F(LogProbeTest, WhoAsksWhenItStopsIsTold) {
    auto first = ask();
    auto second = ask();
    context_.poll();
    probe_.stop();
    wait_for(second);
    wait_for(first);
    EXPECT_THROW(first.get(), events::LogUnavailable);
    EXPECT_THROW(second.get(), events::LogUnavailable);
    let_go_.set_value();
    probe_.join();
    EXPECT_EQ(asked_, 1);
    auto late = ask();
    wait_for(late);
    EXPECT_THROW(late.get(), events::LogUnavailable);
}

TEST(LogProbe, WhatTheLogSaysReachesWhoAsks) {
    LogProbe probe([] { throw events::LogUnavailable("no broker"); });
    EXPECT_THROW(tests::await(probe.ask()), events::LogUnavailable);
}

}  // namespace
}  // namespace workforce::api
