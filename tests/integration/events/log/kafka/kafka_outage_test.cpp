// The Kafka engine while brokers die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "events/log/kafka/kafka_log.hpp"
#include "tests/contract/log_writer.hpp"
#include "tests/support/private_kafka.hpp"
#include "tests/support/test_topic.hpp"

namespace workforce::tests {
namespace {

using events::AppendFault;
using events::KafkaLog;
using events::LogUnavailable;

events::KafkaLogOptions options_for(TestTopic const& topic, std::chrono::milliseconds timeout) {
    events::KafkaLogOptions options;
    options.client = topic.options();
    options.client.timeout = timeout;
    return options;
}

/// Calls f until it finds the log, for at most a minute.
template <class F>
auto once_available(F f) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (;;) {
        try {
            return f();
        } catch (LogUnavailable const&) {
            if (std::chrono::steady_clock::now() > deadline) throw;
        }
    }
}

TEST(KafkaLogRequests, TheRecordsOfAnAppendTravelTogether) {
    constexpr int kAppends = 50;
    PrivateKafka const kafka(1);
    TestTopic const topic(kafka.brokers());
    KafkaLog::initialize(topic.options(), 1, 0);
    KafkaLog log(options_for(topic, std::chrono::seconds(10)));
    LogWriter writer(log, 0);
    // An append that begins while the producer still has the one before it flushed, or whose thread is off for
    // milliseconds on a busy machine, travels in parts.
    int least = kAppends * 3;
    for (int round = 0; round < 3 && least >= kAppends * 3 / 2; ++round) {
        auto const before = kafka.batches(topic.options().topic, 0);
        for (int i = 0; i < kAppends; ++i) ASSERT_TRUE(writer.append(make_data("x", 60)));
        least = std::min(least, kafka.batches(topic.options().topic, 0) - before);
    }
    EXPECT_LT(least, kAppends * 3 / 2);
}

TEST(KafkaLogOutage, NothingAcknowledgedIsLostAndAllGoesOn) {
    PrivateKafka const kafka(1);
    TestTopic const topic(kafka.brokers());
    KafkaLog::initialize(topic.options(), 2, 0);
    auto const options = options_for(topic, std::chrono::seconds(3));
    KafkaLog log(options);
    KafkaLog other(options);
    auto third = std::make_unique<KafkaLog>(options);
    await(third->claim(0, "third"));
    LogWriter writer(log, 0);
    ASSERT_TRUE(writer.append(make_data("before", 3)));
    EXPECT_EQ(read_all(other, 0).size(), 3U);

    kafka.kill(1);
    EXPECT_EQ(writer.append(make_data("during", 1)), tl::unexpected(AppendFault::unknown));
    EXPECT_EQ(writer.confirm(), tl::unexpected(AppendFault::unknown));
    EXPECT_THROW(LogWriter(log, 0), LogUnavailable);
    EXPECT_THROW(other.read(0, 3, 10, 1000), LogUnavailable);
    EXPECT_THROW(other.head(0), LogUnavailable);
    EXPECT_THROW(other.scan(0, 0), LogUnavailable);
    other.wait(0, 3, std::chrono::milliseconds(1));
    EXPECT_TRUE(turns_silent(log, true));
    third.reset();  // one can end without brokers

    kafka.start(1);
    EXPECT_EQ(once_available([&] { return log.head(0); }).position, 2);
    EXPECT_TRUE(turns_silent(log, false));
    auto waiting = std::async(std::launch::async, [&] {
        while (once_available([&] { return other.read(0, 3, 1, 1000); }).empty())
            other.wait(0, 3, std::chrono::minutes(10));
    });
    once_available([&] {
        if (!LogWriter(log, 0).append(make_data("after", 2))) throw LogUnavailable("not yet");
    });
    waiting.get();
    auto const judged = once_available([&] {
        auto const zombie = writer.append(make_data("zombie", 1));
        if (zombie == tl::unexpected(AppendFault::unknown)) throw LogUnavailable("not yet");
        return zombie;
    });
    EXPECT_EQ(judged, tl::unexpected(AppendFault::fenced));
    EXPECT_EQ(read_all(log, 0), read_all(other, 0));
    EXPECT_EQ(read_all(other, 0).size(), 5U);
}

/// Appends one command after another, and keeps the names of those that were acknowledged. After a doubt it claims
/// again.
class Load {
   public:
    explicit Load(KafkaLog& log) : thread_([this, &log] { run(log); }) {}
    ~Load() { finish(); }

    std::vector<int> const& finish() {
        done_ = true;
        if (thread_.joinable()) thread_.join();
        return acknowledged_;
    }
    /// Waits until `more` further commands were acknowledged; false when that takes over a minute.
    [[nodiscard]] bool await_more(int more) const {
        auto const wanted = count_ + more;
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (count_ < wanted && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return count_ >= wanted;
    }

   private:
    static constexpr std::chrono::milliseconds kRest{2};  // or else it costs three brokers a processor

    void run(KafkaLog& log) {
        std::optional<LogWriter> writer;
        for (int i = 0; !done_; ++i) {
            try {
                if (!writer) writer.emplace(log, 0);
                if (writer->append(make_data(std::to_string(i), 2))) {
                    acknowledged_.push_back(i);
                    ++count_;
                    std::this_thread::sleep_for(kRest);
                } else {
                    writer.reset();
                }
            } catch (LogUnavailable const&) {
                writer.reset();
            }
        }
    }

    std::vector<int> acknowledged_;
    std::atomic<int> count_ = 0;
    std::atomic<bool> done_ = false;
    std::thread thread_;
};

/// Three brokers for all tests of the suite.
class KafkaLogCluster : public testing::Test {
   protected:
    static void SetUpTestSuite() {
        constexpr int kNodes = 3;
        kafka = std::make_unique<PrivateKafka>(kNodes);
    }
    static void TearDownTestSuite() { kafka.reset(); }

    static inline std::unique_ptr<PrivateKafka> kafka;
};

TEST_F(KafkaLogCluster, TheLeadersDeathLosesNothing) {
    TestTopic const topic(kafka->brokers());
    KafkaLog::initialize(topic.options(), 1, 0);
    KafkaLog log(options_for(topic, std::chrono::seconds(10)));
    Load load(log);
    ASSERT_TRUE(load.await_more(50));
    auto const first = topic.leader(0);
    kafka->kill(first);
    ASSERT_TRUE(load.await_more(50)) << "two of three brokers must do";
    kafka->start(first);
    auto const second = topic.leader(0);
    EXPECT_NE(second, first);
    kafka->kill(second);
    ASSERT_TRUE(load.await_more(50)) << "and again";
    kafka->start(second);
    auto const acknowledged = load.finish();

    KafkaLog late(options_for(topic, std::chrono::seconds(10)));
    auto const data = read_all(late, 0, 0, 1000);
    EXPECT_EQ(data, read_all(log, 0, 0, 1000));
    std::set<std::string> const present(data.begin(), data.end());
    EXPECT_EQ(present.size(), data.size()) << "a record counts twice";
    for (int const i : acknowledged) EXPECT_TRUE(present.contains(make_data(std::to_string(i), 1)[0])) << i;
}

TEST_F(KafkaLogCluster, ThreeReplicasNeedTwoInSync) {
    TestTopic const fit(kafka->brokers());
    KafkaLog::initialize(fit.options(), 1, 0);
    EXPECT_EQ(KafkaLog(options_for(fit, std::chrono::seconds(10))).partitions(), 1);
    TestTopic const unfit(kafka->brokers());
    unfit.make(1,
               {{"retention.ms", "-1"},
                {"retention.bytes", "-1"},
                {"max.message.bytes", "2097152"},
                {"min.insync.replicas", "1"}},
               3);
    try {
        KafkaLog const log(options_for(unfit, std::chrono::seconds(10)));
        ADD_FAILURE() << "acknowledged by one of three";
    } catch (events::LogUnfit const& refused) {
        EXPECT_THAT(refused.what(), testing::HasSubstr("min.insync.replicas is 1; the log needs 2 or more"));
    }
}

}  // namespace
}  // namespace workforce::tests
