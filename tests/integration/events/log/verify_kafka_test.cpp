// The audit of a log in Kafka, which keeps what does not count: damage shows in what it voids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "events/log/kafka/kafka_log.hpp"
#include "events/log/verify.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/past.hpp"
#include "tests/support/test_topic.hpp"

namespace workforce::tests {
namespace {

using testing::StartsWith;
using Stored = std::vector<TestTopic::Stored>;

std::unique_ptr<events::KafkaLog> open(TestTopic const& topic) {
    events::KafkaLogOptions options;
    options.client = topic.options();
    return std::make_unique<events::KafkaLog>(options);
}

events::PartitionAudit audit(TestTopic const& topic, events::ExpectedHeads const& expected = {}) {
    auto const log = open(topic);
    auto found = events::verify_partition(*log, 0, expected, [](std::int64_t) {});
    log->stop();
    return found;
}

class VerifyKafkaTest : public testing::Test {
   protected:
    VerifyKafkaTest() {
        events::KafkaLog::initialize(whole_.options(), 1, 1);
        auto const log = open(whole_);
        events_ = write_past(*log, keyring_, 1, 2);
        head_ = log->head(0);
        log->stop();
    }

    /// What is said of a topic with the same records, changed on the way.
    std::string fault(std::function<void(Stored&)> const& change, events::ExpectedHeads const& expected = {}) {
        TestTopic const topic;
        events::KafkaLog::initialize(topic.options(), 1, 1);
        auto records = whole_.stored(0);
        change(records);
        for (auto const& record : records) topic.put(0, record.body, record.headers);
        return events::describe_fault(audit(topic, expected)).value_or("whole");
    }
    /// The record of a position.
    static Stored::iterator at(Stored& records, std::int64_t position) {
        auto const found = std::find_if(records.begin(), records.end(), [&](TestTopic::Stored const& record) {
            auto const standing = events::standing_of(record.body);
            return standing && standing->position == position;
        });
        if (found == records.end()) throw std::out_of_range("no such record");
        return found;
    }
    static void replace(std::string& text, std::string const& from, std::string const& to) {
        text.replace(text.find(from), from.size(), to);
    }

    TestTopic whole_;
    MemoryKeyring keyring_;
    std::int64_t events_ = 0;
    events::Head head_;
};

TEST_F(VerifyKafkaTest, AWholeLogIsWhole) {
    auto const found = audit(whole_, {{0, {head_, "the signed head"}}});
    EXPECT_EQ(events::describe_fault(found), std::nullopt) << found.fault;
    EXPECT_EQ(found.events, events_);
    EXPECT_EQ(found.claims, 5);
    EXPECT_EQ((events::Head{found.position, found.hash}), head_);
    EXPECT_EQ(fault([](Stored&) {}), "whole") << "and so is its copy, record for record";
}

TEST_F(VerifyKafkaTest, LostWritersAndForeignRecordsAreNoFault) {
    EXPECT_EQ(fault([](Stored& records) {
                  auto const old = *at(records, 3);  // again, by a writer that has lost the partition
                  records.push_back(old);
                  auto zombie = old;
                  replace(zombie.body, R"("position":"3")", R"("position":"99")");
                  records.push_back(zombie);
                  records.push_back({.key = {}, .body = "noise", .headers = {}});
              }),
              "whole");
}

TEST_F(VerifyKafkaTest, AChangedByteIsFound) {
    for (std::int64_t const position : {0, 2, 3, 5, 6, 8}) {
        EXPECT_THAT(fault([&](Stored& records) { replace(at(records, position)->body, "Europe", "Eur0pe"); }),
                    StartsWith(fmt::format("partition 0, position {} was changed", position)));
    }
    EXPECT_THAT(fault([&](Stored& records) { at(records, 4)->body[0] = '['; }), StartsWith("partition 0, position 4 "));
}

TEST_F(VerifyKafkaTest, AChangedLastRecordShowsAgainstASignedHead) {
    auto const change = [&](Stored& records) { replace(at(records, head_.position)->body, "Europe", "Eur0pe"); };
    EXPECT_THAT(fault(change, {{0, {head_, "the signed head"}}}),
                StartsWith(fmt::format("partition 0, position {} is not the record", head_.position)));
}

TEST_F(VerifyKafkaTest, RemovedAndSwappedRecordsAreFound) {
    EXPECT_THAT(fault([&](Stored& records) { records.erase(at(records, 7)); }),
                StartsWith("partition 0, position 7 is missing"));
    EXPECT_THAT(fault([&](Stored& records) { std::swap(*at(records, 6), *at(records, 7)); }),
                StartsWith("partition 0, position 6 is missing or was changed"));
}

TEST_F(VerifyKafkaTest, ALostClaimIsFound) {
    EXPECT_THAT(fault([&](Stored& records) {
                    // The one that positions 6 to 11 were written under.
                    auto const first = at(records, 6);
                    records.erase(first - 1);
                }),
                StartsWith("partition 0, position 6 "));
}

TEST_F(VerifyKafkaTest, ACutTailShowsAgainstASignedHead) {
    auto const cut = [&](Stored& records) { records.erase(at(records, 6), records.end()); };
    EXPECT_EQ(fault(cut), "whole");
    EXPECT_THAT(fault(cut, {{0, {head_, "the signed head"}}}), StartsWith("partition 0, position 6 is missing"));
}

}  // namespace
}  // namespace workforce::tests
