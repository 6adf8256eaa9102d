// From a claim to memory, on logs that are as they were written and on logs that are not.
#include "commands/engine/take_over.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/api_key.hpp"
#include "events/command.hpp"
#include "tests/unit/commands/engine/part_fixture.hpp"

namespace workforce::tests {
namespace {

using commands::TakeOver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A log of an organization with a person.
class TakeOverPartTest : public PartTest {
   protected:
    explicit TakeOverPartTest(bool stored = false) : PartTest(stored) {
        found_organization();
        onboard(101);
    }
    events::Claim take_over() { return await(take_over_.run()); }
    /// Why it can't be taken over; empty when it can.
    template <class Error>
    std::string refusal() {
        try {
            take_over();
            return {};
        } catch (Error const& error) {
            return error.what();
        }
    }
    events::Event renaming(Id id, std::string const& specialty) {
        events::StaffUpdated update;
        update.specialty = specialty;
        return next({events::Kind::staff, id}, events::StaffEvent(update));
    }
    std::string specialty(Id id) {
        return memory_.find(kOrganization)->rows<events::StaffRecord>().at(id).value.specialty.value;
    }

    commands::MemoryBudget budget_{0, context_, memory_, stats_};
    TakeOver take_over_{0, context_, memory_, budget_, stats_};
};

TEST_F(TakeOverPartTest, MemoryIsWhatTheLogSays) {
    put(renaming(101, "ICU"));
    auto const claim = take_over();
    EXPECT_EQ(claim.epoch, 2);
    EXPECT_EQ(claim.head, log_.claim().head);
    EXPECT_EQ(memory_.head, claim.head);
    EXPECT_EQ(memory_.last_time, now());
    EXPECT_EQ(specialty(101), "ICU");
    EXPECT_EQ(memory_.find(kOrganization)->version({events::Kind::staff, 101}), 2);
    EXPECT_EQ(std::tuple(stats_.epoch.load(), stats_.head.load(), stats_.base.load(), stats_.claims.load()),
              std::tuple(2, 2, -1, 1U));
}

TEST_F(TakeOverPartTest, AnswersOfTheDayAreKept) {
    for (auto const& [key, age] : {std::pair("new", std::int64_t{1}), std::pair("old", std::int64_t{25 * 3'600'000})}) {
        events::CommandAnswered answered;
        answered.sealedFor = "staff/101";
        answered.body = core::Personal<std::string>("done");
        auto event = next({}, events::CommandEvent(answered));
        event.meta.time = {now().ms - age};
        event.meta.idempotency_key = key;
        put(event);
    }
    take_over();
    ASSERT_TRUE(memory_.find_answer("new"));
    EXPECT_EQ(memory_.find_answer("new")->reply.body, "done");
    EXPECT_FALSE(memory_.find_answer("old"));
}

TEST_F(TakeOverPartTest, ADamagedChainIsNotTaken) {
    auto event = renaming(101, "ICU");
    event.meta.previous_hash = std::string(64, 'a');
    put(event);
    EXPECT_THAT(refusal<events::DamagedEvent>(), HasSubstr("partition 0 position 2 does not continue the chain"));
}

TEST_F(TakeOverPartTest, ARecordAtAnothersPlaceIsNotTaken) {
    auto event = renaming(101, "ICU");
    event.meta.position = 7;
    put(event);
    EXPECT_THAT(refusal<events::DamagedEvent>(), HasSubstr("position 2 does not continue the chain"));
}

TEST_F(TakeOverPartTest, WhatIsNoEventIsNotTaken) {
    log_.put("x");
    EXPECT_THAT(refusal<events::DamagedEvent>(), HasSubstr("partition 0 position 2"));
}

TEST_F(TakeOverPartTest, AMissingPositionIsNotPassedOver) {
    put(renaming(101, "ICU"));
    log_.hide_from(1);
    EXPECT_THAT(refusal<events::DamagedEvent>(), HasSubstr("partition 0 position 1 is missing"));
}

TEST_F(TakeOverPartTest, AVersionThatIsSkippedIsNotTaken) {
    auto event = renaming(101, "ICU");
    event.meta.seq = 3;
    log_.put(encoder_.encode(event.meta, event.data));
    EXPECT_THAT(refusal<events::DamagedEvent>(), HasSubstr("position 2: staff/101 lacks what came before"));
}

TEST_F(TakeOverPartTest, AnUnknownEventIsNotPassedOver) {
    auto const event = renaming(101, "ICU");
    auto body = encoder_.encode(event.meta, event.data);
    constexpr std::string_view kKnown = R"("type":"staff.updated")";
    log_.put(body.replace(body.find(kKnown), kKnown.size(), R"("type":"staff.teleported")"));
    EXPECT_THAT(refusal<events::UnknownEvent>(), HasSubstr("partition 0 position 2"));
}

TEST_F(TakeOverPartTest, WhoGivesThePartitionUpClaimsNothing) {
    take_over_.abandon(true);
    EXPECT_THROW(take_over(), commands::Abandoned);
    EXPECT_EQ(log_.claim().epoch, 1);
    take_over_.abandon(false);
    EXPECT_EQ(take_over().epoch, 2);
}

TEST_F(TakeOverPartTest, ALogThatIsNotToBeWrittenIsNotClaimed) {
    bool writable = false;
    context_.require_writable = [&]() -> boost::asio::awaitable<void> {
        if (!writable) throw std::runtime_error("it was moved away");
        co_return;
    };
    EXPECT_EQ(refusal<std::runtime_error>(), "it was moved away");
    EXPECT_EQ(log_.claim().epoch, 1);
    writable = true;
    EXPECT_EQ(take_over().epoch, 2);
}

TEST_F(TakeOverPartTest, AClockThatIsNotToBeBelievedClaimsNothing) {
    clock_.follow({{now().ms + 3'600'000}, std::chrono::steady_clock::now()});
    EXPECT_THAT(refusal<std::runtime_error>(), HasSubstr("clock"));
    EXPECT_EQ(log_.claim().epoch, 1);
}

/// The same where read models tell of the log up to some position.
class TakeOverTailTest : public TakeOverPartTest {
   protected:
    TakeOverTailTest() : TakeOverPartTest(true) {}
};

TEST_F(TakeOverTailTest, WhatIsStoredIsNotFolded) {
    store_all();
    take_over();
    EXPECT_EQ(stats_.base, 1);
    EXPECT_EQ(memory_.head, log_.claim().head);
    EXPECT_EQ(memory_.last_time, now());
    EXPECT_EQ(memory_.aggregates(), 0U);
    EXPECT_THAT(store_.asked, IsEmpty());
}

TEST_F(TakeOverTailTest, TheTailIsFoldedOnWhatIsStored) {
    store_all();
    auto const rename = renaming(101, "ICU");
    log_.put(encoder_.encode(rename.meta, rename.data));
    take_over();
    EXPECT_EQ(stats_.base, 1);
    ASSERT_EQ(store_.asked.size(), 1U);
    EXPECT_EQ(stats_.looked_up, 1U);
    EXPECT_EQ(specialty(101), "ICU");
    EXPECT_EQ(memory_.head, log_.claim().head);
}

TEST_F(TakeOverTailTest, ALogThatEndsBeforeItsReadModelsLostItsEnd) {
    store_all();
    store_.position = 5;
    EXPECT_THAT(refusal<events::DamagedEvent>(),
                HasSubstr("partition 0 ends at position 1, and read models have folded position 5"));
}

TEST_F(TakeOverTailTest, WhereTheTailBeginsThereIsARecord) {
    store_all();
    put(renaming(101, "ICU"));
    log_.hide_from(1);
    EXPECT_THAT(refusal<events::DamagedEvent>(), HasSubstr("partition 0 position 1 is missing"));
}

// Its predecessor may have died between the append and the mark.
TEST_F(TakeOverTailTest, EndsOfSecretsInTheTailAreMarked) {
    put({events::Kind::api_key, 55}, events::ApiKeyEvent(events::ApiKeyCreated{}));
    store_all();
    auto const revoked = next({events::Kind::api_key, 55}, events::ApiKeyEvent(events::ApiKeyRevoked{}));
    log_.put(encoder_.encode(revoked.meta, revoked.data));
    take_over();
    ASSERT_EQ(store_.marked.size(), 1U);
    EXPECT_THAT(store_.marked[0].revoked, ElementsAre(55));
}

}  // namespace
}  // namespace workforce::tests
