// Whose turn it is, and who may wait.
#include "core/fair_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace workforce::tests {
namespace {

struct Item {
    core::Id organization = 0;
    bool sandbox = false;
    int number = 0;
    [[nodiscard]] core::Lane lane() const { return {organization, sandbox}; }
};
using Queue = core::FairQueue<Item>;

std::string order(Queue& queue) {
    std::string text;
    while (!queue.empty()) {
        auto const item = queue.pop();
        text += std::to_string(item.organization) + (item.sandbox ? "s" : ":") + std::to_string(item.number) + " ";
    }
    return text;
}

/// How many of the lane find room, one after the other.
std::size_t fill(Queue& queue, core::Id organization, bool sandbox = false) {
    std::size_t taken = 0;
    while (queue.has_room({organization, sandbox})) {
        queue.push({organization, sandbox, static_cast<int>(taken++)});
    }
    return taken;
}

TEST(FairQueue, LaneThatWasEmptiedLeavesNothingBehind) {
    Queue queue(100);
    for (core::Id organization = 1; organization <= 3; ++organization) {
        queue.push({organization, false, 7});
        EXPECT_EQ(order(queue), std::to_string(organization) + ":7 ");
    }
    queue.push({3, false, 1});
    queue.push({3, false, 2});
    queue.put_back(queue.pop());
    queue.push({1, true, 3});
    EXPECT_EQ(queue.size({3, false}), 2U);
    EXPECT_EQ(queue.size({2, false}), 0U);
    EXPECT_EQ(order(queue), "3:1 1s3 3:2 ");
}

TEST(FairQueue, OrganizationsTakeTurnsAndKeepTheirOrder) {
    Queue queue(100);
    for (int i = 0; i < 3; ++i) queue.push({1, false, i});
    queue.push({2, false, 0});
    queue.push({1, true, 0});
    EXPECT_EQ(order(queue), "1:0 2:0 1s0 1:1 1:2 ");
}

TEST(FairQueue, WhatIsPutBackComesFirst) {
    Queue queue(100);
    for (int i = 0; i < 2; ++i) {
        queue.push({1, false, i});
        queue.push({2, false, i});
    }
    auto const first = queue.pop(), second = queue.pop(), third = queue.pop();
    queue.push({3, false, 0});
    queue.put_back(third);
    queue.put_back(second);
    EXPECT_EQ(first.organization, 1);
    EXPECT_EQ(order(queue), "1:1 2:0 3:0 2:1 ");
}

TEST(FairQueue, NobodyKeepsOthersOut) {
    Queue queue(1024);
    EXPECT_EQ(fill(queue, 1), 512U);
    EXPECT_EQ(fill(queue, 2), 256U);
    EXPECT_EQ(fill(queue, 3), 128U);
    EXPECT_TRUE(queue.has_room({4, false}));
    EXPECT_FALSE(queue.has_room({1, false}));
}

TEST(FairQueue, SandboxesShareAQuarter) {
    Queue queue(1024);
    EXPECT_EQ(fill(queue, 1, true) + fill(queue, 2, true) + fill(queue, 3, true), 256U);
    EXPECT_GT(fill(queue, 1), 300U);
}

TEST(FairQueue, FullIsFull) {
    Queue queue(16);
    core::Id organization = 0;
    while (queue.has_room({++organization, false})) queue.push({organization, false, 0});
    EXPECT_EQ(queue.size(), 16U);
}

}  // namespace
}  // namespace workforce::tests
