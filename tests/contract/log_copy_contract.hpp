// What copying from any engine to any other must do. A pair of engines joins by a fixture class:
//
//   struct Pair {
//       std::unique_ptr<events::EventLog> source();  // one more instance on the same log of kCopyPartitions partitions
//       std::unique_ptr<events::EventLog> target();  // the same of another log
//   };
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "events/log/copy.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/verify.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/past.hpp"

namespace workforce::tests {

inline constexpr int kCopyPartitions = 3;

template <class Pair>
class LogCopyContract : public testing::Test {
   protected:
    events::CopyCounts copy() {
        return events::copy_log(*source_, *target_, [](std::int64_t) {});
    }
    /// The refusal's text.
    std::string refusal() {
        try {
            copy();
        } catch (events::LogUnfit const& unfit) {
            return unfit.what();
        }
        return "it copied";
    }
    /// Everything that counts, as text: the copy's must be the same to the byte.
    static std::string content(events::EventLog& log) {
        std::string all;
        for (int partition = 0; partition < kCopyPartitions; ++partition) {
            auto const scan = log.scan(partition, 0);
            for (auto page = scan->next(1 << 20); !page.empty(); page = scan->next(1 << 20)) {
                for (auto const& entry : page) {
                    if (entry.kind == events::LogEntry::Kind::voided) continue;
                    all += fmt::format("{} {} {} {} {}\n", partition, static_cast<int>(entry.kind), entry.position,
                                       entry.kind == events::LogEntry::Kind::claim ? entry.epoch : 0, entry.text);
                }
            }
        }
        return all;
    }
    void expect_equal() {
        EXPECT_EQ(content(*target_), content(*source_));
        for (auto const& audit :
             events::verify(*target_, events::choose_partitions(kCopyPartitions, -1), {}, [](std::int64_t) {})) {
            EXPECT_EQ(events::describe_fault(audit), std::nullopt) << audit.fault;
            EXPECT_EQ(target_->head(audit.partition), source_->head(audit.partition));
        }
    }

    Pair pair_;
    std::unique_ptr<events::EventLog> source_ = pair_.source();
    std::unique_ptr<events::EventLog> target_ = pair_.target();
    MemoryKeyring keyring_;
};
TYPED_TEST_SUITE_P(LogCopyContract);

TYPED_TEST_P(LogCopyContract, CarriesEventsAndClaimsToTheByte) {
    auto const events = write_past(*this->source_, this->keyring_, kCopyPartitions, 3);
    auto const counts = this->copy();
    EXPECT_EQ(counts.events, events);
    EXPECT_EQ(counts.claims, 2 * (3 + 4 + 5) + 1);
    this->expect_equal();
}

TYPED_TEST_P(LogCopyContract, AnEmptyLogIsCopied) {
    EXPECT_EQ(this->copy().events, 0);
    this->expect_equal();
}

TYPED_TEST_P(LogCopyContract, GoesOnWithWhatIsNewAndThenHasNothingToDo) {
    write_past(*this->source_, this->keyring_, kCopyPartitions, 1);
    this->copy();
    auto const more = write_past(*this->source_, this->keyring_, kCopyPartitions, 2);
    // As another process would: nothing is left in memory of what was copied before.
    this->target_->stop();
    this->target_ = this->pair_.target();
    EXPECT_EQ(this->copy().events, more);
    this->expect_equal();
    auto const again = this->copy();
    EXPECT_EQ(again.events, 0);
    EXPECT_EQ(again.claims, 0);
    this->expect_equal();
}

// Stopped at any place: between claims that stand in a row, within an epoch, within a partition.
TYPED_TEST_P(LogCopyContract, GoesOnWhereItWasStopped) {
    write_past(*this->source_, this->keyring_, kCopyPartitions, 2);
    for (int partition = 0; partition < kCopyPartitions; ++partition) {
        auto const scan = this->source_->scan(partition, 0);
        auto left = 1 + partition * 4;  // entries that come through: one claim; up to a command; more
        events::Claim claim;
        events::Head head;
        events::Head next;
        Bodies command;
        for (auto const& entry : scan->next(1 << 20)) {
            if (left-- == 0) break;
            if (entry.kind == events::LogEntry::Kind::claim) {
                claim = await(this->target_->claim_from(partition, entry.text, entry.epoch));
                continue;
            }
            command.push_back(entry.text);
            next = {entry.position, events::record_hash(entry.text)};
            auto const standing = events::standing_of(entry.text);
            if (standing->command_index != standing->command_count) continue;
            ASSERT_TRUE(await(this->target_->append(claim, head, next, std::exchange(command, {}))));
            head = next;
        }
        ASSERT_TRUE(command.empty());
    }
    this->target_->stop();
    this->target_ = this->pair_.target();
    this->copy();
    this->expect_equal();
}

TYPED_TEST_P(LogCopyContract, RefusesTargetsThatAreNoBeginning) {
    write_past(*this->source_, this->keyring_, kCopyPartitions, 1);
    await(this->target_->claim_from(1, "someone else", 1));
    EXPECT_THAT(this->refusal(), testing::StartsWith("partition 1: the target has a claim of epoch 1 by someone else"));
    EventWriter(*this->target_, this->keyring_, 1)
        .append(events::Kind::shift, 1, events::ShiftEvent(events::ShiftPosted{}));
    EXPECT_THAT(this->refusal(), testing::StartsWith("partition 1: the target holds other events: position 0"));
    EXPECT_EQ(this->target_->head(1).position, 0) << "and nothing was added";
}

TYPED_TEST_P(LogCopyContract, RefusesTargetsThatHaveMore) {
    write_past(*this->source_, this->keyring_, kCopyPartitions, 1);
    this->copy();
    EventWriter const idle(*this->target_, this->keyring_, 2);
    EXPECT_THAT(this->refusal(), testing::HasSubstr("that the source has not"));
    EventWriter(*this->target_, this->keyring_, 2)
        .append(events::Kind::shift, 1, events::ShiftEvent(events::ShiftPosted{}));
    EXPECT_THAT(this->refusal(), testing::HasSubstr("the target has events past the source"));
}

REGISTER_TYPED_TEST_SUITE_P(LogCopyContract, CarriesEventsAndClaimsToTheByte, AnEmptyLogIsCopied,
                            GoesOnWithWhatIsNewAndThenHasNothingToDo, GoesOnWhereItWasStopped,
                            RefusesTargetsThatAreNoBeginning, RefusesTargetsThatHaveMore);

}  // namespace workforce::tests
