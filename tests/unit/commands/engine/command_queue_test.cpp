// Who may wait for a partition's writer, in which order they are taken, and who has the turn.
#include "commands/engine/command_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/detached.hpp>

#include "tests/unit/commands/engine/part_fixture.hpp"

namespace workforce::tests {
namespace {

using commands::CommandQueue;
using commands::Pending;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What submissions were told, by name.
using Told = std::map<std::string, std::string>;

class CommandQueueTest : public testing::Test {
   protected:
    static constexpr std::size_t kLimit = 8;

    CommandQueueTest() { clock_.follow({core::now(), std::chrono::steady_clock::now()}); }

    static commands::Submission command(Id organization, bool sandbox = false) {
        commands::Submission submission;
        submission.context.organization = organization;
        submission.context.sandbox = sandbox;
        submission.render_problem = [](core::Problem const& problem) { return problem.message; };
        return submission;
    }
    static commands::Submission keyed(std::string key, std::string fingerprint) {
        auto submission = command(1);
        submission.idempotency = {std::move(key), std::move(fingerprint)};
        return submission;
    }
    /// Whether the queue gave the turn.
    bool submit(std::string const& name, commands::Submission submission) {
        submission.context.request_id = name;
        auto tell = [this, name](commands::Reply const& reply) {
            told_[name] = std::to_string(reply.status) + " " + reply.body;
        };
        return queue_.submit(std::move(submission),
                             core::Completion<commands::Reply>(boost::asio::bind_executor(context_, std::move(tell))));
    }
    bool submit(std::string const& name, Id organization, bool sandbox = false) {
        return submit(name, command(organization, sandbox));
    }
    /// What was told since the last call.
    Told told() {
        context_.restart();
        context_.poll();
        return std::exchange(told_, {});
    }
    static std::vector<std::string> names(std::vector<Pending> const& batch) {
        std::vector<std::string> all;
        for (auto const& pending : batch) all.push_back(pending.submission.context.request_id);
        return all;
    }
    std::vector<std::string> take(std::size_t most = 100) { return names(queue_.take(most)); }

    boost::asio::io_context context_{1};
    core::CheckedClock clock_;
    commands::PartitionStats stats_;
    CommandQueue queue_{kLimit, true, clock_, stats_};
    Told told_;
};

TEST_F(CommandQueueTest, TheFirstHasTheTurnUntilNothingWaits) {
    EXPECT_TRUE(submit("a", 1));
    EXPECT_FALSE(submit("b", 1));
    EXPECT_EQ(stats_.queued, 2U);
    EXPECT_THAT(take(), ElementsAre("a", "b"));
    EXPECT_EQ(stats_.queued, 0U);
    EXPECT_FALSE(submit("c", 1)) << "who took them has the turn still";
    EXPECT_THAT(take(), ElementsAre("c"));
    EXPECT_THAT(take(), IsEmpty());
    EXPECT_TRUE(submit("d", 1));
    EXPECT_EQ(stats_.queued_ever, 4U);
    EXPECT_THAT(told(), IsEmpty()) << "a queued command is not answered";
}

TEST_F(CommandQueueTest, LanesTakeTurns) {
    for (auto const* name : {"a1", "a2", "a3"}) submit(name, 1);
    submit("b1", 2);
    submit("s1", 1, true);
    EXPECT_THAT(take(4), ElementsAre("a1", "b1", "s1", "a2"));
    EXPECT_THAT(take(4), ElementsAre("a3"));
}

TEST_F(CommandQueueTest, WhoIsNoisyIsRefusedAndOthersAreNot) {
    for (int i = 0; i < 4; ++i) submit("a" + std::to_string(i), 1);
    EXPECT_FALSE(submit("a4", 1));
    EXPECT_THAT(told(), ElementsAre(testing::Pair("a4", HasSubstr("503 Too many commands wait"))));
    submit("b0", 2);
    EXPECT_THAT(told(), IsEmpty());
    EXPECT_EQ(take().size(), 5U);
}

TEST_F(CommandQueueTest, SandboxesHoldAQuarter) {
    submit("s1", 1, true);
    submit("s2", 2, true);
    submit("s3", 3, true);
    EXPECT_THAT(told(), ElementsAre(testing::Pair("s3", HasSubstr("503 "))));
    submit("a", 3);
    EXPECT_THAT(take(), ElementsAre("s1", "s2", "a"));
}

TEST_F(CommandQueueTest, AKeyIsInProgressUntilItsCommandIsAnswered) {
    submit("first", keyed("key", "the request"));
    submit("again", keyed("key", "the request"));
    submit("other", keyed("key", "another request"));
    submit("stranger", keyed("another key", "the request"));
    EXPECT_THAT(told(), ElementsAre(testing::Pair("again", HasSubstr("409 The first request")),
                                    testing::Pair("other", HasSubstr("409 The Idempotency-Key was used"))));
    auto batch = queue_.take(100);
    EXPECT_THAT(names(batch), ElementsAre("first", "stranger"));
    submit("early", keyed("key", "the request"));
    EXPECT_THAT(told(), ElementsAre(testing::Pair("early", HasSubstr("409 "))));
    commands::Reply reply;
    reply.body = "done";
    queue_.finish(batch[0], reply);
    EXPECT_THAT(told(), ElementsAre(testing::Pair("first", "200 done")));
    EXPECT_EQ(stats_.commands, 1U);
    submit("late", keyed("key", "another request"));
    EXPECT_THAT(take(), ElementsAre("late"));
}

TEST_F(CommandQueueTest, ARefusalLeavesNoKeyInUse) {
    for (int i = 0; i < 4; ++i) submit("a" + std::to_string(i), 1);
    submit("full", keyed("key", "the request"));
    queue_.close();
    submit("closed", keyed("key", "the request"));
    queue_.open();
    EXPECT_EQ(told().size(), 2U);
    take();
    submit("later", keyed("key", "the request"));
    EXPECT_THAT(take(), ElementsAre("later"));
}

TEST_F(CommandQueueTest, ClosedItRefusesAndSaysWhy) {
    submit("before", 1);
    queue_.close();
    EXPECT_FALSE(queue_.is_open());
    submit("closed", 1);
    EXPECT_THAT(told(), ElementsAre(testing::Pair("closed", HasSubstr("503 Another process serves"))));
    clock_.follow({{core::now().ms + 3'600'000}, std::chrono::steady_clock::now()});
    submit("late", 1);
    EXPECT_THAT(told(), ElementsAre(testing::Pair("late", HasSubstr("503 The clock of this process is wrong"))));
    EXPECT_THAT(take(), ElementsAre("before")) << "what was queued is answered";
}

TEST_F(CommandQueueTest, WhatIsPutBackComesFirstInItsLane) {
    for (auto const* name : {"a1", "a2"}) submit(name, 1);
    for (auto const* name : {"b1", "b2"}) submit(name, 2);
    auto batch = queue_.take(100);
    ASSERT_THAT(names(batch), ElementsAre("a1", "b1", "a2", "b2"));
    submit("a3", 1);
    submit("c1", 3);
    queue_.put_back(batch, 1);
    EXPECT_THAT(names(batch), ElementsAre("a1"));
    EXPECT_EQ(stats_.queued, 5U);
    EXPECT_THAT(take(), ElementsAre("b1", "a2", "c1", "b2", "a3"));
}

TEST_F(CommandQueueTest, TheTurnIsHandedOnToWhoWaitsForIt) {
    ASSERT_TRUE(queue_.try_enter());
    EXPECT_FALSE(queue_.try_enter());
    int entered = 0;
    auto const enter = [&]() -> boost::asio::awaitable<void> {
        co_await queue_.enter();
        ++entered;
    };
    for (int i = 0; i < 2; ++i) boost::asio::co_spawn(context_, enter(), boost::asio::detached);
    EXPECT_FALSE(submit("a", 1)) << "it waits for who has the turn";
    told();
    EXPECT_EQ(entered, 0);
    EXPECT_THAT(take(), ElementsAre("a"));
    told();
    EXPECT_EQ(entered, 0) << "the turn goes on while something waits";
    for (int i = 1; i <= 2; ++i) {
        EXPECT_THAT(take(), IsEmpty());
        EXPECT_FALSE(queue_.try_enter());
        told();
        EXPECT_EQ(entered, i);
    }
    EXPECT_THAT(take(), IsEmpty());
    EXPECT_TRUE(queue_.try_enter());
}

}  // namespace
}  // namespace workforce::tests
