// Cells, and how an export reads.
#include "operations/usage_csv.hpp"

#include <gtest/gtest.h>

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
    all.records = {{.occurred_at = {1'784'880'000'000},
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
    auto const text = usage_csv(all, {30, window, R"({"orgUnitId":7})"});
    EXPECT_EQ(
        text,
        "Summary\r\nmetric,value\r\nfrom,2026-06-24T08:00:00.000Z\r\nto,2026-07-24T08:00:00.000Z\r\n"
        "periodDays,30\r\nscope,\"{\"\"orgUnitId\"\":7}\"\r\ntotalCalls,2\r\nuniqueKeys,1\r\navgLatencyMs,12.05\r\n"
        "p95LatencyMs,20\r\nerrorCount,1\r\noutcomeCount,1\r\noutcome:shift_filled,1\r\ntruncated,false\r\n\r\n"
        "occurredAt,requestId,channel,tool,statusCode,errorCode,latencyMs,keyId,keyName,agent,facilityId,"
        "outcomeType\r\n"
        "2026-07-24T08:00:00.000Z,req_1,rest,POST /api/shifts/{id}/assign,200,,20,7,'=cmd,direct,,shift_filled\r\n");
    EXPECT_EQ(usage_csv_name(window), "usage-2026-06-24-2026-07-24.csv");
}

}  // namespace
}  // namespace workforce::operations
