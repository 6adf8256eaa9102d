// The Postgres engine: the contract, and what only Postgres can do to it.
#include "events/log/postgres/postgres_log.hpp"

#include <gtest/gtest.h>

#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <pqxx/transaction>

#include "tests/contract/log_contract.hpp"
#include "tests/support/private_cluster.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

using events::AppendFault;
using events::PostgresLog;
using events::PostgresLogOptions;

PostgresLogOptions options_for(std::string const& url) {
    PostgresLogOptions options;
    options.database_url = url;
    return options;
}

struct PostgresEngine {
    PostgresEngine() : admin(server_url()) { PostgresLog::initialize(database.url(), kPartitions); }

    std::unique_ptr<events::EventLog> open() { return std::make_unique<PostgresLog>(options_for(database.url())); }
    void cut() {
        // Once it has ended, for another log of this process would take over what is about to end.
        pqxx::nontransaction(admin).exec(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '" + database.name() + "'");
    }

    TestDatabase database;
    pqxx::connection admin;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, LogContract, PostgresEngine);

class PostgresLogTest : public testing::Test {
   protected:
    /// Waits until a backend of the test's database waits for a lock; throws when none does in half a minute.
    void await_blocked() {
        pqxx::nontransaction watch(engine_.admin);
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (watch
                   .exec("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '" +
                         engine_.database.name() + "'")
                   .empty()) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("nothing waits for a lock");
        }
    }

    PostgresEngine engine_;
    std::unique_ptr<events::EventLog> log_ = engine_.open();
};

TEST_F(PostgresLogTest, NumberOfPartitionsIsFixed) {
    PostgresLog::initialize(engine_.database.url(), kPartitions);
    EXPECT_THROW(PostgresLog::initialize(engine_.database.url(), 8), std::runtime_error);
    EXPECT_THROW(PostgresLog::initialize(engine_.database.url(), 0), std::invalid_argument);
    EXPECT_EQ(engine_.open()->partitions(), kPartitions);
}

TEST_F(PostgresLogTest, UninitializedOrUnreachableLogDoesNotOpen) {
    TestDatabase const empty;
    EXPECT_THROW(PostgresLog log(options_for(empty.url())), std::runtime_error);
    EXPECT_THROW(PostgresLog log(options_for("host=/nonexistent dbname=none")), events::LogUnavailable);
}

TEST_F(PostgresLogTest, RefusesWhatIsNoLine) {
    LogWriter writer(*log_, 0);
    for (std::string const& body : {std::string(), std::string("{\n}"), std::string("1\0", 2)}) {
        EXPECT_THROW(writer.append_records({"1", body}), std::invalid_argument);
    }
    EXPECT_THROW(await(log_->append(writer.claim, writer.head, writer.head, {"1"})), std::invalid_argument);
    EXPECT_THROW(LogWriter(*log_, kPartitions), std::out_of_range);
    EXPECT_EQ(log_->head(0).position, -1);
}

TEST_F(PostgresLogTest, ReadNeverPassesAGap) {
    LogWriter writer(*log_, 0);
    ASSERT_TRUE(writer.append(make_data("x", 5)));
    pqxx::connection superuser(engine_.database.url());
    pqxx::nontransaction(superuser).exec("DELETE FROM log.event WHERE position IN (0, 2)");
    auto const other = engine_.open();
    EXPECT_THROW(other->read(0, 0, 10, 1), std::runtime_error);
    EXPECT_EQ(other->read(0, 1, 1, 1000).size(), 1U);
    EXPECT_THROW(other->read(0, 1, 10, 1000), std::runtime_error);
}

TEST_F(PostgresLogTest, ClaimsAreOnRecord) {
    LogWriter first(*log_, 7, "first");
    ASSERT_TRUE(first.append(make_data("x", 2)));
    LogWriter const second(*log_, 7, "second");
    pqxx::connection superuser(engine_.database.url());
    auto const rows = pqxx::nontransaction(superuser).exec(
        "SELECT epoch, position, owner FROM log.claim WHERE partition = 7 ORDER BY 1");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0][2].as<std::string>(), "first");
    EXPECT_EQ(rows[0][1].as<std::int64_t>(), -1);
    EXPECT_EQ(rows[1][0].as<std::int64_t>(), second.claim.epoch);
    EXPECT_EQ(rows[1][1].as<std::int64_t>(), 1);
}

// A writer whose append is sent but commits late, while others read and take over.
TEST_F(PostgresLogTest, LateCommitHidesNothingAndClaimWaitsForIt) {
    LogWriter zombie(*log_, 0, "zombie");
    ASSERT_TRUE(zombie.append(make_data("early", 3)));
    pqxx::connection session(engine_.database.url());
    pqxx::work late(session);
    auto const bodies = make_command(zombie.claim.epoch, zombie.head, make_data("late", 2));
    auto const after = chained(zombie.head, bodies);
    late.exec_params("UPDATE log.partition SET head = $1, head_hash = $2 WHERE partition = 0 AND epoch = $3",
                     after.position, after.hash, zombie.claim.epoch);
    late.exec_params("INSERT INTO log.event VALUES (0, 3, $1), (0, 4, $2)", bodies[0], bodies[1]);

    auto const other = engine_.open();
    auto claim = std::async(std::launch::async, [&] { return await(other->claim(0, "next")); });
    await_blocked();
    EXPECT_EQ(read_all(*other, 0).size(), 3U) << "an event that may yet be rolled back was read";
    EXPECT_EQ(other->head(0), zombie.head);
    late.commit();
    auto const claimed = claim.get();
    EXPECT_EQ(claimed.head, after);
    LogWriter next(*other, 0);
    ASSERT_TRUE(next.append(make_data("next", 1)));
    EXPECT_EQ(read_all(*log_, 0).size(), 6U);
    EXPECT_EQ(read_all(*other, 0).size(), 6U);
    EXPECT_EQ(zombie.append(make_data("zombie", 1)), tl::unexpected(AppendFault::fenced));
}

// The same with readers that poll all the while, and many late commits.
TEST_F(PostgresLogTest, ReadersSeeAGaplessPrefixWhileCommitsLag) {
    LogWriter writer(*log_, 0);
    auto const other = engine_.open();
    auto reading = std::async(std::launch::async, [&] {
        Bodies seen;
        while (seen.size() < 60) {
            auto const more = read_all(*other, 0, static_cast<std::int64_t>(seen.size()), 7);
            seen.insert(seen.end(), more.begin(), more.end());
        }
        return seen;
    });
    Bodies expected;
    pqxx::connection session(engine_.database.url());
    for (int i = 0; i < 20; ++i) {
        auto const late_body = make_command(writer.claim.epoch, writer.head, {std::to_string(i)});
        auto const after = chained(writer.head, late_body);
        std::future<Appended> following;
        {
            pqxx::work late(session);
            late.exec_params("UPDATE log.partition SET head = $1, head_hash = $2 WHERE partition = 0", after.position,
                             after.hash);
            late.exec_params("INSERT INTO log.event VALUES (0, $1, $2)", after.position, late_body[0]);
            // Another append to the same place is under way before this one commits, and can't overtake it.
            following =
                std::async(std::launch::async, [&writer, i] { return writer.append(make_data(std::to_string(i), 2)); });
            await_blocked();
            late.commit();
        }
        EXPECT_EQ(following.get(), tl::unexpected(AppendFault::fenced));
        writer.head = after;
        ASSERT_TRUE(writer.append(make_data(std::to_string(i), 2)));
        expected.push_back(std::to_string(i));
        for (auto& body : make_data(std::to_string(i), 2)) expected.push_back(std::move(body));
    }
    EXPECT_EQ(reading.get(), expected);
}

TEST_F(PostgresLogTest, AppendCutInFlightIsUnknownAndTheLogWhole) {
    LogWriter writer(*log_, 0);
    ASSERT_TRUE(writer.append(make_data("x", 2)));
    pqxx::connection session(engine_.database.url());
    auto blocker = std::make_unique<pqxx::work>(session);
    blocker->exec("SELECT FROM log.partition FOR UPDATE");
    auto append = std::async(std::launch::async, [&] { return writer.append(make_data("doubtful", 2)); });
    await_blocked();
    // That one alone: were the blocker cut first, the append might yet be written, which "unknown" allows.
    pqxx::nontransaction(engine_.admin)
        .exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '" +
              engine_.database.name() + "'");
    EXPECT_EQ(append.get(), tl::unexpected(AppendFault::unknown));
    blocker.reset();
    LogWriter next(*log_, 0);
    EXPECT_EQ(next.head.position, 1);
    EXPECT_EQ(writer.append(make_data("zombie", 1)), tl::unexpected(AppendFault::fenced));
    ASSERT_TRUE(next.append(make_data("next", 1)));
    EXPECT_EQ(read_all(*log_, 0).size(), 3U);
}

TEST_F(PostgresLogTest, AppendThatHangsEndsAsUnknown) {
    auto options = options_for(engine_.database.url());
    options.timeout = std::chrono::seconds(2);
    PostgresLog hasty(options);
    LogWriter writer(hasty, 0);
    pqxx::connection session(engine_.database.url());
    pqxx::work blocker(session);
    blocker.exec("SELECT FROM log.partition FOR UPDATE");
    EXPECT_EQ(writer.append(make_data("x", 1)), tl::unexpected(AppendFault::unknown));
    EXPECT_THROW(LogWriter(hasty, 0), events::LogUnavailable);
    blocker.abort();
    EXPECT_TRUE(LogWriter(hasty, 0).append(make_data("x", 1)));
    EXPECT_EQ(read_all(hasty, 0).size(), 1U);
}

// What becomes of one partition is no concern of the others, although they share the sessions that append.
TEST_F(PostgresLogTest, LockedFencedAndDamagedPartitionsKeepNobodyWaiting) {
    auto options = options_for(engine_.database.url());
    options.timeout = std::chrono::minutes(2);
    PostgresLog patient(options);
    LogWriter locked(patient, 1);
    LogWriter fenced(patient, 2, "former");
    LogWriter damaged(patient, 3);
    LogWriter const next(*log_, 2, "next");
    pqxx::connection superuser(engine_.database.url());
    pqxx::nontransaction(superuser).exec("INSERT INTO log.event VALUES (3, 0, 'what nobody appended')");
    pqxx::connection session(engine_.database.url());
    pqxx::work holder(session);
    holder.exec("SELECT FROM log.partition WHERE partition = 1 FOR UPDATE");
    auto waiting = std::async(std::launch::async, [&] { return locked.append(make_data("late", 1)); });
    await_blocked();
    LogWriter well(patient, 0);
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(fenced.append(make_data("zombie", 1)), tl::unexpected(AppendFault::fenced));
        EXPECT_EQ(damaged.append(make_data("x", 1)), tl::unexpected(AppendFault::unknown));
        EXPECT_TRUE(well.append(make_data("x", 1)));
    }
    EXPECT_EQ(waiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    holder.commit();
    EXPECT_TRUE(waiting.get());
    EXPECT_EQ(read_all(*log_, 0).size(), 3U);
    EXPECT_EQ(log_->head(1), locked.head);
    EXPECT_EQ(log_->head(2), events::Head{});
    EXPECT_EQ(log_->head(3), events::Head{});
}

/// Calls f until it finds the log, for at most half a minute.
template <class F>
auto once_available(F f) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
        try {
            return f();
        } catch (events::LogUnavailable const&) {
            if (std::chrono::steady_clock::now() > deadline) throw;
        }
    }
}

TEST(PostgresLogOutage, NothingAcknowledgedIsLostAndAllGoesOn) {
    PrivateCluster cluster;
    TestDatabase const database(cluster.url(), TestDatabase::Schema::migrated);
    PostgresLog::initialize(database.url(), 2);
    PostgresLog log(options_for(database.url()));
    PostgresLog other(options_for(database.url()));
    LogWriter writer(log, 0);
    ASSERT_TRUE(writer.append(make_data("before", 3)));
    EXPECT_EQ(read_all(other, 0).size(), 3U);

    cluster.crash();
    EXPECT_EQ(writer.append(make_data("during", 1)), tl::unexpected(AppendFault::unknown));
    EXPECT_EQ(writer.confirm(), tl::unexpected(AppendFault::unknown));
    for (PostgresLog* each : {&log, &other}) {
        EXPECT_THROW(LogWriter(*each, 0), events::LogUnavailable);
        EXPECT_THROW(each->read(0, 0, 10, 1000), events::LogUnavailable) << "what is in doubt must not be served";
        EXPECT_THROW(each->head(0), events::LogUnavailable);
        each->wait(0, 3, std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(turns_silent(log, true));

    cluster.start();
    EXPECT_EQ(once_available([&] { return log.head(0); }).position, 2);
    EXPECT_TRUE(turns_silent(log, false));
    auto waiting = std::async(std::launch::async, [&] {
        while (once_available([&] { return other.read(0, 3, 1, 1000); }).empty())
            other.wait(0, 3, std::chrono::minutes(10));
    });
    // Each connection finds out by itself that the server is back, so doubt may come once more.
    once_available([&] {
        if (!LogWriter(log, 0).append(make_data("after", 2))) throw events::LogUnavailable("not yet");
    });
    waiting.get();
    once_available([&] {
        auto const result = writer.append(make_data("zombie", 1));
        if (result == tl::unexpected(AppendFault::unknown)) throw events::LogUnavailable("not yet");
        EXPECT_EQ(result, tl::unexpected(AppendFault::fenced));
    });
    EXPECT_EQ(read_all(log, 0), read_all(other, 0));
    EXPECT_EQ(read_all(other, 0).size(), 5U);
}

}  // namespace
}  // namespace workforce::tests
