// Who shares sessions, who gets one when there are no more, and which idle ones end, against a real Postgres.
#include "core/session_budget.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <optional>
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
    ~SessionBudgetTest() override {
        SessionBudget::of_process().limit(SessionBudget::kUnlimited);
        SessionBudget::of_process().set_serving(false);
    }

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

    /// How long one waits for a session of a new group, whose only one stays in use; `meanwhile` is called once it
    /// waits, or has one.
    SessionBudget::Clock::duration second_waits(
        SessionPurpose purpose, std::function<void()> const& meanwhile = [] {}) {
        auto const name = fmt::format("budget {}", ++groups_);
        SessionPool first(options(name), 1);
        SessionPool second(options(name), 1, purpose);
        return first.run([&](Connection&) {
            std::atomic<bool> has = false;
            auto waited = std::async(std::launch::async, [&] {
                auto const since = SessionBudget::Clock::now();
                SessionPool::Loan const loan(second);
                has = true;
                return SessionBudget::Clock::now() - since;
            });
            while (second.use().waiting == 0 && !has) std::this_thread::yield();
            meanwhile();
            return waited.get();
        });
    }

    /// Returns once `waits` took less than a tenth of a second, which a busy machine may keep from it for a while.
    template <class F>
    void wait_until_short(F waits) {
        auto const deadline = SessionBudget::Clock::now() + std::chrono::seconds(60);
        while (waits() >= milliseconds(100)) ASSERT_LT(SessionBudget::Clock::now(), deadline);
    }

    int groups_ = 0;
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

TEST_F(SessionBudgetTest, ASessionThatNobodyAsksForGoesOnAsAnother) {
    admin_.execute_sql(
        "CREATE SCHEMA aside; GRANT USAGE ON SCHEMA aside TO public;"
        "CREATE TABLE aside.place AS SELECT 'aside' AS name; CREATE TABLE public.place AS SELECT 'public' AS name;"
        "GRANT SELECT ON aside.place, public.place TO public");
    static constexpr Statement kIs{"budget_is", R"(
SELECT current_setting('application_name'), current_setting('search_path'), current_setting('statement_timeout'),
       current_setting('enable_seqscan'), coalesce(current_setting('app.organization', true), ''), current_user,
       (SELECT name FROM place))"};
    auto const is = [](Connection& connection) {
        std::vector<std::string> all{std::to_string(connection.raw().backendpid())};
        for (auto const& field : connection.execute(kIs)[0]) all.push_back(read<std::string>(field));
        return all;
    };
    auto first = by_index(options("budget first"));
    first.role = "pg_monitor";
    first.statement_timeout = milliseconds(7000);
    first.settings.emplace_back("search_path", "aside");
    SessionPool const stays(options("budget stays"), 1);
    std::optional<SessionPool> left(std::in_place, first, 1);
    auto const before = left->run([&](Connection& connection) {
        connection.use({.organization = 7});
        return is(connection);
    });
    EXPECT_EQ(before,
              (std::vector<std::string>{before[0], "budget first", "aside", "7s", "off", "7", "pg_monitor", "aside"}));
    left.reset();
    auto const fresh = is(admin_);
    SessionPool next(options("budget next"), 1);
    EXPECT_EQ(next.run(is),
              (std::vector<std::string>{before[0], "budget next", fresh[2], "10s", "on", "", fresh[6], "public"}));
    EXPECT_EQ(next.use().open, 1);
    EXPECT_EQ(session_use("budget first", "pg_monitor").open, 0);
    SessionPool again(first, 1);
    EXPECT_NE(again.run(is)[0], before[0]) << "it is taken from nobody who may want it back";
}

TEST_F(SessionBudgetTest, ASessionThatWasLostMeanwhileIsNotTaken) {
    SessionPool const stays(options("budget stays"), 1);
    auto const lost = [&] {
        SessionPool left(options("budget left"), 1);
        return pid(left);
    }();
    admin_.execute_sql(fmt::format("SELECT pg_terminate_backend({})", lost));
    wait_for_at_most(0);
    SessionPool next(options("budget next"), 1);
    EXPECT_NE(pid(next), lost);
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
    EXPECT_EQ(pid(pools.back()), pids.back()) << "the one that was used last is still there";
    EXPECT_NE(pid(pools.front()), pids.front());
    EXPECT_EQ(std::set<int>(pids.begin(), pids.end()).size(), SessionBudget::kReserved) << "it goes on as another";
    EXPECT_EQ(there(), SessionBudget::kReserved);
}

TEST_F(SessionBudgetTest, OnlyAStartWaitsRatherThanOpenOneMore) {
    EXPECT_GE(second_waits(SessionPurpose::log), milliseconds(100));
    SessionBudget::of_process().set_serving(true);
    wait_until_short([&] { return second_waits(SessionPurpose::log); });
    wait_until_short([&] { return second_waits(SessionPurpose::request); });
    EXPECT_GE(second_waits(SessionPurpose::job), milliseconds(100));
}

TEST_F(SessionBudgetTest, WhoWaitsWhenTheProcessBeginsToServeHasItsTurn) {
    wait_until_short([&] {
        SessionBudget::of_process().set_serving(false);
        return second_waits(SessionPurpose::log, [] { SessionBudget::of_process().set_serving(true); });
    });
}

TEST_F(SessionBudgetTest, UsersOfAGroupWaitTogetherInAStart) {
    wait_until_short([&]() -> SessionBudget::Clock::duration {
        SessionPool pool(options(fmt::format("budget {}", ++groups_)), 3);
        std::array<std::latch, 2> has{std::latch(2), std::latch(2)};
        std::array<std::latch, 2> ends{std::latch(1), std::latch(1)};
        auto const use = [&](std::size_t i) {
            return std::async(std::launch::async, [&, i] {
                return pool.run([&, i](Connection& connection) {
                    has.at(i).arrive_and_wait();
                    ends.at(i).wait();
                    return connection.raw().backendpid();
                });
            });
        };
        auto first = use(0);
        has[0].arrive_and_wait();
        auto second = use(1);
        while (pool.use().waiting == 0 && pool.use().used < 2) std::this_thread::yield();
        std::this_thread::sleep_for(milliseconds(50));
        ends[0].count_down();
        has[1].arrive_and_wait();
        auto const first_pid = first.get();
        auto const since = SessionBudget::Clock::now();
        auto const waited = [&] {
            SessionPool::Loan const loan(pool);
            return SessionBudget::Clock::now() - since;
        }();
        ends[1].count_down();
        bool const went_on = second.get() == first_pid;
        return went_on ? waited : milliseconds(100);  // else the first one's session was there to have
    });
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
