// Metrics by name and labels, and their text.
#include "core/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace workforce::core {
namespace {

using testing::HasSubstr;

TEST(Metrics, TheSameNameAndLabelsAreTheSameMetric) {
    Metrics metrics;
    auto& first = metrics.counter("requests_total", "Requests", {{"route", "a"}});
    auto& other = metrics.counter("requests_total", "Requests", {{"route", "b"}});
    EXPECT_NE(&first, &other);
    EXPECT_EQ(&first, &metrics.counter("requests_total", "Requests", {{"route", "a"}}));
    EXPECT_THROW(metrics.gauge("requests_total", "Requests"), std::invalid_argument);
}

TEST(Metrics, RendersAll) {
    Metrics metrics;
    metrics.counter("requests_total", "Requests", {{"route", "say \"hi\""}}).Increment(3);
    metrics.gauge("queue", "Waiting").Set(7);
    metrics.histogram("seconds", "Time", {}, latency_bounds()).Observe(0.003);
    auto const text = metrics.render();
    EXPECT_THAT(text, HasSubstr("# TYPE requests_total counter\nrequests_total{route=\"say \\\"hi\\\"\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE queue gauge\nqueue 7\n"));
    EXPECT_THAT(text, HasSubstr("seconds_bucket{le=\"0.002\"} 0\nseconds_bucket{le=\"0.005\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("seconds_bucket{le=\"+Inf\"} 1\n"));
}

TEST(Metrics, GaugesAreRefreshedBeforeTheyAreShown) {
    Metrics metrics;
    auto& gauge = metrics.gauge("queue", "Waiting");
    int length = 1;
    metrics.before_render([&] { gauge.Set(length); });
    EXPECT_THAT(metrics.render(), HasSubstr("queue 1\n"));
    length = 2;
    EXPECT_THAT(metrics.render(), HasSubstr("queue 2\n"));
}

}  // namespace
}  // namespace workforce::core
