// Limits of keys over the table itself: several processes' worth of limits on one database.
#include "api/credentials/key_limits.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <deque>
#include <map>
#include <thread>

#include "api/credentials/rate_table.hpp"
#include "core/connection.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

namespace asio = boost::asio;
using api::KeyLimits;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr core::Id kKey = 5;
constexpr std::int64_t kLimit = 50;

/// What one process has.
struct Process {
    Process(TestDatabase const& of, seconds window, bool alone = false)
        : database({.connection = {.url = of.url(), .role = "workforce_writer"}, .threads = 1}),
          limits(api::rate_table(database, api::kRestRequests, window), [alone] { return alone; }) {}
    ~Process() { limits.stop(); }

    core::Database database;
    KeyLimits limits;
};

class KeyLimitsTest : public testing::Test {
   protected:
    void announce(int processes) {
        for (int i = 0; i < processes; ++i) {
            test_database.query("INSERT INTO ops.process (owner, role, admin_url, expires_at) VALUES ('p" +
                                std::to_string(i) + "', 'api', '', now() + interval '1 hour')");
        }
    }
    /// How many of so many requests, one after another, are let in.
    static int let_in(Process& process, int requests, std::int64_t limit = kLimit) {
        int granted = 0;
        for (int i = 0; i < requests; ++i) granted += await(process.limits.take(kKey, limit)).granted ? 1 : 0;
        return granted;
    }
    std::string row() { return test_database.ask("SELECT granted || '/' || held FROM ops.rate_limit"); }

    TestDatabase test_database;
};

TEST_F(KeyLimitsTest, ALimitThatWasLoweredHoldsAtOnceAndRemainingNeverExceedsIt) {
    announce(1);
    Process process(test_database, seconds(60), true);
    EXPECT_EQ(await(process.limits.take(kKey, 60)).state.remaining, 59);
    auto const lowered = await(process.limits.take(kKey, 3));
    EXPECT_TRUE(lowered.granted);
    EXPECT_EQ(lowered.state.limit, 3);
    EXPECT_EQ(lowered.state.remaining, 1);
    EXPECT_EQ(let_in(process, 10, 3), 1) << "three in all";
    EXPECT_EQ(let_in(process, 60, 40), 37) << "raised, it counts what the window had";
    auto const low = await(process.limits.take(kKey, 5));
    EXPECT_FALSE(low.granted);
    EXPECT_EQ(low.state.remaining, 0);
}

TEST_F(KeyLimitsTest, WhatAnotherProcessHoldsOfAHigherLimitIsNotUsedUnderALowerOne) {
    announce(2);
    Process one(test_database, seconds(60));
    Process other(test_database, seconds(60));
    EXPECT_EQ(let_in(one, 1, 60), 1);
    EXPECT_EQ(let_in(other, 1, 60), 1);
    EXPECT_EQ(let_in(one, 5, 3) + let_in(other, 5, 3), 1) << "both together let in three";
}

TEST_F(KeyLimitsTest, ManyCallersOfTwoProcessesGetTheLimitInEachWindow) {
    announce(2);
    std::deque<Process> processes;
    for (int i = 0; i < 2; ++i) processes.emplace_back(test_database, seconds(3));
    std::mutex mutex;
    std::map<std::int64_t, int> granted;  // by the end of the window that the answer tells
    std::atomic<bool> done{false};
    auto const call = [&](Process& process) -> asio::awaitable<void> {
        while (!done) {
            auto verdict = process.limits.try_take(kKey, kLimit);
            if (!verdict) verdict = co_await process.limits.take(kKey, kLimit);
            if (!verdict->granted) std::this_thread::sleep_for(milliseconds(1));
            std::lock_guard const lock(mutex);
            if (verdict->granted) ++granted[verdict->state.reset];
        }
    };
    {
        std::vector<std::jthread> callers;
        for (int i = 0; i < 20; ++i)
            callers.emplace_back([&, i] { await(call(processes[static_cast<std::size_t>(i % 2)])); });
        while (true) {
            std::this_thread::sleep_for(milliseconds(10));
            std::lock_guard const lock(mutex);
            if (granted.size() >= 4) break;
        }
        done = true;
    }
    granted.erase(std::next(granted.begin(), 3), granted.end());  // the last may not have come to its end
    for (auto const& [window, count] : granted) EXPECT_EQ(count, kLimit) << window;
}

TEST_F(KeyLimitsTest, MostRequestsMeetNoTable) {
    announce(1);
    Process process(test_database, seconds(60));
    EXPECT_EQ(let_in(process, 1000, 800), 800);
    EXPECT_LT(process.limits.stats().contacts, 20U);
    EXPECT_EQ(process.limits.stats().granted, 800U);
    EXPECT_EQ(process.limits.stats().refused, 200U);
}

TEST_F(KeyLimitsTest, WhatLiesIdleGoesToWhoeverWantsIt) {
    announce(2);
    Process one(test_database, seconds(60));
    Process other(test_database, seconds(60));
    EXPECT_EQ(let_in(one, 1), 1);
    EXPECT_EQ(row(), "12/12");
    EXPECT_EQ(let_in(other, 40), 38) << "all but what the first one holds, for which it has waited";
    EXPECT_GE(other.limits.stats().waits, 1U);
    std::this_thread::sleep_for(KeyLimits::kIdle);
    await(one.limits.give_idle_back());
    EXPECT_EQ(let_in(other, 60), 11);
    std::this_thread::sleep_for(KeyLimits::kIdle);
    await(other.limits.give_idle_back());
    auto const verdict = await(one.limits.take(kKey, kLimit));
    EXPECT_FALSE(verdict.granted);
    EXPECT_EQ(verdict.state.remaining, 0);
    EXPECT_EQ(row(), "50/0") << "nobody holds any, so nobody waits";
}

TEST_F(KeyLimitsTest, AProcessThatStopsGivesAllBackAndOneThatIsKilledNothing) {
    announce(2);
    {
        Process stopped(test_database, seconds(60));
        EXPECT_EQ(let_in(stopped, 2), 2);
        await(stopped.limits.give_all_back());
    }
    EXPECT_EQ(row(), "2/0");
    {
        Process killed(test_database, seconds(60));
        EXPECT_EQ(let_in(killed, 2), 2);
    }
    Process last(test_database, seconds(60), true);
    EXPECT_EQ(let_in(last, 60), 36) << "the other's lease of 12 is lost, of which it used 2";
    EXPECT_EQ(last.limits.stats().waits, 0U) << "it is alone";
}

TEST_F(KeyLimitsTest, AWindowThatEndsTooLateIsOfAClockThatWasSetBack) {
    announce(1);
    Process process(test_database, seconds(60));
    EXPECT_EQ(let_in(process, 60), 50);
    core::Connection({.url = test_database.url()})
        .execute_sql("UPDATE ops.rate_limit SET ends_at = ends_at + interval '1 hour'");
    Process other(test_database, seconds(60));
    EXPECT_EQ(let_in(other, 1), 1);
}

TEST_F(KeyLimitsTest, KeysAndLimitsAreApart) {
    announce(1);
    Process process(test_database, seconds(60));
    EXPECT_EQ(let_in(process, 60), 50);
    EXPECT_TRUE(await(process.limits.take(kKey + 1, 1)).granted);
    EXPECT_FALSE(await(process.limits.take(kKey + 1, 1)).granted);
    EXPECT_TRUE(await(process.limits.take(kKey, kLimit + 1)).granted) << "the limit was raised";
}

TEST_F(KeyLimitsTest, ADatabaseThatIsAwayLetsNobodyIn) {
    core::Database nowhere({.connection = {.url = "postgresql://127.0.0.1:1/none"}, .threads = 1});
    KeyLimits limits(api::rate_table(nowhere, api::kRestRequests, seconds(60)), [] { return false; });
    EXPECT_THROW(await(limits.take(kKey, kLimit)), core::DatabaseUnavailable);
    EXPECT_EQ(limits.stats().granted, 0U);
    limits.stop();
}

}  // namespace
}  // namespace workforce::tests
