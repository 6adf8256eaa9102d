// Who shares sessions, who gets one when there are no more, and which idle ones end, against a real Postgres.
#include "core/session_budget.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/database_errors.hpp"
#include "core/session_pool.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::core {
namespace {

using std::chrono::milliseconds;

class SessionBudgetTest : public testing::Test {
   protected:
    ~SessionBudgetTest() override { SessionBudget::of_process().limit(SessionBudget::kUnlimited); }

    [[nodiscard]] ConnectionOptions options(std::string name) const {
        return {.url = database_.url(), .application_name = std::move(name)};
    }

    static int pid(SessionPool& pool) {
        return pool.run([](Connection& connection) { return connection.raw().backendpid(); });
    }

    /// Sessions of pools that the server knows of.
    std::size_t there() {
        static constexpr Statement kThere{"budget_there",
                                          "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'budget %'"
                                          " AND datname = current_database()"};
        return read<std::size_t>(admin_.execute(kThere)[0][0]);
    }

    /// Returns once the server knows of so many at most; `meanwhile` is called again and again.
    void wait_for_at_most(std::size_t count, std::function<void()> const& meanwhile = [] {}) {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (there() > count) {
            ASSERT_LT(std::chrono::steady_clock::now(), deadline) << there() << " sessions are still there";
            meanwhile();
            std::this_thread::sleep_for(milliseconds(20));
        }
    }

    tests::TestDatabase const database_{tests::TestDatabase::Schema::empty};
    Connection admin_{ConnectionOptions{.url = database_.url()}};
};

TEST_F(SessionBudgetTest, PoolsWithEqualOptionsShareTheirSessions) {
    SessionPool one(options("budget one"), 2);
    SessionPool same(options("budget one"), 1, SessionPurpose::job);
    auto asynchronous = options("budget one");
    asynchronous.settings.emplace_back("synchronous_commit", "off");
    SessionPool other(asynchronous, 1);
    EXPECT_EQ(pid(one), pid(same));
    EXPECT_NE(pid(one), pid(other));
    auto const setting = [](Connection& connection) {
        return read<std::string>(connection.execute_sql("SHOW synchronous_commit")[0][0]);
    };
    EXPECT_EQ(same.run(setting), "on");
    EXPECT_EQ(other.run(setting), "off");
    EXPECT_EQ(there(), 2U);
}

TEST_F(SessionBudgetTest, SessionsOfAGroupEndWithItsLastPool) {
    {
        SessionPool one(options("budget one"), 1);
        {
            SessionPool same(options("budget one"), 1);
            pid(same);
        }
        EXPECT_EQ(there(), 1U);
    }
    wait_for_at_most(0);
}

TEST_F(SessionBudgetTest, TheNextUserFindsNothingOfTheOneBefore) {
    SessionPool one(options("budget one"), 1);
    SessionPool same(options("budget one"), 1);
    auto const organization = [](Connection& connection) {
        return read<std::string>(connection.execute_sql("SELECT current_setting('app.organization', true)")[0][0]);
    };
    EXPECT_EQ(one.run([&](Connection& connection) {
        connection.use({.organization = 7});
        return organization(connection);
    }),
              "7");
    EXPECT_EQ(same.run(organization), "");
    admin_.execute_sql("CREATE TABLE written (name text)");
    EXPECT_THROW(one.run([](Connection& connection) {
        connection.transaction([&] {
            connection.execute_sql("INSERT INTO written VALUES ('lost')");
            throw std::runtime_error("half way");
        });
    }),
                 std::runtime_error);
    same.run([](Connection& connection) { connection.execute_sql("INSERT INTO written VALUES ('kept')"); });
    EXPECT_EQ(read<std::string>(admin_.execute_sql("SELECT string_agg(name, ' ') FROM written")[0][0]), "kept");
}

/// What folding does, which holds a session while the keyring takes one.
TEST_F(SessionBudgetTest, NestedUsersGoOnWhileOuterOnesHoldEverySession) {
    constexpr std::array kOuter{SessionPurpose::lease,   SessionPurpose::log,     SessionPurpose::log,
                                SessionPurpose::request, SessionPurpose::request, SessionPurpose::request,
                                SessionPurpose::request, SessionPurpose::listing, SessionPurpose::listing,
                                SessionPurpose::folding, SessionPurpose::folding, SessionPurpose::job};
    SessionBudget::of_process().limit(SessionBudget::kReserved);
    std::deque<SessionPool> outer;
    for (auto const purpose : kOuter) outer.emplace_back(options(fmt::format("budget {}", outer.size())), 1, purpose);
    SessionPool nested(options("budget nested"), 2);
    std::latch held(kOuter.size() + 1);
    std::latch released(1);
    std::vector<std::future<std::set<int>>> threads;
    for (auto& pool : outer) {
        threads.push_back(std::async(std::launch::async, [&] {
            return pool.run([&](Connection& connection) {
                connection.execute_sql("SELECT 1");
                held.arrive_and_wait();
                released.wait();
                std::set<int> pids;
                for (int i = 0; i < 5; ++i) pids.insert(pid(nested));
                return pids;
            });
        }));
    }
    held.arrive_and_wait();
    auto impatient = options("budget impatient");
    impatient.connect_timeout = std::chrono::seconds(1);
    for (auto const purpose : {SessionPurpose::request, SessionPurpose::listing, SessionPurpose::job}) {
        SessionPool none(impatient, 1, purpose);
        EXPECT_THROW(pid(none), DatabaseUnavailable);
    }
    EXPECT_EQ(there(), kOuter.size());
    released.count_down();
    std::set<int> pids;
    for (auto& thread : threads) pids.merge(thread.get());
    EXPECT_EQ(pids.size(), 1U) << "the reserve is one session";
}

TEST_F(SessionBudgetTest, APurposeGetsItsOwnWhateverOthersHold) {
    SessionBudget::of_process().limit(SessionBudget::kReserved + 3);
    SessionPool lists(options("budget lists"), 100, SessionPurpose::listing);
    constexpr std::size_t kMost = 2 + 3;  // its own, and all that is nobody's
    std::latch held(kMost + 1);
    std::latch released(1);
    std::vector<std::future<void>> threads;
    for (std::size_t i = 0; i < kMost; ++i) {
        threads.push_back(std::async(std::launch::async, [&] {
            lists.run([&](Connection&) {
                held.arrive_and_wait();
                released.wait();
            });
        }));
    }
    held.arrive_and_wait();
    auto impatient = options("budget lists");
    impatient.connect_timeout = std::chrono::seconds(1);
    SessionPool more(impatient, 1, SessionPurpose::listing);
    EXPECT_THROW(pid(more), DatabaseUnavailable);
    SessionPool leases(options("budget leases"), 1, SessionPurpose::lease);
    EXPECT_NE(pid(leases), 0);
    EXPECT_FALSE(SessionBudget::of_process().take_pipeline()) << "io_contexts do without";
    released.count_down();
    for (auto& thread : threads) thread.get();
}

TEST_F(SessionBudgetTest, WhoComesFirstIsServedFirst) {
    SessionPool pool(options("budget one"), 1);
    std::vector<int> order;
    std::latch held(2);
    std::latch released(1);
    auto first = std::async(std::launch::async, [&] {
        pool.run([&](Connection&) {
            held.arrive_and_wait();
            released.wait();
        });
    });
    held.arrive_and_wait();
    std::vector<std::future<void>> later;
    for (int i = 0; i < 5; ++i) {
        later.push_back(std::async(std::launch::async, [&, i] { pool.run([&](Connection&) { order.push_back(i); }); }));
        while (pool.use().waiting <= i) std::this_thread::sleep_for(milliseconds(1));
    }
    released.count_down();
    for (auto& each : later) each.get();
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST_F(SessionBudgetTest, AThirdSessionOfAThreadIsAnError) {
    SessionPool one(options("budget one"), 2);
    SessionPool two(options("budget two"), 2);
    SessionPool three(options("budget three"), 2);
    EXPECT_THROW(one.run([&](Connection&) { two.run([&](Connection&) { pid(three); }); }), std::logic_error);
    EXPECT_NE(pid(three), 0);
}

TEST_F(SessionBudgetTest, TheLongestIdleSessionMakesRoom) {
    SessionBudget::of_process().limit(SessionBudget::kReserved);
    std::deque<SessionPool> pools;
    std::vector<int> pids;
    for (std::size_t i = 0; i < SessionBudget::kReserved + 5; ++i) {
        pids.push_back(pid(pools.emplace_back(options(fmt::format("budget {}", i)), 1)));
    }
    wait_for_at_most(SessionBudget::kReserved);
    EXPECT_EQ(pid(pools.back()), pids.back()) << "the one that was used last is still there";
    EXPECT_NE(pid(pools.front()), pids.front());
    wait_for_at_most(SessionBudget::kReserved);
}

TEST_F(SessionBudgetTest, FewStayIdle) {
    std::deque<SessionPool> pools;
    for (std::size_t i = 0; i < 2 * SessionBudget::kMostIdle; ++i) {
        pid(pools.emplace_back(options(fmt::format("budget {}", i)), 1));
    }
    auto const used = pid(pools.front());
    wait_for_at_most(SessionBudget::kMostIdle, [&] { EXPECT_EQ(pid(pools.front()), used); });
}

}  // namespace
}  // namespace workforce::core
