// Sessions, tenants and the thread pool against a real Postgres.
#include "core/database.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <chrono>

#include <barrier>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdlib>
#include <functional>
#include <future>
#include <list>
#include <pqxx/pqxx>
#include <thread>

#include "core/row_columns.hpp"
#include "core/session_pool.hpp"
#include "tests/support/busy_thread.hpp"
#include "tests/support/stopped_process.hpp"

namespace workforce::core {
namespace {

namespace asio = boost::asio;

std::string test_url() {
    char const* const url = std::getenv("WORKFORCE_TEST_DATABASE_URL");
    return url == nullptr ? "" : url;
}

/// A schema of its own with a table under row-level security, and a role that does not own it.
class DatabaseTest : public testing::Test {
   protected:
    void SetUp() override {
        if (test_url().empty()) GTEST_FAIL() << "WORKFORCE_TEST_DATABASE_URL must name a database to test with";
        Connection admin(ConnectionOptions{.url = test_url()});
        admin.execute_sql(R"(
            DROP SCHEMA IF EXISTS core_test CASCADE;
            CREATE SCHEMA core_test;
            DO $$ BEGIN
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'core_test_reader') THEN
                    CREATE ROLE core_test_reader;
                END IF;
            END $$;
            GRANT USAGE ON SCHEMA core_test TO core_test_reader;
            CREATE TABLE core_test.item (organization bigint, sandbox boolean, name text, UNIQUE (organization, name));
            ALTER TABLE core_test.item ENABLE ROW LEVEL SECURITY;
            CREATE POLICY tenant ON core_test.item USING (
                current_setting('app.operator', true) = 'true'
                OR (organization = NULLIF(current_setting('app.organization', true), '')::bigint
                    AND sandbox = NULLIF(current_setting('app.sandbox', true), '')::boolean));
            GRANT ALL ON core_test.item TO core_test_reader;
            INSERT INTO core_test.item VALUES (1, false, 'one'), (1, true, 'one in sandbox'), (2, false, 'two');
        )");
    }
    void TearDown() override {
        if (!test_url().empty())
            Connection(ConnectionOptions{.url = test_url()}).execute_sql("DROP SCHEMA core_test CASCADE");
    }

    static ConnectionOptions as_reader() { return {.url = test_url(), .role = "core_test_reader"}; }

    static std::vector<std::string> names(Connection& connection) {
        static constexpr Statement kNames{"core_test_names",
                                          "SELECT coalesce(array_agg(name ORDER BY name), '{}') FROM core_test.item"};
        return read<std::vector<std::string>>(connection.execute(kNames)[0][0]);
    }

    static void terminate(int pid) {
        static constexpr Statement kTerminate{"core_test_terminate", "SELECT pg_terminate_backend($1, 10000)"};
        Connection admin(ConnectionOptions{.url = test_url()});
        ASSERT_TRUE(read<bool>(admin.execute(kTerminate, pid)[0][0]));
    }

    /// Runs one job from an io_context of its own.
    template <class F>
    static auto run(Database& database, F work) {
        asio::io_context io(1);
        auto future = asio::co_spawn(io, database.run(std::move(work)), asio::use_future);
        io.run();
        return future.get();
    }
};

using Names = std::vector<std::string>;

TEST_F(DatabaseTest, ValuesGoThereAndBack) {
    static constexpr Statement kEcho{
        "core_test_echo",
        "SELECT $1::bigint, $2::text, $3::bytea, $4::timestamptz, $5::date, $6::time, $7::boolean, $8::float8, "
        "$9::text[], $10::bigint[], $11::text, $12::timestamptz[]"};
    Connection connection(as_reader());
    std::string const bytes("\0\1'\\\xff", 5);
    std::string const text = "O'Neill \\ \"quoted\" {é} $1";
    std::vector<std::string> const texts{"a", "", "NULL", "b,c", "\"q\"", "back\\slash", "{}", "it's"};
    // Once as a plain execution, once as text behind a change of the tenant.
    for (std::int64_t const organization : {0, 7}) {
        connection.use({.organization = organization});
        auto const result =
            connection.execute(kEcho, INT64_MAX, text, Bytes{bytes}, Timestamp{1'784'887'200'123}, Date{-1},
                               TimeOfDay{1439}, true, 0.1, texts, std::vector<std::int64_t>{1, -2},
                               std::optional<std::string>(), std::vector<Timestamp>{Timestamp{5}});
        auto const row = result[0];
        EXPECT_EQ(read<std::int64_t>(row[0]), INT64_MAX);
        EXPECT_EQ(read<std::string>(row[1]), text);
        EXPECT_EQ(read_bytes(row[2]), bytes);
        EXPECT_EQ(read<Timestamp>(row[3]).ms, 1'784'887'200'123);
        EXPECT_EQ(read<Date>(row[4]).days, -1);
        EXPECT_EQ(read<TimeOfDay>(row[5]).minutes, 1439);
        EXPECT_TRUE(read<bool>(row[6]));
        EXPECT_EQ(read<double>(row[7]), 0.1);
        EXPECT_EQ(read<Names>(row[8]), texts);
        EXPECT_EQ(read<std::vector<std::int64_t>>(row[9]), (std::vector<std::int64_t>{1, -2}));
        EXPECT_EQ(read<std::optional<std::string>>(row[10]), std::nullopt);
        EXPECT_EQ(read_view(row[11]), R"({"1970-01-01 00:00:00.005+00"})");
        EXPECT_THROW(read<std::string>(row[10]), std::runtime_error);
        EXPECT_THROW(read<int>(row[0]), std::runtime_error);
        EXPECT_THROW(read<std::int64_t>(row[1]), std::runtime_error);
    }
}

TEST_F(DatabaseTest, RowsTravelAsAnArrayAColumn) {
    struct Item {
        std::int64_t number;
        std::string text;
        std::optional<std::string> more;
    };
    static constexpr Statement kRows{
        "core_test_rows",
        "SELECT $1::text, u.* FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::text[])"
        " AS u(number, text, bytes, more) ORDER BY number"};
    Connection connection(as_reader());
    auto const values_of = [](Item const& item) {
        return std::tuple(item.number, std::string_view(item.text), Blob{item.text}, item.more);
    };
    auto const rows =
        execute_rows(connection, kRows, std::vector<Item>{{1, "a,b", {}}, {2, "\"q\"", "m"}}, values_of, "before");
    ASSERT_EQ(rows.size(), 2);
    EXPECT_EQ(read<std::string>(rows[0][0]), "before");
    EXPECT_EQ(read<std::string>(rows[0][2]), "a,b");
    EXPECT_EQ(read<std::optional<std::string>>(rows[0][4]), std::nullopt);
    EXPECT_EQ(read<std::int64_t>(rows[1][1]), 2);
    EXPECT_EQ(read_bytes(rows[1][3]), "\"q\"");
    EXPECT_EQ(read<std::string>(rows[1][4]), "m");
    static constexpr Statement kWrong{"core_test_wrong", "SELECT of nothing"};
    EXPECT_TRUE(execute_rows(connection, kWrong, std::vector<Item>{}, values_of).empty()) << "it is not executed";
}

TEST_F(DatabaseTest, AServerThatFallsSilentIsNoticedUnlessTheUrlSaysOtherwise) {
    Connection by_default(as_reader());
    EXPECT_NE(by_default.raw().options().find("tcp_user_timeout=10000"), std::string::npos)
        << by_default.raw().options();
    EXPECT_NE(by_default.raw().options().find("keepalives_idle=5"), std::string::npos);
    auto options = as_reader();
    options.url += options.url.find('?') == std::string::npos ? "?" : "&";
    options.url += "tcp_user_timeout=0&keepalives_idle=60";
    Connection as_set(options);
    EXPECT_EQ(as_set.raw().options().find("tcp_user_timeout=1"), std::string::npos);
    EXPECT_EQ(as_set.raw().options().find("keepalives_idle=5"), std::string::npos);
    EXPECT_NE(as_set.raw().options().find("keepalives_count=3"), std::string::npos);
}

TEST_F(DatabaseTest, TheTenantDecidesWhichRowsAreSeen) {
    Connection connection(as_reader());
    EXPECT_EQ(names(connection), Names{}) << "unset means no rows";
    connection.use({.organization = 1});
    EXPECT_EQ(names(connection), Names{"one"});
    connection.use({.organization = 1, .sandbox = true});
    EXPECT_EQ(names(connection), Names{"one in sandbox"});
    connection.use({.organization = 2});
    EXPECT_EQ(names(connection), Names{"two"});
    connection.use({.operator_access = true});
    EXPECT_EQ(names(connection).size(), 3U);
    connection.use({});
    EXPECT_EQ(names(connection), Names{});
}

TEST_F(DatabaseTest, ATenantInUseCostsNoFurtherStatement) {
    Connection connection(as_reader());
    connection.use({.organization = 1});
    EXPECT_EQ(names(connection), Names{"one"});
    connection.raw().set_variable("app.organization", "2");  // behind its back: it would notice by setting it again
    connection.use({.organization = 1});
    EXPECT_EQ(names(connection), Names{"two"});
}

TEST_F(DatabaseTest, AnExceptionMakesItAssertTheTenantAnew) {
    Connection connection(as_reader());
    static constexpr Statement kInsert{"core_test_insert", "INSERT INTO core_test.item VALUES ($1, false, $2)"};
    connection.use({.organization = 1});
    // The change of tenant travels with the failing statement, and is undone with it.
    EXPECT_THROW(connection.execute(kInsert, 1, "one"), pqxx::unique_violation);
    EXPECT_EQ(names(connection), Names{"one"});

    EXPECT_THROW(connection.transaction([&] {
        connection.use({.organization = 2});
        EXPECT_EQ(names(connection), Names{"two"});
        throw std::runtime_error("changed my mind");
    }),
                 std::runtime_error);
    EXPECT_EQ(names(connection), Names{"two"}) << "rolled back to organization 1, and set again";
}

TEST_F(DatabaseTest, TransactionsCommitOrRollBackWhole) {
    Connection connection(as_reader());
    connection.use({.organization = 3});
    static constexpr Statement kInsert{"core_test_insert", "INSERT INTO core_test.item VALUES ($1, false, $2)"};
    int const answer = connection.transaction([&] {
        connection.execute(kInsert, 3, "a");
        EXPECT_THROW(connection.transaction([] {}), std::logic_error);
        return 42;
    });
    EXPECT_EQ(answer, 42);
}

TEST_F(DatabaseTest, RolledBackRowsAreGone) {
    Connection connection(as_reader());
    connection.use({.organization = 3});
    static constexpr Statement kInsert{"core_test_insert", "INSERT INTO core_test.item VALUES ($1, false, $2)"};
    connection.transaction([&] { connection.execute(kInsert, 3, "kept"); });
    EXPECT_THROW(connection.transaction([&] {
        connection.execute(kInsert, 3, "dropped");
        connection.execute(kInsert, 3, "kept");
    }),
                 pqxx::unique_violation);
    EXPECT_EQ(names(connection), Names{"kept"});
}

/// What the error says that the statement fails with.
std::string fault_of(std::function<void()> const& statement) {
    try {
        statement();
    } catch (pqxx::sql_error const& fault) {
        return fmt::format("{} {}", fault.sqlstate(), fault.what());
    }
    return "none";
}

TEST_F(DatabaseTest, ErrorsRepeatNoValues) {
    Connection connection(as_reader());
    static constexpr Statement kCast{"core_test_cast", "SELECT $1::text::int"};
    static constexpr Statement kInsert{"core_test_insert", "INSERT INTO core_test.item VALUES ($1, false, $2)"};
    connection.use({.organization = 1});
    for (bool const is_set : {false, true}) {  // the tenant, or it travels with the statement
        if (is_set) EXPECT_EQ(names(connection), Names{"one"});
        auto const misfit = fault_of([&] { connection.execute(kCast, "confidential"); });
        EXPECT_TRUE(misfit.starts_with("22P02 ")) << misfit;
        EXPECT_NE(misfit.find("core_test_cast"), std::string::npos) << misfit;
        EXPECT_EQ(misfit.find("confidential"), std::string::npos) << misfit;
    }
    auto const taken = fault_of([&] { connection.execute(kInsert, 1, "one"); });
    EXPECT_TRUE(taken.starts_with("23505 ")) << taken;
    EXPECT_EQ(taken.find("one"), std::string::npos) << taken;
}

TEST_F(DatabaseTest, AStatementNameHasOneText) {
    Connection connection(as_reader());
    connection.execute(Statement{"core_test_same", "SELECT 1"});
    EXPECT_THROW(connection.execute(Statement{"core_test_same", "SELECT 2"}), std::logic_error);
}

TEST_F(DatabaseTest, ALostSessionStaysLost) {
    Connection connection(as_reader());
    connection.use({.organization = 1});
    EXPECT_EQ(names(connection), Names{"one"});
    EXPECT_TRUE(connection.usable());
    terminate(connection.raw().backendpid());
    EXPECT_FALSE(connection.usable());
    EXPECT_THROW(names(connection), pqxx::broken_connection);
    // libpqxx would open a new session here, of the superuser, who sees everything.
    EXPECT_THROW(names(connection), pqxx::broken_connection);
    EXPECT_THROW(connection.execute_sql("SELECT 1"), pqxx::broken_connection);
    EXPECT_THROW(connection.transaction([&] { names(connection); }), pqxx::broken_connection);
}

TEST_F(DatabaseTest, TheNextJobHasANewSessionUnderTheRole) {
    Database database({.connection = as_reader(), .threads = 1});
    auto const identity = [](Connection& connection) {
        return std::pair(connection.raw().backendpid(),
                         read<std::string>(connection.execute_sql("SELECT current_user")[0][0]));
    };
    auto const before = run(database, identity);
    EXPECT_EQ(before.second, "core_test_reader");
    terminate(before.first);
    auto const after = run(database, identity);
    EXPECT_EQ(after.second, "core_test_reader");
    EXPECT_NE(after.first, before.first);
    EXPECT_EQ(database.stats().connects, 2U);
    EXPECT_EQ(database.stats().failures, 0U) << "a farewell that lies in the socket is seen before the job begins";
}

TEST_F(DatabaseTest, OneJobAtATimeNeedsNoSessionOfEachThread) {
    Database database({.connection = as_reader(), .threads = 8});
    for (int i = 0; i < 50; ++i) run(database, [](Connection& connection) { return names(connection); });
    EXPECT_LT(database.stats().connects, 8U);
}

TEST_F(DatabaseTest, OneStatementAndATransactionAreJobs) {
    static constexpr Statement kAdd{"core_test_add",
                                    "INSERT INTO core_test.item VALUES ($1, false, $2) RETURNING name"};
    Database database({.connection = {.url = test_url()}, .threads = 1});
    asio::io_context io(1);
    auto work = [&]() -> asio::awaitable<void> {
        auto const added = co_await database.execute(kAdd, 5, std::string("kept"));
        EXPECT_EQ(read<std::string>(added[0][0]), "kept");
        EXPECT_EQ(co_await database.transact([](Connection& connection) {
            connection.execute(kAdd, 5, "too");
            return 42;
        }),
                  42);
    };
    auto fails = [&]() -> asio::awaitable<void> {
        co_await database.transact([](Connection& connection) {
            connection.execute(kAdd, 5, "dropped");
            connection.execute(kAdd, 5, "kept");
        });
    };
    auto done = asio::co_spawn(io, work(), asio::use_future);
    io.run();
    done.get();
    io.restart();
    auto failed = asio::co_spawn(io, fails(), asio::use_future);
    io.run();
    EXPECT_THROW(failed.get(), pqxx::unique_violation);
    Connection connection(as_reader());
    connection.use({.organization = 5});
    EXPECT_EQ(names(connection), (Names{"kept", "too"}));
}

TEST_F(DatabaseTest, ASessionLostInAJobFailsThatJobOnly) {
    Database database({.connection = as_reader(), .threads = 1});
    EXPECT_THROW(run(database,
                     [](Connection& connection) {
                         terminate(connection.raw().backendpid());
                         connection.execute_sql("SELECT 1");
                     }),
                 DatabaseUnavailable);
    EXPECT_EQ(run(database, [](Connection& connection) { return names(connection); }), Names{});
    EXPECT_EQ(database.stats().failures, 1U);
}

TEST_F(DatabaseTest, AJobDoesNotInheritATenant) {
    Database database({.connection = as_reader(), .threads = 1});
    auto const one = run(database, [](Connection& connection) {
        connection.use({.organization = 1});
        return names(connection);
    });
    EXPECT_EQ(one, Names{"one"});
    EXPECT_EQ(run(database, [](Connection& connection) { return names(connection); }), Names{});
}

TEST_F(DatabaseTest, ErrorsOfStatementsComeThroughAsTheyAre) {
    Database database({.connection = as_reader(), .threads = 1});
    EXPECT_THROW(run(database, [](Connection& connection) { connection.execute_sql("SELECT 1 / 0"); }),
                 pqxx::sql_error);
    EXPECT_THROW(run(database, [](Connection&) -> int { throw std::out_of_range("mine"); }), std::out_of_range);
    EXPECT_EQ(database.stats().connects, 1U);
}

TEST_F(DatabaseTest, AStatementOverItsTimeIsUnavailability) {
    auto options = as_reader();
    options.statement_timeout = std::chrono::seconds(1);
    Database database({.connection = options, .threads = 1});
    EXPECT_THROW(run(database, [](Connection& connection) { connection.execute_sql("SELECT pg_sleep(30)"); }),
                 DatabaseUnavailable);
    EXPECT_EQ(run(database, [](Connection& connection) { return names(connection); }), Names{});
    EXPECT_EQ(database.stats().connects, 1U);
}

TEST_F(DatabaseTest, SettingsHoldInEverySession) {
    auto options = as_reader();
    options.settings = {{"synchronous_commit", "off"}};
    options.application_name = "it's me";
    Connection connection(options);
    EXPECT_EQ(read_view(connection.execute_sql("SHOW synchronous_commit")[0][0]), "off");
    EXPECT_EQ(read_view(connection.execute_sql("SHOW application_name")[0][0]), "it's me");
    EXPECT_EQ(read_view(connection.execute_sql("SHOW statement_timeout")[0][0]), "10s");
}

TEST_F(DatabaseTest, AnUnreachableServerIsUnavailability) {
    Database database({.connection = {.url = "postgresql://127.0.0.1:1/none"}, .threads = 1});
    EXPECT_THROW(run(database, [](Connection&) {}), DatabaseUnavailable);
    EXPECT_THROW(run(database, [](Connection&) {}), DatabaseUnavailable);
}

TEST_F(DatabaseTest, AFullQueueIsBusyAndStoppingEndsWhatWaits) {
    Database database({.connection = as_reader(), .threads = 1, .queue_limit = 4});
    asio::io_context io(1);
    tests::BusyThread first(database, io);
    std::jthread const loop([&io] { io.run(); });
    first.await_begun();
    auto const quick = [](Connection& connection) { return names(connection).size(); };
    TenantContext const tenant{.organization = 3};
    auto second = asio::co_spawn(io, database.run(quick, tenant), asio::use_future);
    auto third = asio::co_spawn(io, database.run(quick, tenant), asio::use_future);
    auto fourth = asio::co_spawn(io, database.run(quick, tenant), asio::use_future);
    EXPECT_THROW(fourth.get(), DatabaseBusy);
    EXPECT_EQ(database.stats().waiting, 2U);
    std::jthread const stopping([&database] { database.stop(); });
    first.release();
    EXPECT_EQ(second.get(), 0U);
    EXPECT_EQ(third.get(), 0U);
    database.stop();
    EXPECT_THROW(run(database, quick), DatabaseUnavailable);
    EXPECT_EQ(database.stats().jobs, 3U);
}

TEST_F(DatabaseTest, OrganizationsTakeTurnsAndNoneKeepsOthersOut) {
    Database database({.connection = as_reader(), .threads = 1, .queue_limit = 8});
    asio::io_context io(1);
    tests::BusyThread first(database, io);
    std::jthread const loop([&io, work = asio::make_work_guard(io)] { io.run(); });
    first.await_begun();
    static constexpr Statement kTenant{"core_test_tenant", "SELECT current_setting('app.organization', true)"};
    std::string order;  // of the pool's only thread
    auto const ask = [&](std::int64_t organization) {
        auto note = [&order](Connection& connection) {
            order += read<std::string>(connection.execute(kTenant)[0][0]) + ' ';
        };
        return asio::co_spawn(io, database.run(note, TenantContext{.organization = organization}), asio::use_future);
    };
    std::vector<std::future<void>> noisy;
    for (int i = 0; i < 5; ++i) noisy.push_back(ask(1));
    EXPECT_THROW(noisy.back().get(), DatabaseBusy);
    noisy.pop_back();
    auto second = ask(2), third = ask(3);
    std::vector<std::future<void>> others;
    for (std::int64_t organization = 4; organization < 12; ++organization) others.push_back(ask(organization));
    // However many they are, there is room for the service itself.
    auto own = asio::co_spawn(io, database.run([&order](Connection&) { order += "own "; }), asio::use_future);
    while (database.stats().waiting < 9) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    first.release();
    for (auto& each : noisy) each.get();
    second.get();
    third.get();
    own.get();
    EXPECT_EQ(order, "1 2 3 4 5 own 1 1 1 ");
    others[0].get();
    others[1].get();
    for (std::size_t i = 2; i < others.size(); ++i) EXPECT_THROW(others[i].get(), DatabaseBusy) << i;
    io.stop();
}

TEST_F(DatabaseTest, AServerThatStandsStillIsUnavailability) {
    auto options = as_reader();
    options.statement_timeout = std::chrono::seconds(1);
    Database database({.connection = options, .threads = 1});
    tests::StoppedProcess const stopped(
        run(database, [](Connection& connection) { return connection.raw().backendpid(); }));
    EXPECT_THROW(run(database, [](Connection& connection) { return names(connection); }), DatabaseUnavailable);
    EXPECT_EQ(run(database, [](Connection& connection) { return names(connection); }), Names{});
    EXPECT_EQ(database.stats().connects, 2U);
}

TEST_F(DatabaseTest, OfSessionsThatStandStillOneAloneIsWaitedFor) {
    auto options = as_reader();
    options.statement_timeout = std::chrono::seconds(1);
    SessionPool pool(options, 3);
    std::barrier all_there(3);
    std::vector<std::future<int>> borrowers;
    for (int i = 0; i < 3; ++i) {
        borrowers.push_back(std::async(std::launch::async, [&] {
            return pool.run([&](Connection& connection) {
                all_there.arrive_and_wait();
                return connection.raw().backendpid();
            });
        }));
    }
    std::list<tests::StoppedProcess> stopped;
    for (auto& each : borrowers) stopped.emplace_back(each.get());
    EXPECT_THROW(pool.run([](Connection& connection) { return names(connection); }), DatabaseUnavailable);
    EXPECT_EQ(pool.run([](Connection& connection) { return names(connection); }), Names{});
}

TEST_F(DatabaseTest, ManyCallersGetTheirOwnAnswersOnTheirOwnThread) {
    Database database({.connection = as_reader(), .threads = 4, .queue_limit = 100'000});
    asio::io_context io(1);
    static constexpr Statement kAdd{"core_test_add", "SELECT $1::bigint + 1"};
    int right = 0;
    auto const caller = [&](std::int64_t i) -> asio::awaitable<void> {
        auto const self = std::this_thread::get_id();
        auto const value = co_await database.run([i](Connection& connection) {
            return std::make_unique<std::int64_t>(read<std::int64_t>(connection.execute(kAdd, i)[0][0]));
        });
        EXPECT_EQ(std::this_thread::get_id(), self);
        if (*value == i + 1) ++right;
    };
    for (int i = 0; i < 2000; ++i) asio::co_spawn(io, caller(i), asio::detached);
    io.run();
    EXPECT_EQ(right, 2000);
}

}  // namespace
}  // namespace workforce::core
