// The billing outbox on a real database: what metrics count of it, and how much of it they look at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <pqxx/result>
#include <string>

#include "core/session_pool.hpp"
#include "tests/support/test_database.hpp"
#include "workers/billing/delivery.hpp"

namespace workforce::tests {
namespace {

class BillingStandingTest : public testing::Test {
   protected:
    pqxx::result ask(std::string const& sql) { return database_.query(sql); }
    /// Adds so many rows, each a second older than the next.
    void add(std::string const& status, int rows) {
        ask(fmt::format(R"(
INSERT INTO ops.billing_outbox (organization_id, request_id, event_name, identifier, occurred_at, status, created_at)
SELECT 7, '{0}' || n, 'shift_filled', '{0}' || n, now(), '{0}', now() - ({1} - n) * interval '1 second'
FROM generate_series(1, {1}) AS n)",
                        status, rows));
    }
    std::map<std::string, std::int64_t> counted() {
        std::map<std::string, std::int64_t> all;
        for (auto const& each : sessions_.run(&workers::read_billing)) {
            all[each.status] = each.rows;
            if (each.status == "pending") oldest_pending_ = each.oldest_seconds;
        }
        return all;
    }
    /// Rows of the outbox that were read so far, by whatever plan.
    std::int64_t rows_read() {
        ask("SELECT pg_stat_force_next_flush()");
        return ask("SELECT (SELECT seq_tup_read FROM pg_stat_all_tables WHERE relid = 'ops.billing_outbox'::regclass) "
                   "+ "
                   "(SELECT sum(idx_tup_read) FROM pg_stat_all_indexes WHERE relid = 'ops.billing_outbox'::regclass)")
            .at(0)[0]
            .as<std::int64_t>();
    }

    TestDatabase database_;
    core::SessionPool sessions_{core::by_index({.url = database_.url(), .role = "workforce_writer"}), 1};
    double oldest_pending_ = 0;
};

TEST_F(BillingStandingTest, CountsWhatWasNotSentUpToABound) {
    EXPECT_EQ(counted(),
              (std::map<std::string, std::int64_t>{{"pending", 0}, {"dead", 0}, {"held", 0}, {"no_subject", 0}}));
    EXPECT_EQ(oldest_pending_, 0);
    add("pending", 30);
    add("dead", 2);
    add("no_subject", workers::kMostCountedBills + 5);
    EXPECT_EQ(counted(), (std::map<std::string, std::int64_t>{
                             {"pending", 30}, {"dead", 2}, {"held", 0}, {"no_subject", workers::kMostCountedBills}}));
    EXPECT_NEAR(oldest_pending_, 29, 5);
}

TEST_F(BillingStandingTest, LooksAtNothingThatWasSent) {
    add("sent", 20'000);
    add("dead", 3);
    ask("ANALYZE ops.billing_outbox");
    auto const read_by = [&](auto const& work) {
        auto const before = rows_read();
        sessions_.run([&](core::Connection& connection) {
            work(connection);
            connection.execute_sql("SELECT pg_stat_force_next_flush()");
        });
        return rows_read() - before;
    };
    EXPECT_LT(read_by(&workers::read_billing), 100) << "however much of it there is";
    auto const all = [](core::Connection& connection) {
        connection.execute_sql("SELECT count(*) FROM ops.billing_outbox");
    };
    EXPECT_GE(read_by(all), 20'003) << "what is read shows";
}

}  // namespace
}  // namespace workforce::tests
