// Lengths of bars.
#include "operations/dashboard/usage_chart.hpp"

#include <algorithm>
#include <vector>

namespace workforce::operations {

struct UsageBar {
    std::string day;  ///< 2026-07-24
    std::int64_t calls = 0;
    std::int64_t failed = 0;
    std::int64_t outcomes = 0;
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t height = 0;
    std::int64_t failed_top = 0;
    std::int64_t failed_height = 0;
};
BOOST_DESCRIBE_STRUCT(UsageBar, (), (day, calls, failed, outcomes, left, top, height, failed_top, failed_height))

struct UsageChart {
    std::int64_t width = 0;
    std::int64_t most = 0;    ///< calls of the busiest day
    std::int64_t failed = 0;  ///< of all days
    std::string first;
    std::string last;
    std::vector<UsageBar> days;
};
BOOST_DESCRIBE_STRUCT(UsageChart, (), (width, most, failed, first, last, days))

namespace {

constexpr std::int64_t kHeight = 100;
constexpr std::int64_t kPlace = 10;  // of a bar with what lies between two
constexpr std::size_t kDayLength = 10;

/// How high a bar of so many is, of which `most` fill the picture; whatever is not nothing can be seen.
std::int64_t height_of(std::int64_t count, std::int64_t most) {
    return count == 0 ? 0 : std::max<std::int64_t>(1, count * kHeight / most);
}

}  // namespace

std::string usage_chart(core::JsonValue const& series) {
    UsageChart chart;
    for (auto const& bucket : series["data"].GetArray()) {
        UsageBar bar;
        bar.day = std::string_view(bucket["bucket"].GetString()).substr(0, kDayLength);
        bar.calls = bucket["totalCalls"].GetInt64();
        bar.failed = bucket["errorCount"].GetInt64();
        bar.outcomes = bucket["outcomeCount"].GetInt64();
        bar.left = chart.width;
        chart.width += kPlace;
        chart.most = std::max(chart.most, bar.calls);
        chart.failed += bar.failed;
        chart.days.push_back(std::move(bar));
    }
    if (chart.most == 0) return {};
    for (auto& bar : chart.days) {
        bar.height = height_of(bar.calls, chart.most);
        bar.top = kHeight - bar.height;
        bar.failed_height = height_of(bar.failed, chart.most);
        bar.failed_top = kHeight - bar.failed_height;
    }
    chart.first = chart.days.front().day;
    chart.last = chart.days.back().day;
    return core::to_json(chart);
}

}  // namespace workforce::operations
