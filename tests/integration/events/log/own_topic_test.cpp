// Whose a log is: what ties a Kafka topic to its database, and how many partitions there are, on both engines.
#include "events/log/own_topic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pqxx/connection>
#include <pqxx/nontransaction>

#include "events/log/installation.hpp"
#include "events/log/kafka/kafka_log.hpp"
#include "events/log/kafka/topic.hpp"
#include "events/log/open_log.hpp"
#include "tests/contract/log_writer.hpp"
#include "tests/support/test_database.hpp"
#include "tests/support/test_topic.hpp"

namespace workforce::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A database, and what `migrate` does to it.
struct Side {
    explicit Side(TestTopic const& topic) {
        config.database_url = database.url();
        config.log = "kafka";
        config.installation = "test";
        config.partitions = 2;
        config.kafka_brokers = topic.options().brokers;
        config.kafka_topic = topic.options().topic;
    }
    void migrate() const {
        events::require_log(config.database_url, config.log, config.kafka_topic);
        events::create_log(config);
        events::record_installation(config.database_url, config.installation, config.log);
    }
    std::unique_ptr<events::EventLog> open(std::vector<std::string> const& keys = {}) const {
        events::require_log(config.database_url, config.log, config.kafka_topic);
        return events::open_log(config, events::Opener::command, keys);
    }
    void sql(std::string const& statement) const {
        pqxx::connection connection(database.url());
        pqxx::nontransaction(connection).exec(statement);
    }
    /// As if read models had folded so far.
    void fold(int partition, int position) const {
        sql(
            fmt::format("INSERT INTO projection.checkpoint (projection, partition, position, revision)"
                        " VALUES ('staff', {}, {}, 1)",
                        partition, position));
    }

    TestDatabase database;
    core::Config config;
};

template <class F>
std::string refusal(F&& call) {
    try {
        call();
    } catch (std::exception const& error) {
        return error.what();
    }
    return "not refused";
}

class OwnTopicTest : public testing::Test {
   protected:
    [[nodiscard]] std::size_t records() const { return topic_.stored(0).size() + topic_.stored(1).size(); }

    TestTopic topic_;
    Side production_{topic_};
    Side restored_{topic_};
};

TEST_F(OwnTopicTest, AnotherDatabaseIsKeptOut) {
    production_.migrate();
    LogWriter writer(*production_.open(), 0);
    EXPECT_THAT(topic_.stored(0).at(0).body, HasSubstr(R"("type":"log.owned")"));
    EXPECT_THAT(topic_.stored(0).at(1).body, HasSubstr(R"("incarnation":")"));
    auto const before = records();

    EXPECT_THAT(refusal([&] { restored_.migrate(); }), HasSubstr("belongs to another database (incarnation "));
    TestTopic other;
    restored_.config.kafka_topic = other.options().topic;
    restored_.migrate();
    EXPECT_EQ(restored_.open()->partitions(), 2);
    // Its topic's name forgotten in the configuration.
    restored_.config.kafka_topic = topic_.options().topic;
    EXPECT_THAT(refusal([&] { restored_.open(); }), HasSubstr("keeps its log in topic " + other.options().topic));
    EXPECT_THAT(refusal([&] { restored_.migrate(); }), HasSubstr("keeps its log in topic " + other.options().topic));
    // Even if it believed that the topic is its own.
    restored_.sql("UPDATE log.installation SET value = '" + topic_.options().topic + "' WHERE name = 'topic'");
    EXPECT_THAT(refusal([&] { restored_.open(); }), HasSubstr("belongs to another database (incarnation "));
    EXPECT_EQ(records(), before) << "nothing was written";
}

TEST_F(OwnTopicTest, MigratesAgainAndAfterACrash) {
    production_.migrate();
    production_.migrate();
    EXPECT_EQ(records(), 2U) << "one record a partition";
    production_.sql("DELETE FROM log.kafka_owner; DELETE FROM log.installation WHERE name IN ('topic', 'log')");
    EXPECT_THAT(refusal([&] { production_.open(); }), HasSubstr("run `workforce migrate`"));
    production_.migrate();
    EXPECT_EQ(records(), 2U);
    EXPECT_EQ(production_.open()->partitions(), 2);
}

TEST_F(OwnTopicTest, AnEmptyTopicIsNoLogOfADatabaseThatHasFoldedOne) {
    production_.migrate();
    production_.fold(1, 104'601);
    production_.sql("DELETE FROM log.kafka_owner");
    production_.sql("DELETE FROM log.installation WHERE name = 'topic'");
    TestTopic mistyped;
    production_.config.kafka_topic = mistyped.options().topic;
    EXPECT_THAT(refusal([&] { production_.migrate(); }), AllOf(HasSubstr("is not there"), HasSubstr("104601")));
    EXPECT_EQ(events::kafka::count_partitions(mistyped.options()), 0) << "it was not made";
    events::KafkaLog::initialize(mistyped.options(), 2, 1);
    EXPECT_THAT(refusal([&] { production_.migrate(); }), AllOf(HasSubstr("is empty"), HasSubstr("104601")));
}

TEST_F(OwnTopicTest, ATopicMadeAnewIsNoticed) {
    TestTopic anew;
    events::KafkaLog::initialize(anew.options(), 2, 1);
    production_.migrate();
    production_.sql("UPDATE log.kafka_owner SET topic = '" + anew.options().topic + "'");
    production_.sql("UPDATE log.installation SET value = '" + anew.options().topic + "' WHERE name = 'topic'");
    production_.config.kafka_topic = anew.options().topic;
    EXPECT_THAT(refusal([&] { production_.open(); }), HasSubstr("lacks the record at offset 0"));
    EXPECT_THAT(refusal([&] { production_.migrate(); }), HasSubstr("lacks the record at offset 0"));
}

/// Topics that were written before there were owner records.
class UnmarkedTopicTest : public OwnTopicTest {
   protected:
    UnmarkedTopicTest() {
        events::KafkaLog::initialize(topic_.options(), 2, 1);
        events::KafkaLogOptions options;
        options.client = topic_.options();
        events::KafkaLog log(options);
        LogWriter writer(log, 0);
        EXPECT_TRUE(writer.append(make_data("x", 3)));
    }
    static void make_old(Side const& side) {
        side.sql(
            "INSERT INTO log.installation VALUES ('installation', 'test'), ('log', 'kafka'), ('unmarked', 'true')");
    }
};

TEST_F(UnmarkedTopicTest, TheDatabaseThatWroteItTakesItIn) {
    make_old(production_);
    production_.fold(0, 2);
    production_.migrate();
    auto const log = production_.open();
    EXPECT_EQ(log->head(0).position, 2);
    EXPECT_EQ(topic_.stored(1).size(), 1U);
    LogWriter writer(*log, 0);
    EXPECT_TRUE(writer.append(make_data("y", 1)));
    EXPECT_EQ(read_all(*log, 0).size(), 4U);
    // A copy from before that is late.
    make_old(restored_);
    EXPECT_THAT(refusal([&] { restored_.migrate(); }), HasSubstr("belongs to another database"));
}

TEST_F(UnmarkedTopicTest, NobodyElseDoes) {
    EXPECT_THAT(refusal([&] { restored_.migrate(); }), HasSubstr("not this database's"));
    make_old(production_);
    production_.sql("UPDATE log.installation SET value = 'elsewhere' WHERE name = 'installation'");
    EXPECT_THAT(refusal([&] { production_.migrate(); }), HasSubstr("is the log of urn:workforce:test"));
    production_.sql("UPDATE log.installation SET value = 'test' WHERE name = 'installation'");
    production_.fold(0, 7);
    EXPECT_THAT(refusal([&] { production_.migrate(); }),
                AllOf(HasSubstr("ends at position 2"), HasSubstr("position 7")));
    EXPECT_EQ(topic_.stored(1).size(), 0U) << "nothing was written";
}

TEST_F(OwnTopicTest, ACopyIsRefusedUnlessItTakesOver) {
    production_.migrate();
    events::HeadSigner const signer("test", "the master key");
    std::vector const key{signer.public_key()};
    auto const former = production_.open(key);
    LogWriter writer(*former, 0);
    ASSERT_TRUE(writer.append(make_data("x", 2)));
    auto const reader = production_.open();
    // A copy has all rows of the other one.
    auto const rows = [](Side const& side) {
        pqxx::connection connection(side.database.url());
        return pqxx::nontransaction(connection)
            .exec("SELECT string_agg(format('(%L, %L)', name, value), ',') FROM log.installation");
    };
    restored_.sql("INSERT INTO log.installation VALUES " + rows(production_)[0][0].as<std::string>());
    restored_.sql(
        fmt::format("INSERT INTO log.kafka_owner VALUES ('{0}', 0, 0), ('{0}', 1, 0)", topic_.options().topic));
    EXPECT_THAT(refusal([&] { restored_.open(); }), HasSubstr("is a copy of the one that topic"));
    EXPECT_THAT(refusal([&] { restored_.migrate(); }), HasSubstr("is a copy of the one that topic"));

    auto const incarnation = events::read_installation(production_.database.url()).incarnation;
    auto const adopt = [&](Side const& side, std::string const& from) {
        return refusal([&] { events::adopt_log(side.config, signer, from, "adopter"); });
    };
    EXPECT_THAT(adopt(restored_, ""), HasSubstr("--from " + incarnation));
    EXPECT_EQ(adopt(restored_, incarnation), "not refused");
    auto const log = restored_.open(key);
    EXPECT_EQ(log->head(0).position, 1);
    LogWriter heir(*log, 0);
    EXPECT_TRUE(heir.append(make_data("y", 1)));
    // The former owner's processes, one that runs and one that starts.
    EXPECT_FALSE(writer.append(make_data("z", 1)));
    EXPECT_THAT(refusal([&] { LogWriter again(*former, 0); }), HasSubstr("belongs to another database now"));
    EXPECT_THAT(refusal([&] { LogWriter again(*production_.open(key), 1); }),
                HasSubstr("belongs to another database now"));
    EXPECT_EQ(reader->head(0), heir.head) << "who only reads is not in the way";
    EXPECT_TRUE(heir.append(make_data("y", 1)));
    EXPECT_THAT(adopt(production_, incarnation), HasSubstr("belongs to incarnation"));
}

TEST_F(OwnTopicTest, ATopicThatGrewIsRefusedUntilItIsTakenIn) {
    production_.migrate();
    auto const running = production_.open();
    LogWriter writer(*running, 1);
    topic_.grow(3);
    EXPECT_THAT(refusal([&] { production_.open(); }),
                AllOf(HasSubstr("has 3 partitions, this installation's log 2"), HasSubstr("partitions = 3")));
    EXPECT_THAT(refusal([&] { production_.migrate(); }), HasSubstr("has 3 partitions, this installation's log 2"));
    EXPECT_TRUE(writer.append(make_data("x", 1))) << "what runs goes on";
    production_.config.partitions = 3;
    production_.migrate();
    auto const grown = production_.open();
    EXPECT_EQ(grown->partitions(), 3);
    LogWriter newest(*grown, 2);
    EXPECT_TRUE(newest.append(make_data("x", 1)));
    EXPECT_EQ(events::read_installation(production_.database.url()).partitions, 3);
}

TEST(OwnPostgresLog, PartitionsAreWhatWasRecorded) {
    TestDatabase const database;
    core::Config config;
    config.database_url = database.url();
    config.partitions = 2;
    events::create_log(config);
    EXPECT_EQ(events::open_log(config)->partitions(), 2);
    pqxx::connection connection(database.url());
    pqxx::nontransaction(connection).exec("INSERT INTO log.partition (partition) VALUES (2)");
    EXPECT_THAT(refusal([&] { events::open_log(config); }),
                HasSubstr("has 3 rows, this installation's log 2 partitions"));
    config.partitions = 3;
    EXPECT_THAT(refusal([&] { events::create_log(config); }), HasSubstr("has 2 partitions, which is fixed"));
}

}  // namespace
}  // namespace workforce::tests
