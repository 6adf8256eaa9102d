// Hashes of passwords, and the queue for them.
#include "core/password_hasher.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "tests/support/await.hpp"

namespace workforce::core {
namespace {

TEST(PasswordHash, IsOfItsPasswordAlone) {
    auto const hash = hash_password("a long password");
    EXPECT_TRUE(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")) << hash;
    EXPECT_NE(hash_password("a long password"), hash) << "the salt is new each time";
    EXPECT_TRUE(verify_password(hash, "a long password"));
    EXPECT_FALSE(verify_password(hash, "a long password "));
    EXPECT_FALSE(verify_password(hash, ""));
    for (auto const* none : {"", "-", "$argon2id$", "secret"}) EXPECT_FALSE(verify_password(none, "secret")) << none;
}

TEST(PasswordHasher, HashesAndVerifies) {
    PasswordHasher hasher;
    auto const hash = tests::await(hasher.hash("a long password", HashFor::caller));
    ASSERT_TRUE(hash);
    EXPECT_EQ(tests::await(hasher.verify(*hash, "a long password", HashFor::stranger)), true);
    EXPECT_EQ(tests::await(hasher.verify(*hash, "another", HashFor::stranger)), false);
    EXPECT_EQ(tests::await(hasher.verify("", "another", HashFor::stranger)), false);
    EXPECT_EQ(hasher.stats().done, 4U);
}

TEST(PasswordHasher, StrangersLeaveRoomForCallers) {
    PasswordHasher hasher(1, 8);
    boost::asio::io_context io(1);
    std::vector<std::future<Result<bool>>> strangers;
    for (int i = 0; i < 40; ++i) {
        strangers.push_back(
            boost::asio::co_spawn(io, hasher.verify("-", "guess", HashFor::stranger), boost::asio::use_future));
    }
    auto caller = boost::asio::co_spawn(io, hasher.hash("mine", HashFor::caller), boost::asio::use_future);
    io.run();
    EXPECT_TRUE(caller.get());
    int refused = 0;
    for (auto& each : strangers) {
        auto const outcome = each.get();
        if (!outcome) EXPECT_EQ(outcome.error().code, Code::service_unavailable);
        refused += outcome ? 0 : 1;
    }
    EXPECT_GT(refused, 20);
    EXPECT_EQ(hasher.stats().refused, static_cast<std::uint64_t>(refused));
}

TEST(PasswordHasher, AStopRefusesWhatWaits) {
    PasswordHasher hasher(1, 64);
    boost::asio::io_context io(1);
    std::vector<std::future<Result<bool>>> all;
    for (int i = 0; i < 20; ++i) {
        all.push_back(
            boost::asio::co_spawn(io, hasher.verify("-", "guess", HashFor::stranger), boost::asio::use_future));
    }
    io.poll();
    hasher.stop();
    io.restart();
    io.run();
    int refused = 0;
    for (auto& each : all) refused += each.get() ? 0 : 1;
    EXPECT_GT(refused, 10);
    EXPECT_FALSE(tests::await(hasher.hash("late", HashFor::caller)));
}

}  // namespace
}  // namespace workforce::core
