// Copying within one engine, and what the source may not be.
#include "events/copy.hpp"

#include <pqxx/connection>
#include <pqxx/nontransaction>

#include "events/postgres_log.hpp"
#include "tests/contract/log_copy_contract.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

std::unique_ptr<events::EventLog> open(TestDatabase const& database) {
    events::PostgresLogOptions options;
    options.database_url = database.url();
    return std::make_unique<events::PostgresLog>(options);
}

struct PostgresPair {
    PostgresPair() {
        for (auto const* each : {&from, &to}) events::PostgresLog::initialize(each->url(), kCopyPartitions);
    }
    std::unique_ptr<events::EventLog> source() const { return open(from); }
    std::unique_ptr<events::EventLog> target() const { return open(to); }

    TestDatabase from;
    TestDatabase to;
};

INSTANTIATE_TYPED_TEST_SUITE_P(PostgresToPostgres, LogCopyContract, PostgresPair);

TEST(LogCopy, RefusesABrokenSourceAndOtherPartitions) {
    PostgresPair const pair;
    MemoryKeyring keyring;
    auto const source = pair.source();
    write_past(*source, keyring, kCopyPartitions, 2);
    {
        pqxx::connection connection(pair.from.url());
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
    EXPECT_EQ(refusal(*open(small)), "the target has 2 partitions, the source 3");
}

}  // namespace
}  // namespace workforce::tests
