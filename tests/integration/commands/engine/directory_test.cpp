// Ids in blocks and homes of organizations, against their tables.
#include "commands/engine/directory.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <map>
#include <set>

#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

using commands::Homes;
using commands::IdBlocks;
using core::Id;
using events::Kind;

class DirectoryTest : public testing::Test {
   protected:
    core::DatabaseOptions options() const { return {{.url = tables_.url(), .role = "workforce_writer"}, 4}; }

    TestDatabase tables_;
    core::Database database_{options()};
    boost::asio::thread_pool threads_{4};
};

TEST_F(DirectoryTest, IdsAreUniqueOverConcurrentTakesProcessesAndRestarts) {
    std::multiset<Id> ids;
    for (int start = 0; start < 2; ++start) {
        IdBlocks one(database_);
        IdBlocks other(database_);  // of another process
        std::vector<std::future<std::vector<Id>>> takes;
        std::size_t wanted = ids.size();
        for (std::size_t i = 0; i < 200; ++i) {
            auto const count = i % 7 == 0 ? 100 : i % 13 + 1;
            wanted += count;
            takes.push_back(boost::asio::co_spawn(threads_, (i % 2 ? one : other).take(Kind::staff, count),
                                                  boost::asio::use_future));
        }
        for (auto& take : takes) {
            auto const taken = take.get();
            ids.insert(taken.begin(), taken.end());
        }
        EXPECT_EQ(ids.size(), wanted) << "a take gave another number of ids than asked for";
    }
    EXPECT_GT(*ids.begin(), 0);
    EXPECT_EQ(std::set<Id>(ids.begin(), ids.end()).size(), ids.size());
}

TEST_F(DirectoryTest, KindsHaveIdsOfTheirOwn) {
    IdBlocks blocks(database_);
    for (auto const kind : {Kind::facility, Kind::user, Kind::api_key, Kind::staff, Kind::shift}) {
        EXPECT_EQ(await(blocks.take(kind, 3)), (std::vector<Id>{1, 2, 3})) << static_cast<int>(kind);
    }
    EXPECT_EQ(await(blocks.take(Kind::shift, 1)), std::vector<Id>{4});
    EXPECT_THROW(await(blocks.take(Kind::command, 1)), std::logic_error);
}

TEST_F(DirectoryTest, HomesAreStableAndSpread) {
    constexpr int kPartitions = 4;
    Homes homes(database_, kPartitions);
    EXPECT_EQ(await(homes.find(1)), -1);
    std::map<int, int> organizations;
    std::map<Id, int> given;
    for (Id id = 1; id <= 20; ++id) {
        given[id] = await(homes.reserve(id));
        ++organizations[given[id]];
    }
    EXPECT_EQ(organizations, (std::map<int, int>{{0, 5}, {1, 5}, {2, 5}, {3, 5}}));
    Homes later(database_, kPartitions);
    for (auto const& [id, home] : given) {
        EXPECT_EQ(await(later.reserve(id)), home) << "a repeat moved organization " << id;
        EXPECT_EQ(await(later.find(id)), home);
        EXPECT_EQ(await(homes.find(id)), home);
    }
    EXPECT_EQ(await(later.find(21)), -1) << "to look is not to reserve";
}

TEST_F(DirectoryTest, ARetryFindsItsNewOrganizationForADay) {
    Homes homes(database_, 4);
    auto const first = await(homes.take_new("a digest"));
    EXPECT_GE(await(homes.find(first)), 0);
    Homes other(database_, 4);
    EXPECT_EQ(await(other.take_new("a digest")), first);
    EXPECT_NE(await(other.take_new("another")), first);
    EXPECT_NE(await(other.take_new({})), await(other.take_new({})));
    await(database_.run([](core::Connection& connection) {
        connection.execute_sql("UPDATE ops.organization_request SET requested_at = now() - interval '24 hours'");
    }));
    auto const later = await(other.take_new("a digest"));
    EXPECT_NE(later, first);
    EXPECT_EQ(await(homes.take_new("a digest")), later);
}

TEST_F(DirectoryTest, OneOrganizationIsMadeOfManyTwins) {
    std::vector<std::unique_ptr<Homes>> processes;
    std::vector<std::future<Id>> ids;
    for (int i = 0; i < 20; ++i) {
        auto& process = *processes.emplace_back(std::make_unique<Homes>(database_, 8));
        ids.push_back(boost::asio::co_spawn(threads_, process.take_new("a digest"), boost::asio::use_future));
    }
    std::set<Id> taken;
    for (auto& id : ids) taken.insert(id.get());
    EXPECT_EQ(taken.size(), 1U);
}

TEST_F(DirectoryTest, OneHomeIsGivenWhenManyReserveAtOnce) {
    std::vector<std::unique_ptr<Homes>> processes;
    std::vector<std::future<int>> homes;
    for (int i = 0; i < 20; ++i) {
        auto& process = *processes.emplace_back(std::make_unique<Homes>(database_, 8));
        homes.push_back(boost::asio::co_spawn(threads_, process.reserve(42), boost::asio::use_future));
    }
    std::set<int> given;
    for (auto& home : homes) given.insert(home.get());
    EXPECT_EQ(given.size(), 1U);
    EXPECT_EQ(await(processes.front()->find(42)), *given.begin());
}

}  // namespace
}  // namespace workforce::tests
