// Time that is taken, and how much has to be looked at to tell.
#include "commands/time_spans.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace workforce::tests {
namespace {

using core::Timestamp;

std::size_t g_comparisons = 0;

struct CountingLess {
    bool operator()(Timestamp a, Timestamp b) const {
        ++g_comparisons;
        return a < b;
    }
};

TEST(TimeSpans, OverlapsWhatIsTakenAndNotWhatTouches) {
    commands::TimeSpans<> taken;
    EXPECT_FALSE(taken.overlaps({0}, {100}));
    taken.add({10}, {20});
    taken.add({40}, {50});
    struct {
        std::int64_t starts, ends;
        bool overlaps;
    } const cases[] = {{0, 10, false}, {0, 11, true},  {12, 13, true}, {19, 30, true},  {20, 40, false},
                       {20, 41, true}, {0, 100, true}, {49, 60, true}, {50, 60, false}, {30, 35, false}};
    for (auto const& c : cases)
        EXPECT_EQ(taken.overlaps({c.starts}, {c.ends}), c.overlaps) << c.starts << ' ' << c.ends;
}

TEST(TimeSpans, WhatOverlapsIsOneSpan) {
    commands::TimeSpans<> taken;
    for (auto const& [starts, ends] : {std::pair(10, 20), {30, 40}, {15, 35}, {0, 12}, {50, 60}})
        taken.add({starts}, {ends});
    EXPECT_EQ(taken.count(), 2U);
    EXPECT_TRUE(taken.overlaps({0}, {1}));
    EXPECT_TRUE(taken.overlaps({25}, {26})) << "what lay between them";
    EXPECT_FALSE(taken.overlaps({40}, {50}));
    EXPECT_TRUE(taken.overlaps({59}, {70}));
}

// A person in each of many shifts of one request: each is compared with few of the others.
TEST(TimeSpans, LooksAtFewOfMany) {
    constexpr std::int64_t kMany = 1000;
    commands::TimeSpans<CountingLess> taken;
    g_comparisons = 0;
    for (std::int64_t i = 0; i < kMany; ++i) {
        auto const starts = i * 7919 % kMany * 10;  // in no order
        ASSERT_FALSE(taken.overlaps({starts}, {starts + 10}));
        taken.add({starts}, {starts + 10});
    }
    EXPECT_EQ(taken.count(), static_cast<std::size_t>(kMany));
    EXPECT_LT(static_cast<double>(g_comparisons), 8.0 * kMany * std::log2(kMany)) << "of " << kMany * kMany / 2;
}

}  // namespace
}  // namespace workforce::tests
