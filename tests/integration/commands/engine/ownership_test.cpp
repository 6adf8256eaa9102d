// Partitions that move between processes: who does not serve one refuses, and who lost one can't take it back by
// itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/use_future.hpp>
#include <future>
#include <set>

#include "tests/integration/commands/fixture.hpp"

namespace workforce::tests {
namespace {

using testing::HasSubstr;

class OwnershipTest : public CommandsTest {
   protected:
    /// A process among several; `allowed` is what its leases say at the moment.
    std::unique_ptr<WriteSide> member(std::atomic<bool> const& allowed) {
        return join([&allowed](int) -> boost::asio::awaitable<bool> { return answer(allowed); });
    }
    static boost::asio::awaitable<bool> answer(bool value) { co_return value; }
    static std::string refused(Reply const& reply) {
        return reply.refused ? std::string(core::info(*reply.refused).name) : std::to_string(reply.status);
    }

    std::atomic<bool> yes_{true};
};

TEST_F(OwnershipTest, OnlyWhatWasAcquiredIsServed) {
    auto const side = member(yes_);
    auto const& partition = *side->processor.partitions().at(static_cast<std::size_t>(home_));
    EXPECT_FALSE(side->processor.owns(home_));
    EXPECT_EQ(refused(ask(*side, staff("ada"))), "SERVICE_UNAVAILABLE");
    EXPECT_EQ(partition.stats().claims, 0U) << "a refusal claims nothing";

    await(side->processor.acquire(home_));
    EXPECT_TRUE(side->processor.owns(home_));
    EXPECT_FALSE(side->processor.owns(1 - home_));
    EXPECT_FALSE(side->processor.owns(-1));
    EXPECT_FALSE(side->processor.owns(kPartitionCount));
    EXPECT_EQ(ask(*side, staff("ada")).status, 201);
    await(side->processor.acquire(home_));
    EXPECT_EQ(partition.stats().claims, 1U) << "what is there already is not claimed again";

    await(side->processor.release(home_));
    EXPECT_FALSE(side->processor.owns(home_));
    EXPECT_EQ(partition.stats().epoch, 0);
    EXPECT_EQ(refused(ask(*side, staff("bob"))), "SERVICE_UNAVAILABLE");
    await(side->processor.release(home_));

    await(side->processor.acquire(home_));
    EXPECT_EQ(ask(*side, staff("ada")).body, "DUPLICATE_RESOURCE") << "it knows what came before";
}

TEST_F(OwnershipTest, WhatIsQueuedAtTheReleaseIsAnswered) {
    auto const side = member(yes_);
    await(side->processor.acquire(home_));
    side->log.hold();
    auto const first = send(*side, staff("ada"));
    side->log.await_held();
    auto const second = send(*side, staff("bob"));
    boost::asio::io_context releasing;
    auto released = boost::asio::co_spawn(releasing, side->processor.release(home_), boost::asio::use_future);
    while (side->processor.owns(home_)) releasing.run_one_for(std::chrono::milliseconds(1));
    EXPECT_EQ(refused(ask(*side, staff("cleo"))), "SERVICE_UNAVAILABLE") << "no more are taken";
    EXPECT_FALSE(answered(first));
    side->log.release();
    EXPECT_EQ(reply(first).status, 201);
    EXPECT_EQ(reply(second).status, 201);
    releasing.run();
    released.get();
    EXPECT_EQ(count<events::StaffOnboarded>(), 2U);
}

TEST_F(OwnershipTest, ZombieCanNotTakeItsPartitionBack) {
    std::atomic<bool> mine = true;
    auto const zombie = member(mine);
    auto const next = member(yes_);
    await(zombie->processor.acquire(home_));
    EXPECT_EQ(ask(*zombie, staff("ada")).status, 201);

    // Stopped in the middle of an append; meanwhile its lease ran out and another took over.
    zombie->log.hold();
    auto const in_flight = send(*zombie, keyed(staff("bob"), "key"));
    zombie->log.await_held();
    mine = false;
    await(next->processor.acquire(home_));
    EXPECT_EQ(ask(*next, staff("cleo")).status, 201);
    auto const head = next->engine.head(home_).position;
    zombie->log.release();

    EXPECT_EQ(refused(reply(in_flight)), "LOG_UNAVAILABLE");
    EXPECT_EQ(refused(ask(*zombie, look())), "SERVICE_UNAVAILABLE");
    EXPECT_FALSE(zombie->processor.owns(home_));
    EXPECT_EQ(stats(*zombie).claims, 1U);
    EXPECT_EQ(next->engine.head(home_).position, head) << "what it appended is void";
    EXPECT_EQ(ask(*next, keyed(staff("bob"), "key")).status, 201) << "the retry elsewhere is the first";
    EXPECT_EQ(stats(*next).faults, 0U);
}

TEST_F(OwnershipTest, ZombieThatNeverAppendedAnswersNothingEither) {
    std::atomic<bool> mine = true;
    auto const zombie = member(mine);
    auto const next = member(yes_);
    await(zombie->processor.acquire(home_));
    EXPECT_EQ(ask(*zombie, keyed(staff("ada"), "key")).status, 201);
    await(next->processor.acquire(home_));
    EXPECT_EQ(ask(*next, staff("bob")).status, 201);
    mine = false;
    EXPECT_EQ(refused(ask(*zombie, keyed(staff("ada"), "key"))), "LOG_UNAVAILABLE") << "not even a replay";
    EXPECT_EQ(refused(ask(*zombie, keyed(staff("ada"), "key"))), "SERVICE_UNAVAILABLE");
}

TEST_F(OwnershipTest, AfterAFaultTheOwnerClaimsAnew) {
    std::atomic<int> asked = 0;
    auto const side = join([&](int partition) -> boost::asio::awaitable<bool> {
        EXPECT_EQ(partition, home_);
        ++asked;
        return answer(true);
    });
    await(side->processor.acquire(home_));
    EXPECT_EQ(asked, 0) << "whoever acquires has the lease";
    side->log.inject({InjectedFault::answer_lost});
    EXPECT_EQ(refused(ask(*side, staff("ada"))), "LOG_UNAVAILABLE");
    EXPECT_EQ(ask(*side, staff("ada")).body, "DUPLICATE_RESOURCE") << "the answer was lost, not the event";
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(stats(*side).claims, 2U);
}

TEST_F(OwnershipTest, WithoutAnAnswerAboutTheLeaseNothingIsClaimed) {
    std::atomic<bool> away = false;
    auto const side = join([&away](int) -> boost::asio::awaitable<bool> {
        if (away) throw std::runtime_error("the database is away");
        return answer(true);
    });
    await(side->processor.acquire(home_));
    away = true;
    side->log.inject({InjectedFault::request_lost});
    EXPECT_EQ(refused(ask(*side, staff("ada"))), "LOG_UNAVAILABLE");
    EXPECT_EQ(refused(ask(*side, staff("ada"))), "LOG_UNAVAILABLE");
    EXPECT_EQ(stats(*side).claims, 1U);
    EXPECT_TRUE(side->processor.owns(home_)) << "that is not known to have changed";
    away = false;
    EXPECT_EQ(ask(*side, staff("ada")).status, 201);
}

TEST_F(OwnershipTest, DamageStopsThatPartitionAlone) {
    EXPECT_EQ(ask(staff("ada")).status, 201);
    auto const at = " WHERE partition = " + std::to_string(home_) + " AND position = 1";
    tamper("CREATE TABLE public.kept AS SELECT body FROM log.event" + at);
    tamper("UPDATE log.event SET body = 'x'" + at);
    auto const side = member(yes_);
    await(side->processor.acquire(1 - home_));
    EXPECT_THROW(await(side->processor.acquire(home_)), events::DamagedEvent);
    auto const& partition = *side->processor.partitions().at(static_cast<std::size_t>(home_));
    EXPECT_THAT(partition.fault().value_or(""), HasSubstr("partition " + std::to_string(home_) + " position 1"));
    EXPECT_FALSE(side->processor.owns(home_));
    EXPECT_TRUE(side->processor.owns(1 - home_));
    EXPECT_EQ(refused(ask(*side, look())), "SERVICE_UNAVAILABLE");
    tamper("UPDATE log.event SET body = (SELECT body FROM public.kept)" + at);
    await(side->processor.acquire(home_));
    EXPECT_EQ(partition.fault(), std::nullopt);
    EXPECT_EQ(ask(*side, staff("bob")).status, 201);
}

TEST_F(OwnershipTest, AnAcquireThatWaitedClaimsNothingOnceThePartitionIsReleased) {
    auto const side = member(yes_);
    await(side->processor.acquire(home_));
    auto const epoch = [&] {
        core::Connection connection({.url = database_.url()});
        auto const rows = connection.execute_sql("SELECT epoch FROM log.partition ORDER BY partition");
        return rows[static_cast<pqxx::result::size_type>(home_)][0].as<std::int64_t>();
    };
    auto const before = epoch();
    side->log.hold();
    side->log.inject({InjectedFault::request_lost});
    auto const lost = send(*side, staff("ada"));
    side->log.await_held();
    boost::asio::io_context both;
    auto acquired = boost::asio::co_spawn(both, side->processor.acquire(home_), boost::asio::use_future);
    auto released = boost::asio::co_spawn(both, side->processor.release(home_), boost::asio::use_future);
    while (side->processor.owns(home_)) both.run_one_for(std::chrono::milliseconds(1));
    side->log.release();
    both.run();
    EXPECT_EQ(refused(reply(lost)), "LOG_UNAVAILABLE");
    EXPECT_THROW(acquired.get(), commands::Abandoned);
    released.get();
    EXPECT_EQ(epoch(), before) << "a claim would have fenced the next owner";
}

TEST_F(OwnershipTest, KeysAreStoredWhileOtherPartitionsAreFolded) {
    TestDatabase database;
    events::PostgresLog::initialize(database.url(), 3);
    auto const create = [&](WriteSide& side, Id organization) {
        int const home = await(side.processor.homes().reserve(organization));
        caller_.organization = organization;
        commands::CreateOrganization command;
        command.name = "Harbour Care";
        EXPECT_EQ(ask(side, make(command)).status, 200);
        return home;
    };
    std::vector<int> homes;
    {
        WriteSide first(database.url(), master_key_);
        for (Id organization : {1, 2, 3}) homes.push_back(create(first, organization));
    }
    ASSERT_EQ(std::set<int>(homes.begin(), homes.end()).size(), 3U);
    boost::asio::io_context folding;
    WriteSide side(database.url(), master_key_, [](int) { return answer(true); });
    await(side.processor.acquire(homes[2]));
    side.log.hold_reads(true);
    std::vector<std::future<void>> acquired;
    for (int const home : {homes[0], homes[1]}) {
        acquired.push_back(boost::asio::co_spawn(folding, side.processor.acquire(home), boost::asio::use_future));
    }
    folding.poll();
    side.log.await_held_reads(2);
    EXPECT_EQ(ask(side, staff("ada")).status, 201) << "with a key of her own";
    side.log.hold_reads(false);
    folding.run();
    for (auto& each : acquired) each.get();
}

TEST_F(OwnershipTest, AReleaseEndsAnAcquireUnderWay) {
    auto const side = member(yes_);
    for (int i = 0; i < 20; ++i) {
        boost::asio::io_context both;
        std::exception_ptr fault;
        boost::asio::co_spawn(both, side->processor.acquire(home_),
                              [&fault](std::exception_ptr const& thrown) { fault = thrown; });
        boost::asio::co_spawn(both, side->processor.release(home_), boost::asio::detached);
        both.run();
        if (fault) EXPECT_THROW(std::rethrow_exception(fault), commands::Abandoned);
        EXPECT_FALSE(side->processor.owns(home_));
        EXPECT_EQ(refused(ask(*side, look())), "SERVICE_UNAVAILABLE");
    }
    await(side->processor.acquire(home_));
    EXPECT_EQ(ask(*side, look()).status, 200);
}

}  // namespace
}  // namespace workforce::tests
