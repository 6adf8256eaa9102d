// Copying between engines, and what the source may not be.
#include "events/log/copy.hpp"

#include <pqxx/connection>
#include <pqxx/nontransaction>

#include "events/log/kafka/kafka_log.hpp"
#include "events/log/postgres/postgres_log.hpp"
#include "tests/contract/log_copy_contract.hpp"
#include "tests/support/test_database.hpp"
#include "tests/support/test_topic.hpp"

namespace workforce::tests {
namespace {

/// An empty log of kCopyPartitions in Postgres.
struct PostgresSide {
    PostgresSide() { events::PostgresLog::initialize(database.url(), kCopyPartitions); }
    std::unique_ptr<events::EventLog> open() const {
        events::PostgresLogOptions options;
        options.database_url = database.url();
        return std::make_unique<events::PostgresLog>(options);
    }

    TestDatabase database;
};

/// The same in Kafka.
struct KafkaSide {
    KafkaSide() { events::KafkaLog::initialize(topic.options(), kCopyPartitions, 1); }
    std::unique_ptr<events::EventLog> open() const {
        events::KafkaLogOptions options;
        options.client = topic.options();
        return std::make_unique<events::KafkaLog>(options);
    }

    TestTopic topic;
};

template <class From, class To>
struct Pair {
    std::unique_ptr<events::EventLog> source() const { return from.open(); }
    std::unique_ptr<events::EventLog> target() const { return to.open(); }

    From from;
    To to;
};

using PostgresPair = Pair<PostgresSide, PostgresSide>;
using ToKafka = Pair<PostgresSide, KafkaSide>;
using FromKafka = Pair<KafkaSide, PostgresSide>;
INSTANTIATE_TYPED_TEST_SUITE_P(PostgresToPostgres, LogCopyContract, PostgresPair);
INSTANTIATE_TYPED_TEST_SUITE_P(PostgresToKafka, LogCopyContract, ToKafka);
INSTANTIATE_TYPED_TEST_SUITE_P(KafkaToPostgres, LogCopyContract, FromKafka);

TEST(LogCopy, RefusesABrokenSourceAndOtherPartitions) {
    PostgresPair const pair;
    MemoryKeyring keyring;
    auto const source = pair.source();
    write_past(*source, keyring, kCopyPartitions, 2);
    {
        pqxx::connection connection(pair.from.database.url());
        pqxx::nontransaction(connection)
            .exec("UPDATE log.event SET body = replace(body, 'Europe', 'Eur0pe') WHERE partition = 1 AND position = 5");
    }
    auto const target = pair.target();
    auto const refusal = [&](events::EventLog& to) -> std::string {
        try {
            events::copy_log(*source, to, [](std::int64_t) {});
        } catch (events::LogUnfit const& unfit) {
            return unfit.what();
        }
        return "it copied";
    };
    EXPECT_THAT(refusal(*target), testing::StartsWith("partition 1: the source is broken: position 5 was changed"));
    EXPECT_LT(target->head(1).position, 5);
    TestDatabase const small;
    events::PostgresLog::initialize(small.url(), 2);
    events::PostgresLogOptions options;
    options.database_url = small.url();
    events::PostgresLog two(options);
    EXPECT_EQ(refusal(two), "the target has 2 partitions, the source 3");
}

}  // namespace
}  // namespace workforce::tests
