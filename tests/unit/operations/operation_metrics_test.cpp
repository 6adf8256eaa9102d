// Outcomes, times and reasons by operation.
#include "operations/operation_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/allocations.hpp"

namespace workforce::operations {
namespace {

using testing::HasSubstr;
using testing::Not;

Facts facts_of(std::string_view verb, std::uint16_t status, double seconds) {
    auto const& all = operations();
    auto const row = std::ranges::find(all, verb, &Operation::name);
    return Facts{.verb = row->name, .row = row->row, .status = status, .seconds = seconds};
}

TEST(OperationMetrics, RowsAreThoseOfTheTable) {
    for (std::size_t i = 0; i < operations().size(); ++i) EXPECT_EQ(operations()[i].row, i);
}

TEST(OperationMetrics, CountsOutcomesAndTimes) {
    core::Metrics metrics;
    OperationMetrics noted(metrics);
    noted.note(facts_of("shifts.get", 200, 0.0004));
    noted.note(facts_of("shifts.get", 404, 0.004));
    noted.note({});
    auto const text = metrics.render();
    EXPECT_THAT(text, HasSubstr("workforce_operations_total{operation=\"shifts.get\",result=\"done\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("workforce_operations_total{operation=\"shifts.get\",result=\"refused\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE workforce_operation_seconds histogram\n"));
    EXPECT_THAT(text, HasSubstr("workforce_operation_seconds_count{operation=\"shifts.get\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("workforce_operation_seconds_sum{operation=\"shifts.get\"} 0.0044"));
    EXPECT_THAT(text, HasSubstr("workforce_operation_seconds_bucket{operation=\"shifts.get\",le=\"0.001\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("workforce_operation_seconds_bucket{operation=\"shifts.get\",le=\"0.005\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("workforce_operation_seconds_bucket{operation=\"shifts.get\",le=\"+Inf\"} 2\n"));
    EXPECT_THAT(text, Not(HasSubstr("workforce_operation_seconds_count{operation=\"shifts.list\"}")));
}

TEST(OperationMetrics, CountsStaleReadsAndReasonsOf503) {
    core::Metrics metrics;
    OperationMetrics noted(metrics);
    auto stale = facts_of("shifts.get", 200, 0.1);
    stale.stale = true;
    noted.note(stale);
    auto away = facts_of("shifts.get", 503, 0.1);
    away.unavailable = Unavailable::database;
    noted.note(away);
    auto behind = facts_of("shifts.get", 503, 0.1);
    behind.refused = core::Code::read_model_behind;
    noted.note(behind);
    auto log = facts_of("shifts.create", 503, 0.1);
    log.refused = core::Code::log_unavailable;
    noted.note(log);
    auto done = facts_of("shifts.get", 200, 0.1);
    done.unavailable = Unavailable::forwarding;
    noted.note(done);
    auto const text = metrics.render();
    EXPECT_THAT(text, HasSubstr("workforce_stale_reads_total 1\n"));
    for (auto const* reason : {"database", "read_model", "log"}) {
        EXPECT_THAT(text, HasSubstr("workforce_unavailable_total{reason=\"" + std::string(reason) + "\"} 1\n"));
    }
    EXPECT_THAT(text, HasSubstr("workforce_unavailable_total{reason=\"forwarding\"} 0\n"));
}

TEST(OperationMetrics, NotingTakesNoMemory) {
    core::Metrics metrics;
    OperationMetrics noted(metrics);
    auto facts = facts_of("shifts.get", 200, 0.0004);
    auto const before = tests::allocations();
    for (std::uint16_t const status : {200, 404, 503}) {
        facts.status = status;
        noted.note(facts);
    }
    EXPECT_EQ(tests::allocations(), before);
    EXPECT_NE(std::string(100, 'x'), "");
    if (before) EXPECT_GT(tests::allocations(), before) << "they are counted";
}

}  // namespace
}  // namespace workforce::operations
