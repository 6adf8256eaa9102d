// How much of a process's memory a partition may fill, and whom it refuses once that is full.
#include "commands/engine/memory_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/shift.hpp"
#include "tests/unit/commands/engine/part_fixture.hpp"

namespace workforce::tests {
namespace {

using commands::MemoryBudget;
using MemoryBound = commands::MemoryBudget::Bound;

/// Two partitions of one process, of which this one holds some people and nothing is stored yet.
class MemoryBudgetTest : public PartTest {
   protected:
    MemoryBudgetTest() {
        use_.partitions = 2;
        found_organization();
        for (Id id = 101; id <= 120; ++id) onboard(id);
        for (auto const& event : events::decode_all(log_.read(0, 0, 100, 1 << 20), keyring_)) memory_.apply(event);
        budget_.show();
    }
    /// Limits of which this partition holds twice its share, and which it fills without the other.
    void fill_memory() {
        context_.limits = {.bytes = memory_.bytes(), .answer_bytes = 1 << 20, .most_bytes = memory_.bytes() - 1};
    }
    bool admits() { return await(budget_.admits_commands()); }
    static commands::Submission of(Id organization, bool keyed = false) {
        commands::Submission submission;
        submission.context.organization = organization;
        if (keyed) submission.idempotency = {"key", "the request"};
        return submission;
    }
    static std::vector<commands::NewEvent> staff_event() {
        return {{{events::Kind::staff, 101}, 0, events::StaffEvent(events::StaffUpdated{})}};
    }
    static std::vector<commands::NewEvent> shift_event() {
        return {{{events::Kind::shift, 7}, 0, events::ShiftEvent(events::ShiftPosted{})}};
    }

    MemoryBudget budget_{0, context_, memory_, stats_};
};

TEST_F(MemoryBudgetTest, WhatIsShownIsWhatTheProcessCounts) {
    EXPECT_GT(memory_.bytes(), 0U);
    EXPECT_EQ(use_.bytes, memory_.bytes());
    EXPECT_EQ(stats_.bytes, memory_.bytes());
    EXPECT_EQ(stats_.aggregates, memory_.aggregates());
    use_.bytes += 1000;  // another partition's
    memory_ = commands::Memory();
    budget_.show();
    EXPECT_EQ(use_.bytes, 1000U);
    EXPECT_EQ(stats_.bytes, 0U);
}

TEST_F(MemoryBudgetTest, OnlyWhoHoldsMoreThanItsSharePaysForAll) {
    auto const own = memory_.bytes();
    context_.limits = {.bytes = 4 * own, .most_bytes = 4 * own};
    use_.bytes += 5 * own;
    EXPECT_FALSE(budget_.overflows()) << "the other one is over; this one has half of its share";
    context_.limits.bytes = own;
    EXPECT_TRUE(budget_.overflows());
    use_.partitions = 1;
    EXPECT_FALSE(budget_.overflows()) << "all of the limit is its share";
    use_.partitions = 2;
    use_.bytes -= 5 * own;
    EXPECT_FALSE(budget_.overflows()) << "over its share, which nobody else needs";
}

TEST_F(MemoryBudgetTest, TheFurtherBoundIsAQuarterMore) {
    auto const own = memory_.bytes();
    context_.limits = {.bytes = own, .most_bytes = 4 * own};
    use_.bytes += 3 * own + 1;
    EXPECT_TRUE(budget_.overflows());
    EXPECT_FALSE(budget_.overflows(MemoryBound::further));
    use_.bytes += own;
    EXPECT_TRUE(budget_.overflows(MemoryBound::further));
}

TEST_F(MemoryBudgetTest, AnswersHaveABoundOfTheirOwn) {
    context_.limits = {.bytes = 1 << 30, .answer_bytes = 100, .most_bytes = 1 << 30, .most_answer_bytes = 200};
    EXPECT_FALSE(budget_.overflows());
    memory_.keep_answer("key", {"the request", now(), {}, "", false, 30});
    EXPECT_TRUE(budget_.overflows());
}

TEST_F(MemoryBudgetTest, WithoutAStoreEverythingIsKept) {
    fill_memory();
    context_.store = nullptr;
    EXPECT_FALSE(budget_.overflows());
    EXPECT_TRUE(admits());
    EXPECT_TRUE(budget_.has_room(of(kOrganization, true), staff_event()));
    EXPECT_EQ(memory_.aggregates(), 21U);
}

TEST_F(MemoryBudgetTest, WhatIsStoredMakesRoomForTheBatch) {
    fill_memory();
    context_.limits.bytes = 0;
    store_.position = log_.claim().head.position;
    EXPECT_TRUE(admits());
    EXPECT_EQ(memory_.aggregates(), 0U);
    EXPECT_EQ(stats_.evicted, 21U);
    EXPECT_EQ(use_.bytes, 0U) << "the process is told";
    EXPECT_NE(use_.evicted_at, 0) << "and that there is a shortage";
}

TEST_F(MemoryBudgetTest, WhileItIsFullWhoHoldsMuchAddsOnlyWhatLeavesSoon) {
    fill_memory();
    EXPECT_TRUE(admits()) << "the further bound is not reached";
    EXPECT_FALSE(budget_.has_room(of(kOrganization), staff_event())) << "of people much waits for its read model";
    EXPECT_TRUE(budget_.has_room(of(kOrganization), shift_event()));
    EXPECT_TRUE(budget_.has_room(of(kOrganization, true), {})) << "no answer waits";
    EXPECT_TRUE(budget_.has_room(of(kOrganization + 1), staff_event())) << "it holds little";
    context_.limits.most_bytes = 1 << 30;
    EXPECT_TRUE(admits());
    EXPECT_TRUE(budget_.has_room(of(kOrganization), staff_event())) << "it is full no more";
}

TEST_F(MemoryBudgetTest, PastTheFurtherBoundNobodyIsServed) {
    fill_memory();
    context_.limits.most_bytes = memory_.bytes() / 2;
    EXPECT_FALSE(admits());
    EXPECT_EQ(budget_.refuse(3).code, Code::service_unavailable);
    EXPECT_EQ(stats_.refused, 3U);
    EXPECT_EQ(memory_.aggregates(), 21U) << "nothing is stored";
    store_.position = log_.claim().head.position;
    context_.limits.bytes = 0;
    EXPECT_TRUE(admits());
}

// Until others evict, a partition keeps what they leave of the limit.
TEST_F(MemoryBudgetTest, OthersThatEvictLeaveOnlyTheShare) {
    auto const own = memory_.bytes();
    context_.limits = {.bytes = own + own / 2, .answer_bytes = 1 << 20};
    store_.position = log_.claim().head.position;
    await(budget_.sweep(MemoryBudget::Sweep::at_once));
    EXPECT_EQ(memory_.aggregates(), 21U) << "seven eighths of the limit are more than it holds";
    EXPECT_EQ(use_.evicted_at, 0);
    auto const others = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    use_.evicted_at = others;
    await(budget_.sweep(MemoryBudget::Sweep::at_once));
    EXPECT_LE(memory_.bytes(), context_.limits.bytes / 2);
    EXPECT_EQ(use_.evicted_at, others) << "what makes room for others is no sign of a shortage";
}

TEST_F(MemoryBudgetTest, ASweepIsWorthItsQuestionPastAnEighthMore) {
    auto const own = memory_.bytes();
    use_.partitions = 1;
    context_.limits = {.bytes = own - own / 10, .answer_bytes = 1 << 20};
    store_.position = log_.claim().head.position;
    await(budget_.sweep());
    EXPECT_EQ(memory_.bytes(), own);
    context_.limits.bytes = own - own / 5;
    await(budget_.sweep());
    EXPECT_LE(memory_.bytes(), context_.limits.bytes);
}

}  // namespace
}  // namespace workforce::tests
