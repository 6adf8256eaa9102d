// Where the tail and the readers of the Kafka engine begin, and what the tail's thread does not wait for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <pqxx/result>
#include <thread>

#include "events/log/kafka/kafka_log.hpp"
#include "tests/contract/log_writer.hpp"
#include "tests/support/test_database.hpp"
#include "tests/support/test_topic.hpp"

namespace workforce::tests {
namespace {

using events::KafkaLog;
using testing::HasSubstr;

constexpr int kMarks = 3;
constexpr int kRecords = kMarks * 4096 + 200;  // a mark every 4096 positions
constexpr int kEach = 100;

/// A partition that begins with a foreign record, and the marks that its writer left.
class KafkaMarks : public testing::Test {
   protected:
    KafkaMarks() {
        KafkaLog::initialize(topic_.options(), 1, 1);
        topic_.put(0, "hello");
        auto const log = open();
        LogWriter writer(*log, 0);
        for (int i = 0; i * kEach < kRecords; ++i) {
            EXPECT_TRUE(writer.append(make_data(std::to_string(i), kEach)));
        }
        head_ = writer.head;
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (marks() < kMarks && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(marks(), kMarks);
    }

    std::unique_ptr<KafkaLog> open() {
        events::KafkaLogOptions options;
        options.client = topic_.options();
        options.database_url = database_.url();
        return std::make_unique<KafkaLog>(options);
    }
    pqxx::result sql(std::string const& statement) { return database_.query(statement); }
    int marks() { return sql("SELECT count(*) FROM log.kafka_mark")[0][0].as<int>(); }
    static std::int64_t events_from(events::EventLog& log, std::int64_t position) {
        auto const all = scan_all(log, 0, position, 1 << 20);
        return std::count_if(all.begin(), all.end(),
                             [](events::LogEntry const& each) { return each.kind == events::LogEntry::Kind::event; });
    }
    /// A new process finds all as it is, wherever it began; whether it read the partition's first record.
    bool read_from_the_beginning() {
        auto const log = open();
        EXPECT_EQ(log->head(0), head_);
        auto const foreign = log->voids(0).at("foreign");
        for (std::int64_t const from : {0, 4000, 4096, 4097, 9000, 12'300}) {
            auto const records = log->read(0, from, 5, 1 << 20);
            EXPECT_EQ(records.size(), 5U);
            EXPECT_EQ(records.at(0).position, from);
            EXPECT_EQ(data_of(records.at(0).body),
                      make_data(std::to_string(from / kEach), kEach)[static_cast<std::size_t>(from % kEach)]);
        }
        EXPECT_EQ(events_from(*log, 0), head_.position + 1);
        EXPECT_EQ(events_from(*log, 12'300), head_.position + 1 - 12'300);
        EXPECT_TRUE(LogWriter(*log, 0).confirm());
        return foreign > 0;
    }

    TestTopic topic_;
    TestDatabase database_;
    events::Head head_;
};

TEST_F(KafkaMarks, AProcessBeginsAtTheLastOne) {
    EXPECT_FALSE(read_from_the_beginning());
    EXPECT_EQ(marks(), kMarks);
    auto const log = open();
    LogWriter writer(*log, 0);
    EXPECT_EQ(writer.head, head_);
    EXPECT_TRUE(writer.append(make_data("more", 3)));
    EXPECT_EQ(open()->head(0), writer.head);
}

TEST_F(KafkaMarks, WhatDoesNotFitTheTopicIsForgotten) {
    for (auto const& wrong :
         {"hash = repeat('0', 64)", "record_offset = record_offset + 1", "record_offset = record_offset - 1",
          "record_offset = {} - 1", "record_offset = {}", "record_offset = {} + 1000"}) {
        auto const change = fmt::format(fmt::runtime(wrong), topic_.stored(0).size());
        SCOPED_TRACE(change);
        sql("UPDATE log.kafka_mark SET " + change + " WHERE position > 12000");
        testing::internal::CaptureStderr();
        EXPECT_TRUE(read_from_the_beginning());
        auto const said = testing::internal::GetCapturedStderr();
        EXPECT_THAT(said, HasSubstr("a mark does not fit the topic"));
        EXPECT_EQ(said.find("does not fit"), said.rfind("does not fit")) << "in one line";
        // It wrote new ones, for it had claimed the partition.
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        {
            auto const log = open();
            LogWriter const writer(*log, 0);
            while (marks() < kMarks && std::chrono::steady_clock::now() < deadline)
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(marks(), kMarks);
    }
}

TEST_F(KafkaMarks, ReadersGoByNoneThatDoesNotFit) {
    sql("UPDATE log.kafka_mark SET record_offset = record_offset + 7 WHERE position < 12000");
    EXPECT_FALSE(read_from_the_beginning());
}

TEST_F(KafkaMarks, WithoutThemAllIsReadFromTheBeginning) {
    sql("ALTER TABLE log.kafka_mark RENAME TO elsewhere");
    testing::internal::CaptureStderr();
    EXPECT_TRUE(read_from_the_beginning());
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("marks can't be had"));
}

TEST_F(KafkaMarks, APartitionThatLostItsBeginningStopsAllTheSame) {
    topic_.truncate(0, 3);
    auto const log = open();
    EXPECT_THROW(LogWriter(*log, 0), events::LogUnfit);
    EXPECT_THROW(log->head(0), events::LogUnfit);
}

TEST(KafkaTail, DoesNotWaitForWhatBlocks) {
    TestTopic const topic;
    KafkaLog::initialize(topic.options(), 1, 1);
    auto options = topic.options();
    options.timeout = std::chrono::seconds(20);
    events::kafka::Client asker(options, events::kafka::Role::asker);
    std::deque<events::kafka::Partition> partitions;
    partitions.emplace_back(0, 1000, options.timeout);
    std::promise<void> stuck;
    std::promise<void> release;
    events::kafka::Tail tail(options, asker, partitions, nullptr, [&, once = false]() mutable {
        if (std::exchange(once, true)) return;
        stuck.set_value();
        release.get_future().wait();
    });
    stuck.get_future().wait();
    tail.follow(0);
    topic.put(0, "hello");
    EXPECT_NO_THROW(partitions[0].await_offset(1));
    release.set_value();
}

}  // namespace
}  // namespace workforce::tests
