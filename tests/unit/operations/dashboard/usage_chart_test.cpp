// The lengths of a chart's bars.
#include "operations/dashboard/usage_chart.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace workforce::operations {
namespace {

std::string chart_of(std::string const& buckets) {
    return usage_chart(*core::parse_json(R"({"granularity":"day","data":[)" + buckets + "]}"));
}

std::string bucket(std::string const& day, int calls, int failed) {
    nlohmann::json const bucket{
        {"bucket", day + "T00:00:00.000Z"}, {"totalCalls", calls}, {"errorCount", failed}, {"outcomeCount", 2}};
    return bucket.dump();
}

TEST(UsageChart, TheBusiestDayFillsThePicture) {
    auto const chart = nlohmann::json::parse(
        chart_of(bucket("2026-07-24", 40, 20) + ',' + bucket("2026-07-25", 0, 0) + ',' + bucket("2026-07-26", 10, 0)));
    EXPECT_EQ(chart["width"], 30);
    EXPECT_EQ(chart["most"], 40);
    EXPECT_EQ(chart["failed"], 20);
    EXPECT_EQ(chart["first"], "2026-07-24");
    EXPECT_EQ(chart["last"], "2026-07-26");
    auto const& days = chart["days"];
    EXPECT_EQ(days[0],
              nlohmann::json::parse(R"({"day":"2026-07-24","calls":40,"failed":20,"outcomes":2,"left":0,"top":0,)"
                                    R"("height":100,"failed_top":50,"failed_height":50})"));
    EXPECT_EQ(days[1]["height"], 0);
    EXPECT_EQ(days[2]["height"], 25);
    EXPECT_EQ(days[2]["top"], 75);
    EXPECT_EQ(days[2]["left"], 20);
}

TEST(UsageChart, FewBesideManyCanBeSeen) {
    auto const chart =
        nlohmann::json::parse(chart_of(bucket("2026-07-24", 100'000, 1) + ',' + bucket("2026-07-25", 1, 0)));
    EXPECT_EQ(chart["days"][0]["failed_height"], 1);
    EXPECT_EQ(chart["days"][1]["height"], 1);
}

TEST(UsageChart, ThereIsNoneOfNothing) {
    EXPECT_EQ(chart_of(""), "");
    EXPECT_EQ(chart_of(bucket("2026-07-24", 0, 0)), "");
}

}  // namespace
}  // namespace workforce::operations
