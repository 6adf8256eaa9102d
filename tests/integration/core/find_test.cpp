// Short statements that travel together on an io_context's own session, against a real Postgres.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <thread>

#include "core/database.hpp"
#include "tests/support/await.hpp"
#include "tests/support/stopped_process.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::core {
namespace {

namespace asio = boost::asio;

/// What session it was, in which transaction, for which tenant, and the parameter.
constexpr Statement kWho{
    "find_test_who",
    "SELECT pg_backend_pid(), extract(epoch FROM now()), current_setting('app.organization', true),"
    " current_setting('app.sandbox', true), current_setting('app.operator', true), $1::text"};
/// Fails for '0'.
constexpr Statement kDivide{"find_test_divide", "SELECT 12 / $1::int"};
/// What only the session of an io_context does: it has prepared this.
constexpr Statement kPrepared{"find_test_prepared",
                              "SELECT count(*) FROM pg_prepared_statements WHERE name = 'tenant_of_next' AND $1 = ''"};

class FindTest : public testing::Test {
   protected:
    void SetUp() override {
        char const* const url = std::getenv("WORKFORCE_TEST_DATABASE_URL");
        ASSERT_NE(url, nullptr) << "WORKFORCE_TEST_DATABASE_URL must name a database to test with";
        database_.emplace(DatabaseOptions{.connection = {.url = url}, .threads = 2});
    }

    Query query(Statement statement, std::string parameter, std::int64_t organization = 0) {
        return {statement, {.organization = organization, .sandbox = organization % 2 == 1}, {std::move(parameter)}};
    }

    /// The rows of one query.
    Rows find(Query query) {
        io_->restart();
        auto future = asio::co_spawn(*io_, database_->find(std::move(query)), asio::use_future);
        while (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            if (io_->run_one_for(std::chrono::seconds(10)) == 0) throw std::runtime_error("it is not answered");
        }
        return future.get();
    }

    /// Returns once the io_context has its session.
    void have_session() {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (std::chrono::steady_clock::now() < deadline) {
            if (find(query(kPrepared, "")).at(0).at(0) == "1") return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        FAIL() << "the io_context got no session";
    }

    /// The rows of queries that are asked for at once; nothing for one that failed.
    std::vector<std::optional<Rows>> find_all(std::vector<Query> const& queries) {
        io_->restart();
        std::vector<std::future<Rows>> futures;
        for (auto& each : queries) futures.push_back(asio::co_spawn(*io_, database_->find(each), asio::use_future));
        std::vector<std::optional<Rows>> rows;
        for (auto& future : futures) {
            while (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
                if (io_->run_one_for(std::chrono::seconds(10)) == 0) throw std::runtime_error("it is not answered");
            }
            try {
                rows.emplace_back(future.get());
            } catch (pqxx::sql_error const&) {
                rows.emplace_back();
            }
        }
        return rows;
    }

    std::optional<Database> database_;
    std::optional<asio::io_context> io_{1};
};

TEST_F(FindTest, RowsAreTextsAndNullIsNothing) {
    constexpr Statement kRows{"find_test_rows", "SELECT n, nullif(n, 2), 'a' || $1::text FROM generate_series(1, 2) n"};
    Rows const expected{{"1", "1", "ab"}, {"2", std::nullopt, "ab"}};
    EXPECT_EQ(find(query(kRows, "b")), expected);  // by the pool
    have_session();
    EXPECT_EQ(find(query(kRows, "b")), expected);
    EXPECT_EQ(find(query({"find_test_none", "SELECT 1 WHERE $1::text IS NULL"}, "")), Rows{});
}

TEST_F(FindTest, EachQueryHasItsOwnTenantAndTheyShareASession) {
    have_session();
    std::vector<Query> queries;
    for (int i = 0; i < 100; ++i) queries.push_back(query(kWho, std::to_string(i), 1 + i % 5));
    auto const answers = find_all(queries);
    std::set<Parameter> sessions;
    std::set<Parameter> transactions;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_TRUE(answers[i]);
        auto const& row = answers[i]->at(0);
        auto const organization = 1 + i % 5;
        EXPECT_EQ(row.at(2), std::to_string(organization));
        EXPECT_EQ(row.at(3), organization % 2 == 1 ? "true" : "false");
        EXPECT_EQ(row.at(4), "false");
        EXPECT_EQ(row.at(5), std::to_string(i));
        sessions.insert(row.at(0));
        transactions.insert(row.at(1));
    }
    EXPECT_EQ(sessions.size(), 1u);
    EXPECT_LE(transactions.size(), 10u) << "they did not travel together";
}

TEST_F(FindTest, WhereNoMoreSessionsCanBeHadThePoolKeepsItsOwn) {
    tests::TestDatabase const own(tests::TestDatabase::Schema::empty);
    database_.emplace(DatabaseOptions{.connection = {.url = own.url()}, .threads = 1});
    tests::await(database_->run([](Connection& connection) { connection.execute_sql("SELECT 1"); }));
    Connection({.url = tests::server_url()}).execute_sql("ALTER DATABASE " + own.name() + " ALLOW_CONNECTIONS false");
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(find(query(kDivide, "3")).at(0).at(0), "4") << i;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(database_->stats().connects, 1U);
    database_.reset();
}

TEST_F(FindTest, FewThatComeBesideASlowOneTravelOnceItIsAnswered) {
    have_session();
    constexpr Statement kSlow{"find_test_slow", "SELECT pg_backend_pid(), pg_sleep(0.2), $1::text"};
    io_->restart();
    auto slow = asio::co_spawn(*io_, database_->find(query(kSlow, "")), asio::use_future);
    io_->run_for(std::chrono::milliseconds(20));
    auto const answers = find_all({query(kWho, "a", 1), query(kWho, "b", 2), query(kWho, "c", 3)});
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_TRUE(answers[i]);
        EXPECT_EQ(answers[i]->at(0).at(5), std::string(1, "abc"[i]));
        EXPECT_EQ(answers[i]->at(0).at(1), answers[0]->at(0).at(1)) << "they did not travel together";
    }
    EXPECT_EQ(slow.get().at(0).at(0), answers[0]->at(0).at(0)) << "by the same session";
}

TEST_F(FindTest, WhoAsksAgainOnceAnsweredIsAnsweredToo) {
    have_session();
    auto const chain = [&]() -> asio::awaitable<int> {
        int answered = 0;
        for (int i = 0; i < 50; ++i) {
            auto const rows = co_await database_->find(query(kWho, std::to_string(i), 1 + i % 3));
            answered += rows.at(0).at(5) == std::to_string(i) ? 1 : 0;
        }
        co_return answered;
    };
    io_->restart();
    std::vector<std::future<int>> chains;
    for (int i = 0; i < 20; ++i) chains.push_back(asio::co_spawn(*io_, chain(), asio::use_future));
    io_->run_for(std::chrono::seconds(30));
    for (auto& each : chains) {
        ASSERT_EQ(each.wait_for(std::chrono::seconds(0)), std::future_status::ready);
        EXPECT_EQ(each.get(), 50);
    }
}

TEST_F(FindTest, AFailureIsItsOwnQuerysAlone) {
    have_session();
    auto const answers = find_all(
        {query(kDivide, "3"), query(kWho, "a", 1), query(kDivide, "0"), query(kWho, "b", 2), query(kDivide, "4")});
    ASSERT_EQ(answers.size(), 5u);
    EXPECT_EQ(answers[0], Rows{{"4"}});
    EXPECT_EQ(answers[1]->at(0).at(2), "1");
    EXPECT_EQ(answers[2], std::nullopt);
    EXPECT_EQ(answers[3]->at(0).at(2), "2");
    EXPECT_EQ(answers[3]->at(0).at(5), "b");
    EXPECT_EQ(answers[4], Rows{{"3"}});
    have_session();
    EXPECT_THROW(find(query(kDivide, "0")), pqxx::sql_error);
}

TEST_F(FindTest, AFailureTakesNothingFromTheBatchBehindIt) {
    have_session();
    std::vector<Query> queries{query(kDivide, "0")};
    for (int i = 1; i < 100; ++i) queries.push_back(query(kWho, std::to_string(i), 1 + i % 5));
    auto const answers = find_all(queries);
    EXPECT_EQ(answers[0], std::nullopt);
    for (std::size_t i = 1; i < answers.size(); ++i) {
        ASSERT_TRUE(answers[i]) << i;
        EXPECT_EQ(answers[i]->at(0).at(2), std::to_string(1 + i % 5));
        EXPECT_EQ(answers[i]->at(0).at(5), std::to_string(i));
    }
}

TEST_F(FindTest, ALostSessionIsReplacedUnnoticed) {
    have_session();
    auto const pid = find(query(kWho, "")).at(0).at(0).value();
    Connection admin(ConnectionOptions{.url = std::getenv("WORKFORCE_TEST_DATABASE_URL")});
    constexpr Statement kTerminate{"find_test_terminate", "SELECT pg_terminate_backend($1, 10000)"};
    ASSERT_TRUE(read<bool>(admin.execute(kTerminate, pid)[0][0]));
    EXPECT_EQ(find(query(kWho, "still here")).at(0).at(5), "still here");
    have_session();
    EXPECT_NE(find(query(kWho, "")).at(0).at(0), pid);
}

TEST_F(FindTest, AnIdleSessionIsNoWork) {
    have_session();
    io_->restart();
    io_->run_for(std::chrono::seconds(10));
    EXPECT_TRUE(io_->stopped()) << "something is still awaited";
    EXPECT_EQ(find(query(kWho, "again")).at(0).at(5), "again");
}

TEST_F(FindTest, AnIdleSessionEndsAndComesAgain) {
    have_session();
    auto const pid = find(query(kWho, "")).at(0).at(0).value();
    Pipeline::end_idle_since(Pipeline::Clock::time_point::max());
    io_->restart();
    io_->run_for(std::chrono::seconds(10));
    Connection admin(ConnectionOptions{.url = std::getenv("WORKFORCE_TEST_DATABASE_URL")});
    constexpr Statement kThere{"find_test_there", "SELECT FROM pg_stat_activity WHERE pid = $1"};
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!admin.execute(kThere, pid).empty()) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    EXPECT_EQ(find(query(kWho, "again")).at(0).at(5), "again");
    have_session();
}

TEST_F(FindTest, WhereTheProcessHasNoRoomThePoolAnswers) {
    SessionBudget::of_process().limit(SessionBudget::kReserved);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(find(query(kPrepared, "")).at(0).at(0), "0");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    SessionBudget::of_process().limit(SessionBudget::kUnlimited);
    have_session();
}

TEST_F(FindTest, AnUnreachableServerIsUnavailability) {
    database_.emplace(DatabaseOptions{.connection = {.url = "postgresql://127.0.0.1:1/none"}, .threads = 1});
    for (int i = 0; i < 3; ++i) EXPECT_THROW(find(query(kWho, "")), DatabaseUnavailable);
}

TEST_F(FindTest, AServerThatStandsStillCostsTheSessionButNotTheQuery) {
    auto options = ConnectionOptions{.url = std::getenv("WORKFORCE_TEST_DATABASE_URL")};
    options.statement_timeout = std::chrono::seconds(1);
    database_.emplace(DatabaseOptions{.connection = options, .threads = 2});
    have_session();
    auto const backend = std::stoi(*find(query(kWho, "")).at(0).at(0));
    tests::StoppedProcess const stopped(backend);
    EXPECT_EQ(find(query(kWho, "by another one")).at(0).at(5), "by another one");
    have_session();
    EXPECT_NE(std::stoi(*find(query(kWho, "")).at(0).at(0)), backend);
}

TEST_F(FindTest, AfterASilenceOlderSessionsAreNotWaitedFor) {
    auto options = ConnectionOptions{.url = std::getenv("WORKFORCE_TEST_DATABASE_URL")};
    options.statement_timeout = std::chrono::seconds(1);
    database_.emplace(DatabaseOptions{.connection = options, .threads = 1});
    have_session();
    auto const pid = [&] {
        io_->restart();
        auto future = asio::co_spawn(*io_, database_->run([](Connection& one) { return one.raw().backendpid(); }),
                                     asio::use_future);
        io_->run_for(std::chrono::seconds(10));
        return future.get();
    };
    tests::StoppedProcess const first(std::stoi(*find(query(kWho, "")).at(0).at(0)));
    tests::StoppedProcess const second(pid());
    // It would be lost on the second one.
    EXPECT_EQ(find(query(kWho, "after one wait")).at(0).at(5), "after one wait");
}

TEST_F(FindTest, MoreThanMayWaitAreRefusedAndNobodyElse) {
    database_.emplace(DatabaseOptions{
        .connection = {.url = std::getenv("WORKFORCE_TEST_DATABASE_URL")}, .threads = 2, .queue_limit = 400});
    have_session();
    io_->restart();
    std::map<std::int64_t, std::size_t> refused;
    std::size_t ended = 0;
    for (int i = 0; i < 301; ++i) {
        std::int64_t const organization = i < 300 ? 2 : 4;
        asio::co_spawn(*io_, database_->find(query(kWho, "", organization)),
                       [&, organization](std::exception_ptr const& error, Rows const&) {
                           ++ended;
                           try {
                               if (error) std::rethrow_exception(error);
                           } catch (DatabaseBusy const&) {
                               ++refused[organization];
                           }
                       });
    }
    while (ended < 301 && io_->run_one_for(std::chrono::seconds(10)) > 0) {
    }
    EXPECT_EQ(ended, 301u);
    EXPECT_EQ(refused, (std::map<std::int64_t, std::size_t>{{2, 100u}}));
    EXPECT_EQ(find(query(kWho, "after")).at(0).at(5), "after");
}

TEST_F(FindTest, AnIoContextMayEndWhileQueriesAreUnderWay) {
    have_session();
    for (auto const& statement : {Statement{"find_test_sleep", "SELECT pg_sleep(0.2), $1::text"}, kWho}) {
        io_->restart();
        asio::co_spawn(*io_, database_->find(query(statement, "")), asio::detached);
        io_->run_for(std::chrono::milliseconds(20));
    }
    io_.emplace(1);
    EXPECT_EQ(find(query(kWho, "on another one")).at(0).at(5), "on another one");
}

}  // namespace
}  // namespace workforce::core
