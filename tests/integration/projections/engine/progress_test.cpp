// Reading one's own writes: who waits for a position is resumed when it is folded, and told when it can't be.
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <thread>

#include "projections/shifts/shifts.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::Progress;
using std::chrono::steady_clock;

constexpr auto kLong = std::chrono::seconds(30);

TEST(ProgressTest, ResumesWaitersAsTheirPositionsAreReached) {
    Progress progress(2, {"shift", "staff"});
    boost::asio::io_context context(1);
    std::vector<std::string> order;
    auto const wait = [&](std::string name, std::int64_t position,
                          std::string projection) -> boost::asio::awaitable<void> {
        bool const reached = co_await progress.wait_for(1, position, steady_clock::now() + kLong, projection);
        order.push_back(name + (reached ? " reached" : " not"));
    };
    auto first = boost::asio::co_spawn(context, wait("all", 5, ""), boost::asio::use_future);
    auto second = boost::asio::co_spawn(context, wait("shift", 5, "shift"), boost::asio::use_future);
    auto third = boost::asio::co_spawn(context, wait("staff", 9, "staff"), boost::asio::use_future);
    context.poll();
    EXPECT_TRUE(order.empty());
    progress.set(0, {{.position = 100}, {.position = 100}});  // another partition
    progress.set(1, {{.position = 5}, {.position = 4}});
    context.poll();
    EXPECT_EQ(order, std::vector<std::string>{"shift reached"});
    progress.set(1, {{.position = 5}, {.position = 5}});
    context.poll();
    EXPECT_EQ(order.back(), "all reached");
    progress.set(1, {{.position = 6}, {.position = 7, .stopped = true, .reason = "poison"}});
    context.run();
    EXPECT_EQ(order.back(), "staff not");
    EXPECT_TRUE(progress.reached(1, 6));
    EXPECT_FALSE(progress.reached(1, 7));
    auto const status = progress.status();
    ASSERT_EQ(status.stopped.size(), 1u);
    EXPECT_EQ(status.stopped[0].position, 8);
    EXPECT_EQ(status.lag_events, 1);
}

TEST(ProgressTest, WaitEndsAtItsDeadlineAndSurvivesItsContext) {
    Progress progress(1, {"shift"});
    EXPECT_FALSE(await(progress.wait_for(0, 0, steady_clock::now() + std::chrono::milliseconds(1))));
    {
        boost::asio::io_context context(1);
        auto abandoned = boost::asio::co_spawn(context, progress.wait_for(0, 0, steady_clock::now() + kLong),
                                               boost::asio::use_future);
        context.poll();
    }
    progress.set(0, {{.position = 3}});  // nobody is left to wake
    EXPECT_TRUE(await(progress.wait_for(0, 3, steady_clock::now())));
    EXPECT_THROW(static_cast<void>(progress.reached(0, 0, "nonsense")), std::invalid_argument);
}

TEST(ProgressTest, IsBehindWhereAnEventThatWasSeenIsStillNotFolded) {
    using std::chrono::milliseconds;
    Progress progress(2, {"shift", "guardrail"});
    auto const grows = [&](int partition, std::string_view projection) {
        auto const first = progress.behind(partition, projection);
        while (progress.behind(partition, projection) == first)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return true;
    };
    progress.note_event(0, 7);
    EXPECT_EQ(progress.behind(0, "shift"), milliseconds(0)) << "where it stands is not known yet";
    progress.set(0, {{.position = 7}, {.position = 6}});
    progress.note_event(0, 7);
    EXPECT_TRUE(grows(0, "guardrail"));
    EXPECT_EQ(progress.behind(0, "shift"), milliseconds(0));
    progress.note_event(0, 9);
    progress.set(0, {{.position = 9}, {.position = 7}});
    EXPECT_EQ(progress.behind(0, "guardrail"), milliseconds(0)) << "what was seen first is folded";
    progress.note_head(0, 9);
    EXPECT_TRUE(grows(0, "guardrail"));
    progress.note_head(0, -1);  // of who does not know it
    EXPECT_TRUE(grows(0, "guardrail"));
    EXPECT_GT(progress.behind("guardrail"), milliseconds(0));
    EXPECT_EQ(progress.behind(1, "guardrail"), milliseconds(0));
    progress.set(0, {{.position = 9}, {.position = 9}});
    EXPECT_EQ(progress.behind("guardrail"), milliseconds(0));
}

class ReadYourWritesTest : public ProjectionsTest {};

TEST_F(ReadYourWritesTest, WhatWasWaitedForIsThere) {
    EventWriter writer(*log_, keyring_, 0);
    writer.meta.organization = 7;
    core::Database reader(reader_options());
    projections::Runner runner(*log_, keyring_, runner_options());
    for (core::Id id = 1; id <= 50; ++id) {
        auto const position = writer.append(Kind::shift, id, shift_posted(1, "day", "2026-07-24T06:00:00Z"));
        ASSERT_TRUE(wait_for(runner, 0, position));
        ASSERT_TRUE(await(projections::shifts().find(reader, {.organization = 7}, id)));
    }
}

}  // namespace
}  // namespace workforce::tests
