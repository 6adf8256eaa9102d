// From needs to memory: what is looked up, what can't be, and whom that concerns.
#include "commands/engine/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/database.hpp"
#include "events/command.hpp"
#include "tests/unit/commands/engine/part_fixture.hpp"

namespace workforce::tests {
namespace {

using commands::Loader;
using commands::Need;
using commands::Needs;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using LookedUp = commands::Loader::Outcome;

/// A memory that has evicted an organization with two people, who are stored.
class LoaderTest : public PartTest {
   protected:
    LoaderTest() {
        found_organization();
        onboard(101);
        onboard(102);
        store_all();
    }
    static Need person(Id id) { return {.kind = events::Kind::staff, .organization = kOrganization, .id = id}; }
    static Need answer(std::string key) {
        return {.what = Need::What::answer, .organization = kOrganization, .text = std::move(key)};
    }
    static Need reservation() {
        return {
            .what = Need::What::reservation, .organization = kOrganization, .id = 101, .text = "email\na@example.test"};
    }
    LookedUp bring_in(Needs needs, Needs const& others = {}) {
        auto all = needs;
        all.insert(others.begin(), others.end());
        return await(loader_.bring_in(pending_, std::move(needs), std::move(all), now(), 1));
    }
    void put_answer(std::string key, core::Timestamp time) {
        events::CommandAnswered answered;
        answered.status = 201;
        answered.sealedFor = "staff/101";
        answered.body = core::Personal<std::string>("the first answer");
        auto event = next({}, events::CommandEvent(answered));
        event.meta.time = time;
        event.meta.idempotency_key = key;
        event.meta.idempotency_hash = "the request";
        log_.put(encoder_.encode(event.meta, event.data));
        store_.answers[std::move(key)] = event.meta.position;
    }

    commands::Pending pending_;
    Loader loader_{0, context_, memory_, stats_};
};

TEST_F(LoaderTest, WhatIsNeededComesIntoMemory) {
    EXPECT_FALSE(holds(101));
    EXPECT_EQ(bring_in({commands::organization_need(kOrganization), person(101)}), LookedUp::done);
    EXPECT_TRUE(memory_.find(kOrganization)->resident);
    EXPECT_TRUE(holds(101));
    EXPECT_FALSE(holds(102));
    ASSERT_THAT(store_.asked, SizeIs(1));
    EXPECT_EQ(store_.asked[0].least, memory_.evicted()) << "no older than what left memory";
    EXPECT_EQ(stats_.looked_up, 2U);
}

TEST_F(LoaderTest, WhatIsNotThereIsNotedForTheBatch) {
    EXPECT_EQ(bring_in({person(999)}), LookedUp::done);
    EXPECT_TRUE(memory_.absent().contains(person(999)));
    memory_.end_batch();
    EXPECT_FALSE(memory_.absent().contains(person(999)));
}

TEST_F(LoaderTest, OthersAreAskedForAtOnce) {
    EXPECT_EQ(bring_in({person(101)}, {person(102)}), LookedUp::done);
    EXPECT_THAT(store_.asked, SizeIs(1));
    EXPECT_TRUE(holds(101));
    EXPECT_TRUE(holds(102));
}

TEST_F(LoaderTest, DamageOfOthersIsNotTheFirstOnes) {
    store_.faults = {std::make_exception_ptr(std::runtime_error("a damaged row"))};
    EXPECT_EQ(bring_in({person(101)}, {person(102)}), LookedUp::done);
    ASSERT_THAT(store_.asked, SizeIs(2));
    EXPECT_THAT(store_.asked[1].needs, ElementsAre(person(101)));
    EXPECT_TRUE(holds(101));
    EXPECT_FALSE(holds(102));
}

TEST_F(LoaderTest, DamageOfItsOwnFails) {
    store_.faults = {std::make_exception_ptr(core::StatementFailed("a damaged row"))};
    EXPECT_EQ(bring_in({person(101)}), LookedUp::failed);
    EXPECT_THAT(store_.asked, SizeIs(1)) << "there is nothing less to ask for";
    EXPECT_FALSE(holds(101));
    EXPECT_THAT(memory_.absent(), IsEmpty()) << "not to be found is not to be missing";
}

TEST_F(LoaderTest, WhatIsAwayIsAskedOnce) {
    for (auto const& away : {std::make_exception_ptr(core::DatabaseUnavailable("away")),
                             std::make_exception_ptr(events::LogUnavailable("away")),
                             std::make_exception_ptr(commands::StoreBehind("behind"))}) {
        store_.faults = {away};
        store_.asked.clear();
        EXPECT_EQ(bring_in({person(101)}, {person(102)}), LookedUp::nothing);
        EXPECT_THAT(store_.asked, SizeIs(1));
    }
    EXPECT_EQ(bring_in({person(101)}), LookedUp::done) << "and found once it is back";
}

TEST_F(LoaderTest, AnAnswerIsReadFromTheLog) {
    put_answer("key", now());
    EXPECT_EQ(bring_in({answer("key")}), LookedUp::done);
    auto const* found = memory_.find_answer("key");
    ASSERT_TRUE(found);
    EXPECT_EQ(std::tuple(found->reply.status, found->reply.body, found->reply.replayed),
              std::tuple(201, "the first answer", true));
    EXPECT_EQ(found->fingerprint, "the request");
    memory_.end_batch();
    EXPECT_FALSE(memory_.find_answer("key")) << "it is there for the batch";
}

TEST_F(LoaderTest, AnAnswerCountsForADay) {
    put_answer("key", {now().ms - 24 * 3'600'000 - 1});
    EXPECT_EQ(bring_in({answer("key")}), LookedUp::done);
    EXPECT_FALSE(memory_.find_answer("key"));
    EXPECT_TRUE(memory_.absent().contains(answer("key")));
}

// Taken for absent, its command would be run again.
TEST_F(LoaderTest, AnAnswerThatDoesNotStandWhereItShouldFails) {
    put_answer("key", now());
    for (std::int64_t const elsewhere : {1, 4}) {
        store_.answers["key"] = elsewhere;
        EXPECT_EQ(bring_in({answer("key")}), LookedUp::failed);
        EXPECT_THAT(memory_.absent(), IsEmpty());
    }
    put_answer("another key", now());
    store_.answers["key"] = store_.answers["another key"];
    EXPECT_EQ(bring_in({answer("key")}), LookedUp::failed);
}

TEST_F(LoaderTest, NothingIsReservedWithoutATable) {
    EXPECT_EQ(bring_in({reservation()}), LookedUp::failed);
    EXPECT_THAT(pending_.reserved.needs, IsEmpty());
    EXPECT_THAT(memory_.taken(), IsEmpty());
}

TEST(Reserved, GivenUpItKeepsTheCommandsName) {
    commands::Reserved reserved{.command = "key", .needs = {Need{.text = "email\na@example.test"}}};
    auto const unused = reserved.give_up();
    EXPECT_EQ(unused.command, "key");
    EXPECT_THAT(unused.needs, SizeIs(1));
    EXPECT_EQ(reserved.command, "key");
    EXPECT_THAT(reserved.needs, IsEmpty());
}

}  // namespace
}  // namespace workforce::tests
