// The Kafka engine's writers when the broker refuses, delays or fences what they send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "events/log/kafka/kafka_log.hpp"
#include "tests/contract/log_writer.hpp"
#include "tests/support/mock_kafka.hpp"

namespace workforce::tests {
namespace {

using events::AppendFault;
using events::KafkaLog;

class KafkaFaults : public testing::TestWithParam<std::vector<rd_kafka_resp_err_t>> {
   protected:
    KafkaLog open(std::chrono::milliseconds timeout) {
        events::KafkaLogOptions options;
        options.client = kafka_.options();
        options.client.timeout = timeout;
        return KafkaLog(options, 1);
    }

    MockKafka kafka_{1};
};

/// A record that can be read need not be durable: while fewer replicas than the topic asks for are in step its writer
/// is told nothing good, and some versions of Kafka show it to readers all the same.
TEST_F(KafkaFaults, WhatIsReadBackIsNotDoneBeforeItsReport) {
    auto log = open(std::chrono::seconds(2));
    auto other = open(std::chrono::seconds(10));
    LogWriter writer(log, 0);
    ASSERT_TRUE(writer.append(make_data("before", 1)));
    kafka_.delay_append(std::chrono::minutes(10));
    EXPECT_EQ(writer.append(make_data("during", 2)), tl::unexpected(AppendFault::unknown));
    EXPECT_EQ(read_until(other, 0, 3).size(), 3U) << "it counts, but its writer did not know";

    LogWriter next(log, 0);
    EXPECT_EQ(next.head.position, 2);
    EXPECT_TRUE(next.append(make_data("after", 1)));
    EXPECT_EQ(read_all(other, 0).size(), 4U);
}

// On a log of its own: a producer whose request ended late may send it again, and that would take the delay.
TEST_F(KafkaFaults, WhatIsReadBackIsNotConfirmedBeforeItsReport) {
    auto log = open(std::chrono::seconds(2));
    LogWriter writer(log, 0);
    ASSERT_TRUE(writer.append(make_data("before", 1)));
    kafka_.delay_append(std::chrono::minutes(10));
    EXPECT_EQ(writer.confirm(), tl::unexpected(AppendFault::unknown));

    LogWriter next(log, 0);
    EXPECT_TRUE(next.append(make_data("after", 1)));
    EXPECT_TRUE(next.confirm());
    EXPECT_EQ(read_all(log, 0).size(), 2U);
}

TEST_P(KafkaFaults, NothingIsLostOrTwiceAndAllGoesOn) {
    constexpr int kCommands = 60;
    constexpr int kEvery = 20;
    auto log = open(std::chrono::seconds(10));
    std::optional<LogWriter> writer;
    std::set<std::string> acknowledged;
    int claims = 0;
    for (int i = 0; i < kCommands; ++i) {
        if (!writer) {
            writer.emplace(log, 0);
            ++claims;
        }
        if (i % kEvery == kEvery / 2) kafka_.refuse_appends(GetParam());
        auto const data = make_data(std::to_string(i), 2);
        if (writer->append(data)) {
            acknowledged.insert(data.begin(), data.end());
        } else {
            writer.reset();
        }
    }
    EXPECT_LE(claims, 1 + kCommands / kEvery) << "one fault, one claim";
    EXPECT_GE(acknowledged.size(), 2U * (kCommands - kCommands / kEvery));
    auto late = open(std::chrono::seconds(10));
    auto const data = read_all(late, 0);
    std::set<std::string> const present(data.begin(), data.end());
    EXPECT_EQ(present.size(), data.size()) << "a record counts twice";
    EXPECT_TRUE(std::includes(present.begin(), present.end(), acknowledged.begin(), acknowledged.end()));
    EXPECT_EQ(read_all(log, 0), data);
    EXPECT_TRUE(LogWriter(late, 0).append(make_data("late", 1)));
}

using Errors = std::vector<rd_kafka_resp_err_t>;
INSTANTIATE_TEST_SUITE_P(
    Broker, KafkaFaults,
    testing::Values(
        Errors(3, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS), Errors(3, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND),
        Errors(2, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT), Errors(2, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION),
        Errors(2, RD_KAFKA_RESP_ERR__TRANSPORT), Errors(1, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER),
        Errors(1, RD_KAFKA_RESP_ERR_PRODUCER_FENCED), Errors(1, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH),
        Errors(1, RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID), Errors(1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)),
    [](testing::TestParamInfo<Errors> const& each) { return std::string(rd_kafka_err2name(each.param[0])); });

}  // namespace
}  // namespace workforce::tests
