// The Kafka engine: the contract, and what only Kafka can do to it.
#include "events/log/kafka/kafka_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <random>

#include "tests/contract/log_contract.hpp"
#include "tests/support/test_topic.hpp"

namespace workforce::tests {
namespace {

using events::AppendFault;
using events::KafkaLog;
using events::KafkaLogOptions;
using events::LogEntry;
using events::LogUnfit;
using testing::HasSubstr;

KafkaLogOptions options_for(TestTopic const& topic) {
    KafkaLogOptions options;
    options.client = topic.options();
    options.source = "urn:workforce:test";
    return options;
}

struct KafkaEngine {
    KafkaEngine() { KafkaLog::initialize(topic.options(), kPartitions, 1); }

    std::unique_ptr<events::EventLog> open() {
        auto log = std::make_unique<KafkaLog>(options_for(topic));
        if (!first) first = log.get();
        return log;
    }
    /// Connections that break are taken up again without doubt, so every third time the producer fails for good too.
    void cut() {
        auto const until = std::chrono::steady_clock::now() + std::chrono::milliseconds(cuts % 4 * 20);
        do sever_connections(topic.options().brokers);
        while (std::chrono::steady_clock::now() < until);
        if (++cuts % 3 == 0) {
            rd_kafka_test_fatal_error(first->producer()->get(), RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, "cut");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // in which something gets through
    }

    TestTopic topic;
    KafkaLog* first = nullptr;
    int cuts = 0;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Kafka, LogContract, KafkaEngine);

class KafkaLogTest : public testing::Test {
   protected:
    std::unique_ptr<KafkaLog> open() { return std::make_unique<KafkaLog>(options_for(engine_.topic)); }
    /// What a new process finds: "claim 1, event 0, void 0: …" and so on.
    std::vector<std::string> entries(int partition) {
        std::vector<std::string> found;
        for (auto const& entry : scan_all(*open(), partition)) {
            if (entry.kind == LogEntry::Kind::claim) {
                found.push_back(fmt::format("claim {}", entry.epoch));
            } else if (entry.kind == LogEntry::Kind::event) {
                found.push_back(fmt::format("event {}", entry.position));
            } else {
                found.push_back(fmt::format("void {}: {}", entry.position, entry.fault));
            }
        }
        return found;
    }

    KafkaEngine engine_;
    TestTopic const& topic_ = engine_.topic;
    std::unique_ptr<KafkaLog> log_ = open();
};

/// What opening says.
std::string refusal(KafkaLogOptions const& options) {
    try {
        KafkaLog const log(options);
    } catch (std::exception const& refused) {
        return refused.what();
    }
    return "opened";
}

TEST(KafkaLogOpening, UnreachableBrokersAreNamed) {
    KafkaLogOptions options;
    options.client.brokers = "127.0.0.1:1";
    options.client.topic = "none";
    EXPECT_THROW(KafkaLog log(options), events::LogUnavailable);
    EXPECT_THAT(refusal(options), HasSubstr("127.0.0.1:1"));
    EXPECT_THAT(refusal(options), HasSubstr("Connection refused"));
    EXPECT_THAT(refusal(options), testing::Not(HasSubstr("\n")));
}

TEST(KafkaLogOpening, MissingTopicAsksForMigrate) {
    TestTopic const topic;
    EXPECT_THAT(refusal(options_for(topic)), HasSubstr("run `workforce migrate`"));
    EXPECT_THAT(refusal(options_for(topic)), HasSubstr(topic.options().topic));
}

TEST(KafkaLogOpening, UnfitTopicsAreRefusedWithTheSetting) {
    std::map<std::string, std::string> const fit{{"retention.ms", "-1"},
                                                 {"retention.bytes", "-1"},
                                                 {"cleanup.policy", "delete"},
                                                 {"max.message.bytes", "2097152"},
                                                 {"unclean.leader.election.enable", "false"}};
    struct Case {
        std::string name;
        std::string value;
    };
    for (auto const& [name, value] : std::vector<Case>{{"retention.ms", "604800000"},
                                                       {"retention.bytes", "1073741824"},
                                                       {"cleanup.policy", "compact"},
                                                       {"max.message.bytes", "1000000"},
                                                       {"unclean.leader.election.enable", "true"}}) {
        TestTopic const topic;
        auto settings = fit;
        settings[name] = value;
        topic.make(1, settings);
        EXPECT_THROW(KafkaLog log(options_for(topic)), LogUnfit);
        EXPECT_THAT(refusal(options_for(topic)),
                    HasSubstr(fmt::format("{}: {} is {};", topic.options().topic, name, value)));
        EXPECT_THROW(KafkaLog::initialize(topic.options(), 1, 1), LogUnfit);
    }
    TestTopic const topic;
    topic.make(2, fit);
    EXPECT_EQ(refusal(options_for(topic)), "opened");
}

TEST(KafkaLogOpening, NumberOfPartitionsIsFixed) {
    TestTopic const topic;
    KafkaLog::initialize(topic.options(), 3, 0);
    KafkaLog::initialize(topic.options(), 3, 0);
    EXPECT_THROW(KafkaLog::initialize(topic.options(), 4, 0), std::runtime_error);
    EXPECT_EQ(KafkaLog(options_for(topic)).partitions(), 3);
}

TEST(KafkaProperties, AreReadWithTheirLines) {
    std::string const path = testing::TempDir() + "kafka.properties";
    auto const read = [&](std::string const& text) -> std::string {
        std::ofstream(path) << text;
        try {
            std::string all;
            for (auto const& each : events::kafka::read_properties(path)) all += each.name + "=" + each.value + ";";
            return all;
        } catch (std::runtime_error const& refused) {
            return refused.what();
        }
    };
    EXPECT_EQ(read("# comment\n\n client.id = here \nsasl.password=a=b\n"), "client.id=here;sasl.password=a=b;");
    EXPECT_THAT(read("client.id=x\nno.such.property=1\n"), HasSubstr(path + ":2: No such configuration property"));
    EXPECT_THAT(read("linger.ms=often\n"), HasSubstr(path + ":1: "));
    EXPECT_THAT(read("hello\n"), HasSubstr(":1: is not of the form name=value"));
    std::remove(path.c_str());
    EXPECT_THROW(events::kafka::read_properties(path), std::runtime_error);
}

TEST_F(KafkaLogTest, RecordsCarryTheirAttributesAsHeaders) {
    LogWriter writer(*log_, 3, "somebody");
    ASSERT_TRUE(writer.append({R"({"x":1})"}));
    ASSERT_TRUE(writer.confirm());
    auto const stored = topic_.stored(3);
    ASSERT_EQ(stored.size(), 3U);
    EXPECT_EQ(stored[0].headers.at("ce_type"), "log.claimed");
    EXPECT_EQ(stored[0].headers.at("ce_owner"), "somebody");
    EXPECT_EQ(stored[0].headers.at("ce_source"), "urn:workforce:test");
    EXPECT_EQ(stored[1].body, read_bodies(*log_, 3)[0]);
    EXPECT_EQ(stored[1].key, "shift/42");
    EXPECT_EQ(stored[1].headers.at("content-type"), "application/cloudevents+json; charset=UTF-8");
    EXPECT_EQ(stored[1].headers.at("ce_type"), "test.happened");
    EXPECT_EQ(stored[1].headers.at("ce_position"), "0");
    EXPECT_EQ(stored[1].headers.at("ce_cmdcount"), "1");
    EXPECT_FALSE(stored[1].headers.contains("ce_data"));
    EXPECT_EQ(stored[2].headers.at("ce_type"), "log.confirmed");
}

TEST_F(KafkaLogTest, RefusesWhatDoesNotStandWhereItIsAppended) {
    LogWriter writer(*log_, 0);
    auto const epoch = writer.claim.epoch;
    EXPECT_THROW(writer.append_records({"{}"}), std::invalid_argument);
    EXPECT_THROW(writer.append_records({make_record(epoch, {0, std::string(64, 'a')}, 1, 1, "1")}),
                 std::invalid_argument);
    EXPECT_THROW(writer.append_records({make_record(epoch + 1, writer.head, 1, 1, "1")}), std::invalid_argument);
    EXPECT_THROW(writer.append_records({make_record(epoch, writer.head, 1, 2, "1")}), std::invalid_argument);
    EXPECT_THROW(writer.append_records({make_record(epoch, writer.head, 2, 2, "1")}), std::invalid_argument);
    EXPECT_THROW(writer.append({}), std::invalid_argument);
    EXPECT_THROW(LogWriter(*log_, kPartitions), std::out_of_range);
    EXPECT_TRUE(writer.append({"1"}));
}

TEST_F(KafkaLogTest, WhatAZombieWritesIsVoid) {
    LogWriter old(*log_, 0, "old");
    ASSERT_TRUE(old.append(make_data("old", 2)));
    auto const other = open();
    LogWriter current(*other, 0, "current");
    // In the topic, as a writer's that did not know yet: chained rightly, but under its old epoch.
    for (auto const& body : make_command(old.claim.epoch, old.head, make_data("zombie", 2))) topic_.put(0, body);
    ASSERT_TRUE(current.append(make_data("new", 1)));
    for (auto const& body : make_command(old.claim.epoch, current.head, {"1"})) topic_.put(0, body);
    auto const expected = Bodies{make_data("old", 2)[0], make_data("old", 2)[1], make_data("new", 1)[0]};
    EXPECT_EQ(read_all(*log_, 0), expected);
    EXPECT_EQ(read_all(*other, 0), expected);
    EXPECT_EQ(read_all(*open(), 0), expected);
    EXPECT_EQ(log_->head(0), current.head);
    auto const taken = fmt::format("epoch {} had taken over from {}", current.claim.epoch, old.claim.epoch);
    EXPECT_EQ(entries(0), (std::vector<std::string>{"claim 1", "event 0", "event 1", "claim 2", "void 2: " + taken,
                                                    "void 3: " + taken, "event 2", "void 3: " + taken}));
    EXPECT_EQ(old.append({"1"}), tl::unexpected(AppendFault::fenced));
}

TEST_F(KafkaLogTest, AnIncompleteCommandIsVoidAtTheNextClaim) {
    LogWriter writer(*log_, 0);
    ASSERT_TRUE(writer.append(make_data("x", 1)));
    auto const cut = make_command(writer.claim.epoch, writer.head, make_data("cut", 3));
    topic_.put(0, cut[0]);
    topic_.put(0, cut[1]);
    EXPECT_EQ(read_all(*open(), 0).size(), 1U);
    EXPECT_EQ(entries(0).back(), "void 2: only 2 of 3 of its command were there where the log ends");
    LogWriter next(*log_, 0);
    EXPECT_EQ(next.head, writer.head);
    topic_.put(0, cut[2]);
    ASSERT_TRUE(next.append(make_data("y", 2)));
    EXPECT_EQ(read_all(*open(), 0).size(), 3U);
    auto const fault = "only 2 of 3 of its command were there when epoch 2 took over";
    EXPECT_EQ(entries(0), (std::vector<std::string>{"claim 1", "event 0", fmt::format("void 1: {}", fault),
                                                    fmt::format("void 2: {}", fault), "claim 2",
                                                    "void 3: epoch 2 had taken over from 1", "event 1", "event 2"}));
}

TEST_F(KafkaLogTest, ForeignAndDamagedRecordsAreVoidAndStopNothing) {
    LogWriter writer(*log_, 0);
    auto const next = make_record(writer.claim.epoch, writer.head, 1, 1, R"({"x":1})");
    auto damaged = next;
    damaged.replace(damaged.find("prevhash"), 3, "\xff\x00\x01");
    for (std::string const& body : {std::string("hello"), std::string(), std::string(100, '\0'), damaged,
                                    make_record(7, writer.head, 1, 1, "1"), std::string("{}")}) {
        topic_.put(0, body);
    }
    // Headers are for consumers that filter: forged ones change nothing.
    topic_.put(0, "{}", {{"ce_epoch", "1"}, {"ce_position", "0"}, {"ce_cmdindex", "1"}, {"ce_cmdcount", "1"}});
    ASSERT_TRUE(writer.append({R"({"x":1})"}));
    EXPECT_TRUE(writer.confirm());
    topic_.put(0, next);  // once more, as a retry without idempotence would
    EXPECT_EQ(read_all(*log_, 0).size(), 1U);
    EXPECT_EQ(read_all(*open(), 0).size(), 1U);
    auto const found = entries(0);
    ASSERT_EQ(found.size(), 10U);
    EXPECT_EQ(std::count(found.begin(), found.end(), "void -1: it is no record of this log"), 6);
    EXPECT_EQ(found[5], "void 0: epoch 7 was not claimed, the current one is 1");
    EXPECT_EQ(found[9], "void 0: its position is 0 where 1 comes next");
    EXPECT_TRUE(LogWriter(*open(), 0).append({"1"}));
}

// A command that is over soon says what it was asked for; who runs for long says what it meets, once.
TEST_F(KafkaLogTest, VoidRecordsAreToldByServicesAlone) {
    LogWriter writer(*log_, 0);
    ASSERT_TRUE(writer.append({R"({"x":1})"}));
    topic_.put(0, "hello");
    ASSERT_TRUE(writer.append({R"({"x":2})"}));
    auto options = options_for(topic_);
    auto const said = [&options] {
        testing::internal::CaptureStderr();
        KafkaLog log(options);
        EXPECT_EQ(log.head(0).position, 1);
        std::int64_t voids = 0;
        for (auto const& [why, count] : log.voids(0)) voids += count;
        EXPECT_EQ(voids, 1) << "it was met";
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_THAT(said(), HasSubstr("void records in the log"));
    options.client.quiet = true;
    EXPECT_THAT(said(), testing::Not(HasSubstr("void records")));
}

TEST_F(KafkaLogTest, ARecordOfAnothersUnderOurEpochPutsTheAppendInDoubt) {
    LogWriter writer(*log_, 0);
    topic_.put(0, make_record(writer.claim.epoch, writer.head, 1, 1, R"("intruder")"));
    EXPECT_FALSE(writer.append({R"("ours")"}));
    EXPECT_EQ(read_all(*log_, 0), Bodies{R"("intruder")"});
    LogWriter next(*log_, 0);
    EXPECT_EQ(next.head.position, 0);
    EXPECT_TRUE(next.append({"1"}));
}

TEST_F(KafkaLogTest, AFatalProducerErrorLeadsToUnknownAndANewClaim) {
    LogWriter writer(*log_, 0);
    LogWriter other(*log_, 1);
    ASSERT_TRUE(writer.append(make_data("x", 1)));
    auto const failed = log_->producer();
    rd_kafka_test_fatal_error(failed->get(), RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, "injected");
    EXPECT_EQ(writer.append(make_data("y", 1)), tl::unexpected(AppendFault::unknown));
    EXPECT_EQ(writer.append(make_data("y", 1)), tl::unexpected(AppendFault::unknown)) << "the epoch is over";
    EXPECT_EQ(other.append(make_data("z", 1)), tl::unexpected(AppendFault::unknown)) << "a claim keeps its producer";
    LogWriter next(*log_, 0);
    EXPECT_NE(log_->producer(), failed);
    EXPECT_EQ(next.head.position, 0);
    EXPECT_TRUE(next.append(make_data("y", 2)));
    EXPECT_EQ(writer.append(make_data("y", 1)), tl::unexpected(AppendFault::fenced));
    EXPECT_TRUE(LogWriter(*log_, 1).append(make_data("z", 1)));
    EXPECT_EQ(read_all(*open(), 0).size(), 3U);
}

TEST_F(KafkaLogTest, AClaimKeepsItsProducerWhenOthersGetANewOne) {
    LogWriter first(*log_, 0);
    ASSERT_TRUE(first.append({"1"}));
    log_->producer()->set_suspect();
    LogWriter second(*log_, 1);
    EXPECT_TRUE(second.append({"1"}));
    EXPECT_TRUE(first.append({"2"}));
    EXPECT_TRUE(first.confirm());
}

TEST_F(KafkaLogTest, ReadsFromTheMiddleOfALongPartition) {
    constexpr int kCommands = 300;
    constexpr int kEach = 100;
    LogWriter writer(*log_, 0);
    for (int i = 0; i < kCommands; ++i) ASSERT_TRUE(writer.append(make_data(std::to_string(i), kEach)));
    auto const late = open();
    EXPECT_EQ(late->head(0), writer.head);
    std::mt19937 random(1);
    for (int i = 0; i < 20; ++i) {
        auto const from = static_cast<std::int64_t>(random() % (kCommands * kEach));
        auto const records = late->read(0, from, 7, 1 << 20);
        ASSERT_FALSE(records.empty());
        EXPECT_EQ(records[0].position, from);
        EXPECT_EQ(data_of(records[0].body),
                  make_data(std::to_string(from / kEach), kEach)[static_cast<std::size_t>(from % kEach)]);
    }
    EXPECT_EQ(read_all(*late, 0, 0, 1000).size(), std::size_t{kCommands} * kEach);
    auto const tail = scan_all(*late, 0, kCommands * kEach - 2);
    ASSERT_EQ(tail.size(), 2U);
    EXPECT_EQ(tail[1].position, kCommands * kEach - 1);
    // Many readers at different places at once, more than there are consumers.
    auto options = options_for(topic_);
    options.readers = 3;
    KafkaLog narrow(options);
    std::vector<std::future<std::size_t>> readers;
    for (int i = 0; i < 6; ++i) {
        readers.push_back(std::async(std::launch::async, [&narrow, i] {
            return read_all(narrow, 0, i * 4000, 500).size() + static_cast<std::size_t>(i) * 4000;
        }));
    }
    for (auto& reader : readers) EXPECT_EQ(reader.get(), std::size_t{kCommands} * kEach);
}

TEST_F(KafkaLogTest, APartitionThatLostItsBeginningStopsAloneAndSaysSo) {
    LogWriter writer(*log_, 0);
    ASSERT_TRUE(writer.append(make_data("x", 5)));
    LogWriter other(*log_, 1);
    topic_.truncate(0, 3);
    auto const late = open();
    try {
        late->head(0);
        ADD_FAILURE() << "a partition without its beginning has no head";
    } catch (LogUnfit const& unfit) {
        EXPECT_THAT(unfit.what(), HasSubstr(topic_.options().topic + ": partition 0 went back: it has offsets 3 to 6"));
    }
    EXPECT_THROW(late->read(0, 0, 10, 1000), LogUnfit);
    EXPECT_THROW(LogWriter(*late, 0), LogUnfit);
    EXPECT_TRUE(LogWriter(*late, 1).append({"1"}));
}

}  // namespace
}  // namespace workforce::tests
