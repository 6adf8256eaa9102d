// A Kafka partition as its tail feeds it.
#include "events/log/kafka/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <utility>

#include "core/crypto.hpp"
#include "events/log/heads.hpp"
#include "events/log/kafka/records.hpp"
#include "tests/contract/log_writer.hpp"

namespace workforce::events::kafka {
namespace {

using tests::Bodies;
using tests::make_command;
using tests::make_data;

std::vector<Partition::Raw> at(std::int64_t offset, Bodies const& bodies) {
    std::vector<Partition::Raw> records;
    for (auto const& body : bodies) records.push_back({offset++, body});
    return records;
}

std::int64_t void_records(Partition const& partition) {
    std::int64_t sum = 0;
    for (auto const count : partition.voids()) sum += count;
    return sum;
}

class KafkaPartition : public testing::Test {
   protected:
    Partition partition_{0, 1 << 20, std::chrono::seconds(1)};
    Bodies records_{make_claim(1, "n", "s", "o")};

    KafkaPartition() {
        for (auto const& body : make_command(1, {}, make_data("x", 3))) records_.push_back(body);
    }
};

TEST_F(KafkaPartition, WhatComesAgainIsSkipped) {
    partition_.begin({});
    ASSERT_TRUE(partition_.fold(at(0, records_)));
    auto const head = partition_.view().head;
    EXPECT_EQ(head.position, 2);
    ASSERT_TRUE(partition_.fold(at(0, records_)));
    ASSERT_TRUE(partition_.fold(at(2, {records_[2]})));
    EXPECT_EQ(partition_.view().head, head);
    EXPECT_EQ(partition_.view().next_offset, 4);
    EXPECT_EQ(void_records(partition_), 0);
    ASSERT_TRUE(partition_.fold(at(4, {records_[2]})));
    EXPECT_EQ(void_records(partition_), 1) << "appended again it is another record";
}

TEST_F(KafkaPartition, BeginsAtItsLastMarkWhenThatFits) {
    ASSERT_TRUE(partition_.fold(at(0, records_)));
    auto const head = partition_.view().head;
    auto const next = make_command(1, head, make_data("y", 1));
    auto const begin = [&](Mark const& mark, std::vector<Partition::Raw> const& records) {
        Partition partition(0, 1 << 20, std::chrono::seconds(1));
        partition.begin({{1, 1, {0, std::string(64, 'a')}}, mark});
        EXPECT_TRUE(partition.unproved());
        EXPECT_EQ(partition.resume_offset(), mark.offset);
        EXPECT_EQ(partition.view().next_offset, 0);
        auto const fits = partition.fold(records);
        if (!fits) partition.start_over();
        EXPECT_EQ(partition.resume_offset(), fits ? 5 : 0);
        EXPECT_EQ(partition.mark_before(100).offset, fits ? mark.offset : -1);
        EXPECT_EQ(partition.view().head.position, fits ? 3 : -1);
        return fits;
    };
    auto const there = at(3, {records_[3], next[0]});
    EXPECT_TRUE(begin({3, 1, head}, there));
    EXPECT_FALSE(begin({3, 1, {2, std::string(64, 'b')}}, there));
    EXPECT_FALSE(begin({2, 1, head}, there));
    Partition empty(0, 1 << 20, std::chrono::seconds(1));
    empty.begin({{3, 1, head}});
    EXPECT_FALSE(empty.reached_end(3)) << "where the mark's record must stand there is none";
}

TEST_F(KafkaPartition, BreaksOffWhenAnotherDatabaseHasTakenIt) {
    HeadSigner const signer("t", "the master key");
    HeadSigner const stranger("t", "another key");
    Owner const owner{"mine", {0}, {signer.public_key()}};
    auto const broken_by = [&](OwnerRecord record, HeadSigner const& by) {
        record.signature = by.signature_of(owner_text("topic", record));
        Partition partition(0, 1 << 20, std::chrono::seconds(1), true, "topic", owner);
        partition.begin({});
        records_.push_back(make_owner_record(record));
        partition.expect_end(static_cast<std::int64_t>(records_.size()));
        boost::asio::io_context context;
        auto end = boost::asio::co_spawn(
            context, core::await_completion<Outcome>([&](Complete c) { partition.arrive(std::move(c)); }),
            boost::asio::use_future);
        context.poll();
        EXPECT_TRUE(partition.fold(at(0, records_)));
        records_.pop_back();
        context.run();
        bool const arrived = end.get().kind == Outcome::Kind::done;
        EXPECT_EQ(partition.view().owner_seen->incarnation, record.incarnation);
        EXPECT_EQ(partition.view().head.position, 2);
        try {
            partition.require_whole();
            EXPECT_TRUE(arrived);
            return false;
        } catch (LogUnfit const& unfit) {
            EXPECT_THAT(unfit.what(), testing::HasSubstr("belongs to another database now (incarnation other"));
            EXPECT_FALSE(arrived) << "who waits for the end was told that it is there";
            return true;
        }
    };
    EXPECT_TRUE(broken_by({.incarnation = "other", .formerly = "mine", .source = "s", .signature = {}}, signer));
    EXPECT_FALSE(broken_by({.incarnation = "other", .formerly = "mine", .source = "s", .signature = {}}, stranger));
    EXPECT_FALSE(
        broken_by({.incarnation = "other", .formerly = "an older one", .source = "s", .signature = {}}, signer));
    EXPECT_FALSE(broken_by({.incarnation = "other", .formerly = "mine", .source = "s", .signature = {}, .partition = 1},
                           signer));
    EXPECT_FALSE(broken_by({.incarnation = "mine", .formerly = "mine", .source = "s", .signature = {}}, signer));
}

}  // namespace
}  // namespace workforce::events::kafka
