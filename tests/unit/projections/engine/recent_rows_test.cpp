// What projections remember, within bytes.
#include "projections/engine/recent_rows.hpp"

#include <gtest/gtest.h>

#include <string>

namespace workforce::tests {
namespace {

using projections::RecentRows;
using projections::RowMemory;

constexpr std::size_t kLimit = 1 << 20;
constexpr std::size_t kLarge = 100'000;

/// A batch that touches the rows of these ids, each of so many bytes.
void touch(RecentRows<std::string>& rows, core::Id first, core::Id last, std::size_t bytes) {
    rows.begin_batch();
    for (auto id = first; id <= last; ++id) {
        auto& row = rows.get(id);
        row.version = 1;
        std::string(bytes, 'x').swap(row.state);
        rows.weigh(row);
    }
}

TEST(RecentRowsTest, HoldAsManyBytesAsTheyMay) {
    RowMemory memory(kLimit);
    RecentRows<std::string> rows(memory);
    for (core::Id id = 1; id <= 1000; ++id) {
        touch(rows, id, id, kLarge);
        ASSERT_LE(memory.used(), kLimit);
        if (id > 10) ASSERT_GE(memory.used(), kLimit / 4);
    }
    EXPECT_GT(memory.dropped(), 900U);
    EXPECT_EQ(rows.get(1000).version, 1) << "the last one is there";
    EXPECT_EQ(rows.get(1).version, 0) << "the first one went";
}

TEST(RecentRowsTest, CountManySmallRowsByTheirBytes) {
    RowMemory memory(kLimit);
    RecentRows<std::string> rows(memory);
    touch(rows, 1, 1000, 10);
    touch(rows, 1001, 2000, 10);
    EXPECT_EQ(memory.dropped(), 0U);
    EXPECT_EQ(rows.get(1).version, 1);
}

TEST(RecentRowsTest, WhatIsUsedStays) {
    RowMemory memory(kLimit);
    RecentRows<std::string> rows(memory);
    for (core::Id id = 2; id <= 100; ++id) {
        touch(rows, id, id, kLarge);
        EXPECT_EQ(rows.get(1).version, id == 2 ? 0 : 1);
        rows.get(1).version = 1;
    }
}

TEST(RecentRowsTest, WhoRestsLeavesOthersTheirShare) {
    RowMemory memory(kLimit);
    RecentRows<std::string> resting(memory), busy(memory);
    touch(resting, 1, 50, kLarge);  // one batch, past the limit
    for (int round = 0; round < 10; ++round) touch(busy, 1, 2, kLarge);
    EXPECT_EQ(busy.get(1).version, 1);
    EXPECT_EQ(busy.get(2).version, 1);
}

TEST(RecentRowsTest, GiveBackWhatTheyForget) {
    RowMemory memory(kLimit);
    RecentRows<std::string> rows(memory);
    touch(rows, 1, 5, kLarge);
    {
        RecentRows<std::string> others(memory);
        touch(others, 1, 5, kLarge);
        EXPECT_GT(memory.used(), 10 * kLarge);
    }
    touch(rows, 1, 5, 0);
    EXPECT_LT(memory.used(), kLarge);
    rows.clear();
    EXPECT_EQ(memory.used(), 0U);
}

}  // namespace
}  // namespace workforce::tests
