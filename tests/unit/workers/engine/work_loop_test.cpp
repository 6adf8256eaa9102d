// The loop of engines: when it looks, what wakes it, and how it ends. Rests and graces are an hour where none is to be
// waited for: a test that waits for one does not end.
#include "workers/engine/work_loop.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <stdexcept>

namespace workforce::workers {
namespace {

using boost::asio::awaitable;
using std::chrono::milliseconds;

constexpr std::chrono::hours kHour{1};

/// A loop on a thread of its own kind, this one, and work for it that ends when the test says.
class WorkLoopTest : public testing::Test {
   protected:
    /// Runs the loop to its end. Throws what it threw.
    void run(WorkLoop::Look look) {
        auto ended = boost::asio::co_spawn(context_, loop_.run(std::move(look)), boost::asio::use_future);
        context_.run();
        ended.get();
    }
    /// Work that goes on until release().
    awaitable<void> work() {
        boost::system::error_code released;
        co_await held_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, released));
    }
    awaitable<void> failing_work() {
        co_await work();
        throw std::runtime_error("no");
    }
    void release() { held_.cancel(); }
    /// Does that once the loop and what it began have come to rest.
    void later(std::function<void()> what) {
        boost::asio::post(context_, [this, what = std::move(what)] { boost::asio::post(context_, what); });
    }
    WorkLoop::Failed expect_none() {
        return [](std::exception const& error) { ADD_FAILURE() << error.what(); };
    }

    boost::asio::io_context context_{1};
    boost::asio::steady_timer held_{context_, kHour};
    WorkLoop loop_{"a test's work could not be looked for", {.rest = kHour, .grace = kHour}};
};

TEST_F(WorkLoopTest, LooksAtOnceWhereMoreIsDue) {
    int looks = 0;
    run([&]() -> awaitable<bool> {
        if (++looks == 5) loop_.stop();
        co_return looks < 5;
    });
    EXPECT_EQ(looks, 5);
}

TEST_F(WorkLoopTest, LooksAgainAfterACallThatCameMeanwhile) {
    int looks = 0;
    run([&]() -> awaitable<bool> {
        ++looks == 1 ? loop_.look_soon() : loop_.stop();
        co_return false;
    });
    EXPECT_EQ(looks, 2);
}

TEST_F(WorkLoopTest, ACallWakesItFromItsRest) {
    int looks = 0;
    run([&]() -> awaitable<bool> {
        if (++looks == 4) loop_.stop();
        later([&] { loop_.look_soon(); });
        co_return false;
    });
    EXPECT_EQ(looks, 4);
}

TEST_F(WorkLoopTest, WorkThatEndsWakesItAndIsNoLongerUnderWay) {
    std::vector<std::int64_t> under_way;
    run([&]() -> awaitable<bool> {
        under_way.push_back(loop_.under_way());
        if (under_way.size() == 1) {
            loop_.begin(work(), expect_none());
            later([&] { release(); });
        } else {
            loop_.stop();
        }
        co_return false;
    });
    EXPECT_EQ(under_way, (std::vector<std::int64_t>{0, 0}));
}

TEST_F(WorkLoopTest, AStopWaitsForAllThatIsUnderWay) {
    int looks = 0;
    int ended = 0;
    auto const own = [&]() -> awaitable<void> {
        co_await work();
        ++ended;
    };
    run([&]() -> awaitable<bool> {
        ++looks;
        for (int i = 0; i < 3; ++i) loop_.begin(own(), expect_none());
        later([&] {
            loop_.stop();
            later([&] {
                EXPECT_EQ(loop_.under_way(), 3) << "it still waits";
                release();
            });
        });
        co_return false;
    });
    EXPECT_EQ(ended, 3);
    EXPECT_EQ(looks, 1) << "nothing is looked for after a stop";
    EXPECT_EQ(loop_.under_way(), 0);
}

TEST_F(WorkLoopTest, AStopWaitsForTheGraceAlone) {
    WorkLoop hasty("a test's work could not be looked for", {.rest = milliseconds(1), .grace = milliseconds(5)});
    auto ended = boost::asio::co_spawn(context_, hasty.run([&]() -> awaitable<bool> {
        hasty.begin(work(), expect_none());
        hasty.stop();
        co_return false;
    }),
                                       boost::asio::use_future);
    while (ended.wait_for(milliseconds(0)) != std::future_status::ready) context_.run_one();
    ended.get();
    EXPECT_EQ(hasty.under_way(), 1);
    release();
    context_.run();
    EXPECT_EQ(hasty.under_way(), 0);
}

TEST_F(WorkLoopTest, AStopBeforeItRunsEndsIt) {
    loop_.stop();
    run([]() -> awaitable<bool> {
        ADD_FAILURE() << "it looks";
        co_return false;
    });
}

TEST_F(WorkLoopTest, ALookThatFailsIsFollowedByOthers) {
    int looks = 0;
    run([&]() -> awaitable<bool> {
        later([&] { loop_.look_soon(); });
        if (++looks == 4) loop_.stop();
        if (looks != 3) throw std::runtime_error("no");
        co_return false;
    });
    EXPECT_EQ(looks, 4);
}

TEST_F(WorkLoopTest, WorkThatFailsIsToldOfAndDisturbsNothing) {
    std::vector<std::string> told;
    int looks = 0;
    run([&]() -> awaitable<bool> {
        if (++looks == 1) {
            loop_.begin(failing_work(), [&](std::exception const& error) { told.emplace_back(error.what()); });
            later([&] { release(); });
        } else {
            loop_.stop();
        }
        co_return false;
    });
    EXPECT_EQ(told, std::vector<std::string>{"no"});
    EXPECT_EQ(loop_.under_way(), 0);
}

}  // namespace
}  // namespace workforce::workers
