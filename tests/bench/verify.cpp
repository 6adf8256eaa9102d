// How long the audit of a large log takes, and what of it is fetching, scanning and hashing.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <pqxx/stream_to>
#include <pqxx/transaction>
#include <stdexcept>
#include <string>
#include <vector>

#include "events/log/each_page.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/postgres/postgres_log.hpp"
#include "events/log/verify.hpp"
#include "tests/bench/bench.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A body such as an assignment's shift has, about 900 bytes.
std::string make_body(events::Head const& head, std::string const& padding) {
    return fmt::format(
        R"({{"specversion":"1.0","id":"019f9391-4900-7a00-8000-{:012x}","source":"urn:workforce:bench",)"
        R"("type":"shift.posted","time":"2026-07-24T10:00:12.012Z","subject":"shift/{}",)"
        R"("dataschema":"urn:workforce:event:shift.posted:1","datacontenttype":"application/json","orgid":"7",)"
        R"("facilityid":"12","seq":"1","actortype":"api_key","actorid":"55","actoruser":"31","credentialid":"55",)"
        R"("requestid":"req_019f9391-4900-7b00-9000-00000000000c","epoch":"1","position":"{}","prevhash":"{}",)"
        R"("cmdindex":1,"cmdcount":1,"data":{{"facilityId":12,"title":"ICU night","notes":"{}"}}}})",
        head.position + 1, head.position + 1, head.position + 1, head.hash, padding);
}

/// Fills one partition past the engine, which would take minutes.
void fill(std::string const& url, int partition, std::int64_t count, std::string const& padding) {
    pqxx::connection connection(url);
    pqxx::work work(connection);
    events::Head head;
    {
        pqxx::stream_to rows(work, "log.event");
        for (std::int64_t i = 0; i < count; ++i) {
            auto const body = make_body(head, padding);
            head = {head.position + 1, events::record_hash(body)};
            rows << std::make_tuple(partition, head.position, body);
        }
        rows.complete();
    }
    work.exec_params("UPDATE log.partition SET epoch = 1, head = $1, head_hash = $2 WHERE partition = $3",
                     head.position, head.hash, partition);
    work.exec_params("INSERT INTO log.claim (partition, epoch, position, owner) VALUES ($1, 1, -1, 'bench')",
                     partition);
    work.commit();
}

template <class F>
void measure(char const* what, std::int64_t events, F work) {
    auto const began = Clock::now();
    auto const cpu = std::clock();
    work();
    auto const seconds = std::chrono::duration<double>(Clock::now() - began).count();
    auto const busy = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    fmt::print("{:<32} {:>7.2f} s {:>12.0f} events/s {:>7.2f} s of this process's CPU\n", what, seconds,
               static_cast<double>(events) / seconds, busy);
}

struct AuditLoad {
    std::int64_t events = 1'000'000;
    int partitions = 4;
};

int measure_audit(AuditLoad const& load) {
    tests::TestDatabase const database;
    events::PostgresLog::initialize(database.url(), load.partitions);
    std::string const padding(200, 'n');
    for (int partition = 0; partition < load.partitions; ++partition) {
        fill(database.url(), partition, load.events / load.partitions, padding);
    }
    {
        pqxx::connection connection(database.url());
        pqxx::nontransaction(connection).exec("VACUUM ANALYZE log.event");
    }
    events::PostgresLogOptions options;
    options.database_url = database.url();
    events::PostgresLog log(options);
    auto const all = events::choose_partitions(load.partitions, -1);
    auto const total = load.events / load.partitions * load.partitions;
    auto const body = make_body({}, padding);
    fmt::print("{} events of {} bytes in {} partitions\n", total, body.size(), load.partitions);

    auto const scan = [&](auto work) {
        events::each_partition(all, [&](int partition) {
            auto const entries = log.scan(partition, 0);
            events::each_page(*entries, [&](std::vector<events::LogEntry> const& page) {
                for (auto const& entry : page) work(entry);
                return true;
            });
        });
    };
    for (auto const* round : {"first round", "second round"}) {
        fmt::print("{}\n", round);
        measure("  fetched alone", total, [&] { scan([](events::LogEntry const&) {}); });
        measure("  fetched and hashed", total,
                [&] { scan([](events::LogEntry const& e) { events::record_hash(e.text); }); });
        measure("  verified", total, [&] {
            for (auto const& audit : events::verify(log, all, {}, [](std::int64_t) {})) {
                if (auto const fault = events::describe_fault(audit)) throw std::runtime_error(*fault);
            }
        });
    }
    measure("hashed alone, one thread", total, [&] {
        for (std::int64_t i = 0; i < total; ++i) events::record_hash(body);
    });
    measure("attributes alone, one thread", total, [&] {
        for (std::int64_t i = 0; i < total; ++i) {
            if (!events::standing_of(body)) throw std::runtime_error("no record");
        }
    });
    return 0;
}

}  // namespace

void add_verify(CLI::App& bench, Run& run) {
    auto const load = std::make_shared<AuditLoad>();
    auto* command =
        bench.add_subcommand("verify", "Measures the audit on a database made for it at WORKFORCE_TEST_DATABASE_URL");
    command->add_option("--events", load->events, "Events in the log");
    command->add_option("--partitions", load->partitions, "Partitions that they are in")->check(CLI::Range(1, 1000));
    command->callback([&run, load] { run = [load] { return measure_audit(*load); }; });
}

}  // namespace workforce::bench
