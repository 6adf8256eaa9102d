// Usage rows on a real database: written once, added up once whoever does so, and kept for as long as organizations
// say.
#include "workers/usage/roll_ups.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/database.hpp"
#include "core/metrics.hpp"
#include "operations/usage_log.hpp"
#include "projections/usage/usage.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

class UsageRollUpTest : public testing::Test {
   protected:
    std::string ask(std::string const& sql) { return database_.ask(sql); }
    /// Adds open batches of so many rows, a minute each, the newest of which is so old.
    void fill(int batches, int rows, std::string const& age = "1 hour", core::Id organization = 7) {
        ask(fmt::format(R"(
INSERT INTO usage.call
SELECT (SELECT coalesce(max(batch_id), 0) FROM usage.call) + b, now() - interval '{2}' - b * interval '1 minute', gen_random_uuid(), {3}, 1, false, 'rest', 'live',
       9, '', 0, 'direct', '', 'GET /api/shifts', CASE WHEN n % 5 = 0 THEN 404 ELSE 200 END, '', n, ''
FROM generate_series(1, {0}) AS b, generate_series(1, {1}) AS n RETURNING 1)",
                        batches, rows, age, organization));
        ask("INSERT INTO usage.open_batch SELECT batch_id, min(occurred_at), max(occurred_at) FROM usage.call GROUP BY "
            "1 "
            "ON CONFLICT DO NOTHING RETURNING 1");
    }
    std::string totals(std::string const& period) {
        return ask(
            "SELECT sum(calls) || ' ' || sum(errors) || ' ' || sum(latency_ms) FROM usage.total WHERE period = '" +
            period + "'");
    }
    static operations::UsageRow row(int number) {
        operations::UsageRow row;
        row.at = core::now();
        row.request = operations::CorrelationId(fmt::format("req_00000000-0000-7000-8000-{:012}", number));
        row.organization = 7;
        row.channel = "rest";
        row.credential_type = "live";
        row.tool = "GET /api/\\shifts\t{id}";
        row.agent = operations::ShortName<64>("Claude \\N");
        row.status = 200;
        return row;
    }

    TestDatabase database_;
    core::SessionPool sessions_{{.url = database_.url(), .role = "workforce_writer"}, 4};
    core::Metrics metrics_;
};

TEST_F(UsageRollUpTest, AddsEachBatchOnceWhoeverDoesSo) {
    fill(120, 10);
    int first = 0;
    int second = 0;
    {
        std::jthread const other([&] { second = workers::roll_usage_up(sessions_); });
        first = workers::roll_usage_up(sessions_);
    }
    EXPECT_EQ(first + second, 120);
    EXPECT_EQ(workers::roll_usage_up(sessions_), 0);
    EXPECT_EQ(totals("hour"), "1200 240 6600");
    EXPECT_EQ(totals("day"), totals("hour"));
    EXPECT_EQ(ask("SELECT sum(calls) FROM usage.latency WHERE period = 'day' AND tool = ''"), "1200");
    EXPECT_EQ(ask("SELECT sum(calls) FROM usage.latency WHERE period = 'hour' AND tool <> ''"), "1200");
}

/// What an export of the organization's last days gave, in which pieces.
struct Exported {
    core::Result<projections::UsageExport> answer;
    std::vector<projections::UsageRecord> records{};
    std::vector<std::size_t> pieces{};
};

Exported export_usage(core::Database& database, int most, std::size_t room = 1'000'000) {
    projections::Scope scope;
    scope.organization = 7;
    Exported all{.answer = projections::UsageExport{}};
    auto const take = [&](std::vector<projections::UsageRecord> const& records, std::size_t) {
        if (all.records.size() + records.size() > room) return false;
        all.pieces.push_back(records.size());
        all.records.insert(all.records.end(), records.begin(), records.end());
        return true;
    };
    auto const window = projections::usage_window(2, core::now());
    all.answer = await(projections::usage_export(database, scope, window, most, take));
    return all;
}

TEST_F(UsageRollUpTest, ExportsComeInPiecesNewestFirst) {
    fill(25, 100);
    fill(1, 10, "1 hour", 8);
    core::DatabaseOptions options;
    options.connection = core::by_index({.url = database_.url(), .role = "workforce_reader"});
    options.threads = 1;
    core::Database database(options);
    auto const whole = export_usage(database, 2'500);
    ASSERT_TRUE(whole.answer);
    EXPECT_FALSE(whole.answer->truncated);
    EXPECT_EQ(whole.answer->figures.totalCalls, 2'500);
    EXPECT_EQ(whole.pieces, (std::vector<std::size_t>{1'000, 1'000, 500}));
    EXPECT_TRUE(std::ranges::is_sorted(whole.records, [](auto const& a, auto const& b) {
        return std::pair(a.occurred_at, a.request_id) > std::pair(b.occurred_at, b.request_id);
    }));
    auto const some = export_usage(database, 1'999);
    EXPECT_TRUE(some.answer->truncated);
    EXPECT_EQ(some.pieces, (std::vector<std::size_t>{1'000, 999}));
    EXPECT_EQ(some.records.back().request_id, whole.records.at(1'998).request_id);
    EXPECT_EQ(export_usage(database, 2'000).pieces, (std::vector<std::size_t>{1'000, 1'000}));
    auto const refused = export_usage(database, 2'500, 1'500);
    ASSERT_FALSE(refused.answer);
    EXPECT_EQ(refused.answer.error().code, core::Code::service_unavailable);
    EXPECT_EQ(refused.pieces.size(), 1U) << "nothing more is read";
    EXPECT_EQ(export_usage(database, 2'500).records.size(), 2'500U) << "and the session serves on";
}

TEST_F(UsageRollUpTest, RowsThatTheDatabaseRefusesHoldUpNoOthers) {
    operations::UsageLog log(sessions_, metrics_);
    for (int i = 0; i < 1'000; ++i) {
        auto written = row(i);
        if (i == 0 || i == 500 || i == 999) written.tool = std::string_view("GET /\0", 6);
        log.add(written);
    }
    log.stop();
    EXPECT_EQ(ask("SELECT count(DISTINCT request_id) || ' ' || count(*) FROM usage.call"), "997 997");
    EXPECT_EQ(log.dropped(), 3U);
}

TEST_F(UsageRollUpTest, BucketsAreExactBelow2048MillisecondsAndNearAbove) {
    EXPECT_EQ(ask("SELECT count(*) FROM generate_series(0, 2047) AS ms WHERE "
                  "usage.latency_edge(usage.latency_bucket(ms)) <> ms"),
              "0");
    // The longest time of a bucket is never less than what it counts, and 1.6 % more at most.
    auto const above =
        "FROM (SELECT ms, usage.latency_edge(usage.latency_bucket(ms)) AS edge FROM "
        "(SELECT generate_series(2048, 200000) UNION ALL SELECT (2147483647 - n * 999983)::int FROM "
        "generate_series(0, 2000) AS n) AS all_ms (ms)) AS each";
    EXPECT_EQ(ask(std::string("SELECT count(*) ") + above + " WHERE edge < ms OR edge > ms * 1.016"), "0");
    EXPECT_EQ(ask("SELECT count(*) FROM generate_series(1, 300000) AS ms WHERE usage.latency_bucket(ms) < "
                  "usage.latency_bucket(ms - 1)"),
              "0");
}

TEST_F(UsageRollUpTest, KeepsRowsForAsLongAsTheirOrganizationSays) {
    ask(R"(INSERT INTO reactor.usage_organization VALUES (7, 7, '{"retentionDays":30}'), (8, 8, '{"retentionDays":400}') RETURNING 1)");
    for (core::Id const organization : {7, 8}) {
        for (auto const* age : {"1 day", "31 days 1 hour", "402 days"}) fill(1, 1, age, organization);
        ask(fmt::format(
            "INSERT INTO reactor.usage_marker SELECT gen_random_uuid(), {}, 1, now() - d * interval '1 day', "
            "'shift_filled', "
            "'rest', 'live', 9, '', 0, 'direct', '', '', NULL FROM unnest(ARRAY[1, 32, 402]) AS d RETURNING 1",
            organization));
    }
    workers::roll_usage_up(sessions_);
    workers::prune_usage(sessions_);
    for (auto const* table : {"usage.call", "reactor.usage_marker"}) {
        auto const left = [&](int organization) {
            return ask(fmt::format("SELECT count(*) FROM {} WHERE organization_id = {}", table, organization));
        };
        EXPECT_EQ(left(7), "1") << table;
        EXPECT_EQ(left(8), "2") << table;
    }
    EXPECT_EQ(ask("SELECT string_agg(n::text, ' ' ORDER BY o) FROM (SELECT organization_id AS o, sum(calls) AS n FROM "
                  "usage.total "
                  "WHERE period = 'day' GROUP BY 1) AS t"),
              "1 2");
}

TEST_F(UsageRollUpTest, WritesWhatItWasGivenBeforeItStops) {
    {
        operations::UsageLog log(sessions_, metrics_);
        for (int i = 0; i < 2500; ++i) log.add(row(i));
        log.stop();
        EXPECT_EQ(log.dropped(), 0U);
        log.add(row(2500));
        EXPECT_EQ(log.dropped(), 1U) << "what comes too late is counted";
    }
    EXPECT_EQ(ask("SELECT count(DISTINCT request_id) || ' ' || count(*) FROM usage.call"), "2500 2500");
    EXPECT_EQ(ask("SELECT DISTINCT tool || agent FROM usage.call"), "GET /api/\\shifts\t{id}Claude \\N");
    EXPECT_EQ(ask("SELECT count(*) FROM usage.call c WHERE NOT EXISTS (SELECT FROM usage.open_batch b WHERE b.id = "
                  "c.batch_id "
                  "AND c.occurred_at BETWEEN b.first_at AND b.last_at)"),
              "0");
}

TEST_F(UsageRollUpTest, CountsEachRowThatItCannotWrite) {
    core::SessionPool nowhere({.url = "postgresql://127.0.0.1:1/none", .connect_timeout = std::chrono::seconds(1)}, 1);
    operations::UsageLog log(nowhere, metrics_);
    auto const many = operations::UsageLog::kMostRows + 1000;
    for (std::size_t i = 0; i < many; ++i) log.add(row(static_cast<int>(i)));
    EXPECT_LE(log.waiting(), operations::UsageLog::kMostRows);
    log.stop();
    EXPECT_EQ(log.dropped(), many);
}

}  // namespace
}  // namespace workforce::tests
