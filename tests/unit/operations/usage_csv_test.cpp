// Cells, and how an export reads.
#include "operations/usage_csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace workforce::operations {
namespace {

TEST(UsageCsv, CellsAreQuotedAndNoFormulas) {
    EXPECT_EQ(csv_cell("plain"), "plain");
    EXPECT_EQ(csv_cell(""), "");
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
    for (std::string_view const start : {"=", "+", "-", "@", "\t"}) {
        EXPECT_EQ(csv_cell(std::string(start) + "1"), "'" + std::string(start) + "1");
    }
    EXPECT_EQ(csv_cell("\r1"), "\"'\r1\"");
    EXPECT_EQ(csv_cell("=\"a\",b"), "\"'=\"\"a\"\",b\"");
}

TEST(UsageCsv, SummaryComesBeforeRows) {
    projections::UsageExport all;
    all.figures = {.totalCalls = 2,
                   .uniqueKeys = 1,
                   .avgLatencyMs = {1205},
                   .p95LatencyMs = 20,
                   .errorCount = 1,
                   .outcomeCount = 1};
    all.outcomes = {{"shift_filled", 1}};
    std::vector<projections::UsageRecord> const records = {{.occurred_at = {1'784'880'000'000},
                                                            .request_id = "req_1",
                                                            .channel = "rest",
                                                            .tool = "POST /api/shifts/{id}/assign",
                                                            .status_code = 200,
                                                            .error_code = "",
                                                            .latency_ms = 20,
                                                            .key_id = 7,
                                                            .key_name = "=cmd",
                                                            .agent = "direct",
                                                            .facility_id = 0,
                                                            .outcome = "shift_filled"}};
    auto const window = projections::usage_window(30, {1'784'880'000'000});
    net::ByteBudget budget({});
    UsageCsv csv(budget, {});
    EXPECT_TRUE(csv.add(records, 1) && csv.finish(all, {30, window, R"({"orgUnitId":7})"}));
    EXPECT_EQ(
        csv.text(),
        "Summary\r\nmetric,value\r\nfrom,2026-06-24T08:00:00.000Z\r\nto,2026-07-24T08:00:00.000Z\r\n"
        "periodDays,30\r\nscope,\"{\"\"orgUnitId\"\":7}\"\r\ntotalCalls,2\r\nuniqueKeys,1\r\navgLatencyMs,12.05\r\n"
        "p95LatencyMs,20\r\nerrorCount,1\r\noutcomeCount,1\r\noutcome:shift_filled,1\r\ntruncated,false\r\n\r\n"
        "occurredAt,requestId,channel,tool,statusCode,errorCode,latencyMs,keyId,keyName,agent,facilityId,"
        "outcomeType\r\n"
        "2026-07-24T08:00:00.000Z,req_1,rest,POST /api/shifts/{id}/assign,200,,20,7,'=cmd,direct,,shift_filled\r\n");
    EXPECT_EQ(usage_csv_name(window), "usage-2026-06-24-2026-07-24.csv");
}

constexpr net::ByteHolder kOwner{.authenticated = true, .id = 7, .credential = 1};

/// Records whose lines are about as long as those of REST calls.
std::vector<projections::UsageRecord> many(std::size_t count, std::string const& name = "Roster of the north") {
    projections::UsageRecord const record{.occurred_at = {1'784'880'000'000},
                                          .request_id = "req_018f0c5e-a6de-71c0-8c7a-000000000001",
                                          .channel = "rest",
                                          .tool = "GET /api/shifts/{id}",
                                          .error_code = {},
                                          .key_id = 7,
                                          .key_name = name,
                                          .agent = "direct",
                                          .outcome = {}};
    return {count, record};
}

TEST(UsageCsv, HoldsWhatItTakesAndLittleMore) {
    constexpr std::size_t kRecords = 100'000;
    constexpr std::size_t kAtOnce = 1'000;
    net::ByteBudget budget({.authenticated = 128 << 20});
    UsageCsv csv(budget, kOwner);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < kRecords; i += kAtOnce) {
        ASSERT_TRUE(csv.add(many(kAtOnce), kRecords));
        ASSERT_GE(csv.held(), csv.text().capacity()) << i;
        largest = std::max(largest, budget.used());
    }
    ASSERT_TRUE(csv.finish({}, {}));
    auto const length = csv.text().size();
    EXPECT_GT(length, 10'000'000U);
    EXPECT_LT(largest, length * 5 / 4) << "room is taken once, and nothing is copied";
    {
        auto const [text, held] = csv.take();
        EXPECT_EQ(text.size(), length);
        EXPECT_GE(held.bytes(), text.capacity());
    }
    EXPECT_EQ(budget.used(), 0U);
}

TEST(UsageCsv, GrowsWhereLaterLinesAreLongerAndCountsBothTexts) {
    net::ByteBudget budget({.authenticated = 128 << 20});
    UsageCsv csv(budget, kOwner);
    ASSERT_TRUE(csv.add(many(1'000, "x"), 3'000));
    auto const first = csv.held();
    ASSERT_TRUE(csv.add(many(1'000, std::string(400, 'y')), 3'000));
    ASSERT_TRUE(csv.add(many(1'000, std::string(400, 'z')), 3'000));
    EXPECT_GT(csv.held(), first);
    EXPECT_GE(csv.held(), csv.text().capacity());
    EXPECT_EQ(std::ranges::count(csv.text(), '\n'), 3'000);
    EXPECT_EQ(budget.used(), csv.held());
}

TEST(UsageCsv, IsRefusedWhereThereIsNoRoomForAllOfIt) {
    net::ByteBudget budget({.authenticated = 4 << 20});
    {
        UsageCsv csv(budget, kOwner);
        EXPECT_FALSE(csv.add(many(1'000), 100'000)) << "it is known from the first records";
        EXPECT_EQ(csv.held(), 0U);
        EXPECT_TRUE(csv.add(many(1'000), 1'000));
        EXPECT_GT(csv.held(), 0U);
    }
    EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace workforce::operations
