// The run of recent records: contiguous, acknowledged, bounded.
#include "events/log/partition_tail.hpp"

#include <gtest/gtest.h>

#include "events/log/log_signals.hpp"

namespace workforce::events {
namespace {

std::vector<std::string> bodies_of(PartitionTail const& tail, std::int64_t from) {
    std::vector<std::string> bodies;
    auto const records = tail.read(from, 100, 1000);
    if (!records) return {"none"};
    for (auto const& record : *records) {
        EXPECT_EQ(record.position, from++);
        bodies.push_back(record.body);
    }
    return bodies;
}

using Bodies = std::vector<std::string>;

TEST(PartitionTail, GrowsAtItsEndOnly) {
    PartitionTail tail(1000);
    EXPECT_FALSE(tail.read(0, 1, 1));
    tail.appended(5, {"a", "b"});
    tail.appended(7, {"c"});
    EXPECT_EQ(bodies_of(tail, 5), (Bodies{"a", "b", "c"}));
    EXPECT_EQ(bodies_of(tail, 7), Bodies{"c"});
    EXPECT_FALSE(tail.read(4, 1, 1));
    EXPECT_FALSE(tail.read(8, 1, 1));
    tail.appended(10, {"d"});  // others wrote 8 and 9
    EXPECT_EQ(bodies_of(tail, 10), Bodies{"d"});
    EXPECT_FALSE(tail.read(7, 1, 1));
    tail.appended(8, {"x", "y"});  // an acknowledgement that was overtaken
    EXPECT_EQ(bodies_of(tail, 10), Bodies{"d"});
    EXPECT_FALSE(tail.read(8, 1, 1));
    tail.drop();
    EXPECT_FALSE(tail.read(10, 1, 1));
    tail.appended(11, {"e"});
    EXPECT_EQ(bodies_of(tail, 11), Bodies{"e"});
}

TEST(PartitionTail, KeepsTheNewestWithinItsLimit) {
    PartitionTail tail(3);
    tail.appended(0, {"a", "b", "c", "d"});
    EXPECT_FALSE(tail.read(0, 1, 1));
    EXPECT_EQ(bodies_of(tail, 1), (Bodies{"b", "c", "d"}));
    tail.appended(4, {"larger than all"});
    EXPECT_FALSE(tail.read(4, 1, 1));
    tail.appended(5, {"e"});
    EXPECT_EQ(bodies_of(tail, 5), Bodies{"e"});
}

TEST(PartitionTail, WaitKnowsWhatWasSeen) {
    PartitionTail tail(1000);
    tail.seen(4);
    tail.seen(2);
    tail.wait(4, std::chrono::minutes(10));
    tail.appended(5, {"a"});
    tail.wait(5, std::chrono::minutes(10));
    tail.stop();
    tail.wait(100, std::chrono::minutes(10));
}

TEST(LogNotice, GoesThereAndBack) {
    std::map<int, std::int64_t> const positions{{0, 17}, {3, 0}, {15, 9'000'000'000}};
    EXPECT_EQ(format_notice(positions), "0:17 3:0 15:9000000000");
    EXPECT_EQ(parse_notice(format_notice(positions)), positions);
    EXPECT_TRUE(parse_notice("").empty());
    EXPECT_TRUE(parse_notice("hello").empty());
    EXPECT_EQ(parse_notice("1:2 x"), (std::map<int, std::int64_t>{{1, 2}}));
}

TEST(PartitionTail, AllOfThemHaveABound) {
    EXPECT_EQ(tail_limit(4, 4 << 20), 4U << 20);
    EXPECT_EQ(tail_limit(1000, 4 << 20), (64U << 20) / 1000);
}

}  // namespace
}  // namespace workforce::events
