// What the client keeps: connections for a while, and what it remembers of names.
#include "net/idle_pool.hpp"

#include <gtest/gtest.h>

#include "net/recent_map.hpp"

namespace workforce::net {
namespace {

using namespace std::chrono_literals;
using Pool = IdlePool<int>;

int const kContext = 0;
int const kOther = 0;

Pool::Key key_of(std::string peer) { return {std::move(peer), &kContext}; }

auto const kAny = [](int) { return true; };

int taken(Pool& pool, Pool::Key const& key) {
    auto const connection = pool.take(key, kAny);
    return connection ? *connection : 0;
}

TEST(IdlePool, GivesOutTheLastOneOfThePeerAndContext) {
    Pool pool({10, 10, 1h});
    pool.keep(key_of("a"), std::make_unique<int>(1));
    pool.keep(key_of("a"), std::make_unique<int>(2));
    pool.keep(key_of("b"), std::make_unique<int>(3));
    pool.keep({"a", &kOther}, std::make_unique<int>(4));
    EXPECT_EQ(taken(pool, key_of("a")), 2);
    EXPECT_EQ(taken(pool, key_of("a")), 1);
    EXPECT_EQ(taken(pool, key_of("a")), 0);
    EXPECT_EQ(taken(pool, key_of("b")), 3);
    EXPECT_EQ(taken(pool, {"a", &kOther}), 4);
}

TEST(IdlePool, ClosesThoseThatDoNotFit) {
    Pool pool({10, 10, 1h});
    for (int i = 1; i <= 4; ++i) pool.keep(key_of("a"), std::make_unique<int>(i));
    auto const connection = pool.take(key_of("a"), [](int number) { return number <= 2; });
    ASSERT_TRUE(connection);
    EXPECT_EQ(*connection, 2);
    EXPECT_EQ(pool.size(), 1U) << "3 and 4 are closed";
}

TEST(IdlePool, IsBoundedForAPeerAndInAll) {
    Pool pool({4, 2, 1h});
    for (int i = 1; i <= 3; ++i) pool.keep(key_of("a"), std::make_unique<int>(i));
    EXPECT_EQ(pool.size(), 2U) << "a third of one peer is closed";
    for (int i = 4; i <= 6; ++i) pool.keep(key_of(std::to_string(i)), std::make_unique<int>(i));
    EXPECT_EQ(pool.size(), 4U);
    EXPECT_EQ(taken(pool, key_of("a")), 2) << "the oldest gave way";
    EXPECT_EQ(taken(pool, key_of("a")), 0);
}

TEST(IdlePool, KeepsNoneForTooLong) {
    Pool pool({10, 10, 0ms});
    pool.keep(key_of("a"), std::make_unique<int>(1));
    EXPECT_EQ(taken(pool, key_of("b")), 0);
    EXPECT_EQ(pool.size(), 0U) << "whoever asks for any has the expired closed";
}

TEST(IdlePool, DropsAndCloses) {
    Pool pool({10, 10, 1h});
    for (auto const* peer : {"a", "b", "a", "c"}) pool.keep(key_of(peer), std::make_unique<int>(1));
    pool.drop(key_of("a"));
    EXPECT_EQ(pool.size(), 2U);
    pool.close();
    EXPECT_EQ(pool.size(), 0U);
    pool.keep(key_of("a"), std::make_unique<int>(1));
    EXPECT_EQ(pool.size(), 0U) << "closed for good";
}

TEST(RecentMap, ForgetsWhatIsNotUsed) {
    RecentMap<int> map(8);
    for (int i = 0; i < 1000; ++i) {
        map.put(std::to_string(i), i);
        ASSERT_NE(map.find("0"), nullptr) << "used all the time, at " << i;
        ASSERT_LE(map.size(), 8U);
    }
    EXPECT_EQ(*map.find("0"), 0);
    EXPECT_EQ(*map.find("999"), 999);
    EXPECT_EQ(map.find("500"), nullptr);
    map.put("999", 1);
    EXPECT_EQ(*map.find("999"), 1);
}

}  // namespace
}  // namespace workforce::net
