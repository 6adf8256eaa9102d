// What the log takes and gives: appends and commands without HTTP on either engine, beside a bare librdkafka producer
// and a bare Postgres insert, and reading and verifying what was written.
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "commands/engine/processor.hpp"
#include "commands/facility.hpp"
#include "commands/organization.hpp"
#include "commands/shift.hpp"
#include "core/crypto.hpp"
#include "events/log/kafka/kafka_log.hpp"
#include "events/log/open_log.hpp"
#include "tests/bench/bench.hpp"
#include "tests/support/await.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct LogLoad {
    std::string mode = "events";
    std::string engine = "postgres";
    std::string brokers;
    int partitions = 1;
    int in_flight = 64;  // over all partitions
    std::size_t bytes = 700;
    double seconds = 3;
};

struct Outcome {
    std::uint64_t operations = 0;  // appends, commands, or records of a bare producer
    std::uint64_t events = 0;
    std::vector<double> milliseconds{};  // of each operation

    void add(Clock::time_point began, std::uint64_t count) {
        ++operations;
        events += count;
        milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
    }
    void add(Outcome const& other) {
        operations += other.operations;
        events += other.events;
        milliseconds.insert(milliseconds.end(), other.milliseconds.begin(), other.milliseconds.end());
    }
};

Clock::time_point end_of(LogLoad const& load) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(load.seconds));
}

core::Config config_of(LogLoad const& load, tests::TestDatabase const& database) {
    core::Config config;
    config.database_url = database.url();
    config.log = load.engine;
    config.partitions = load.partitions;
    config.kafka_brokers = load.brokers;
    config.kafka_topic = "bench-" + core::hex_encode(core::random_bytes(6));
    return config;
}

/// An event's body of about the size asked for, with the attributes that the log itself reads.
std::string body_of(events::Claim const& claim, events::Head const& before, std::size_t bytes) {
    auto body = fmt::format(
        R"({{"specversion":"1.0","id":"0","source":"urn:workforce:bench","type":"bench.written","epoch":"{}","position":"{}",)"
        R"("prevhash":"{}","cmdindex":1,"cmdcount":1,"data":")",
        claim.epoch, before.position + 1, before.hash);
    body.append(bytes > body.size() + 2 ? bytes - body.size() - 2 : 0, 'x');
    return body + "\"}";
}

// ---- appends --------------------------------------------------------------------------------------------------------

boost::asio::awaitable<void> append(events::EventLog& log, int partition, LogLoad load, Clock::time_point end,
                                    Outcome& outcome) {
    auto const claim = co_await log.claim(partition, "bench");
    auto head = claim.head;
    auto const batch = std::max(1, load.in_flight / load.partitions);
    while (Clock::now() < end) {
        auto const began = Clock::now();
        auto after = head;
        std::vector<std::string> bodies;
        for (int i = 0; i < batch; ++i) {
            bodies.push_back(body_of(claim, after, load.bytes));
            after = {after.position + 1, core::hex_encode(core::bytes(core::sha256(bodies.back())))};
        }
        if (!co_await log.append(claim, head, after, std::move(bodies))) throw std::runtime_error("an append failed");
        head = std::move(after);
        outcome.add(began, static_cast<std::uint64_t>(batch));
    }
}

Outcome run_events(LogLoad const& load) {
    tests::TestDatabase const database;
    auto const config = config_of(load, database);
    events::create_log(config);
    auto const log = events::open_log(config);
    boost::asio::io_context context(1);
    Outcome outcome;
    auto const end = end_of(load);
    for (int p = 0; p < load.partitions; ++p) {
        boost::asio::co_spawn(context, append(*log, p, load, end, outcome), [](std::exception_ptr const& failed) {
            if (failed) std::rethrow_exception(failed);
        });
    }
    context.run();
    log->stop();
    return outcome;
}

// ---- commands -------------------------------------------------------------------------------------------------------

template <class Command>
boost::asio::awaitable<commands::Reply> ask(commands::Processor& processor, core::Id organization, Command command,
                                            std::vector<core::Id> ids) {
    commands::Context context;
    context.organization = organization;
    context.actor = {events::ActorType::user, 3, 3};
    context.may_assign = true;
    context.request_id = "bench";
    context.new_ids = std::move(ids);
    auto submission = commands::make_submission(std::move(command), std::move(context));
    submission.render_problem = [](core::Problem const& problem) { return problem.message; };
    auto reply = co_await processor.submit(std::move(submission));
    if (reply.refused) throw std::runtime_error("a command was refused: " + reply.body);
    co_return reply;
}

commands::CreateShift night_shift() {
    commands::CreateShift command;
    command.facilityId = 1;
    command.title = "Night shift, intensive care";
    command.date = *core::parse_date("2031-03-03");
    command.startTime = *core::parse_time_of_day("08:00");
    command.endTime = *core::parse_time_of_day("16:00");
    command.specialty = "Nurse";
    return command;
}

boost::asio::awaitable<void> prepare(commands::Processor& processor, int organizations) {
    for (core::Id id = 1; id <= organizations; ++id) {
        co_await processor.homes().reserve(id);
        commands::CreateOrganization organization;
        organization.name = "Harbour Care";
        co_await ask(processor, id, std::move(organization), {});
        commands::CreateFacility facility;
        facility.name = "North";
        facility.timezone = "UTC";
        co_await ask(processor, id, std::move(facility), {1});
    }
}

/// One client of one organization, which lives in a partition of its own.
boost::asio::awaitable<void> create_shifts(commands::Processor& processor, core::Id organization, core::Id& last_id,
                                           Clock::time_point end, Outcome& outcome) {
    while (Clock::now() < end) {
        auto const began = Clock::now();
        co_await ask(processor, organization, night_shift(), {++last_id});
        outcome.add(began, 1);
    }
}

Outcome run_commands(LogLoad const& load) {
    tests::TestDatabase const database;
    auto const config = config_of(load, database);
    events::create_log(config);
    auto const log = events::open_log(config);
    tests::MemoryKeyring keyring;
    events::Encoder const encoder("urn:workforce:bench", keyring);
    core::Database writes({{.url = database.url(), .role = "workforce_writer"}, 2});
    core::CheckedClock clock;
    tests::await(writes.run([&](core::Connection& connection) { clock.compare(connection); }));
    commands::Processor processor(*log, encoder, keyring, writes, clock, "bench");
    for (auto const& partition : processor.partitions()) tests::await(processor.acquire(partition->number()));
    tests::await(prepare(processor, load.partitions));
    boost::asio::io_context context(1);
    Outcome outcome;
    core::Id last_id = 0;
    auto const end = end_of(load);
    for (int i = 0; i < std::max(load.in_flight, load.partitions); ++i) {
        boost::asio::co_spawn(context, create_shifts(processor, 1 + i % load.partitions, last_id, end, outcome),
                              [](std::exception_ptr const& failed) {
                                  if (failed) std::rethrow_exception(failed);
                              });
    }
    context.run();
    processor.stop();
    writes.stop();
    log->stop();
    return outcome;
}

// ---- bare parts -----------------------------------------------------------------------------------------------------

/// Plain inserts, a session and a commit of as many rows as an append has for each partition.
Outcome run_bare_postgres(LogLoad const& load) {
    tests::TestDatabase const database;
    {
        pqxx::connection session(database.url());
        pqxx::nontransaction(session).exec(
            "CREATE TABLE bench (partition int, position bigint, body text,"
            " PRIMARY KEY (partition, position))");
    }
    auto const batch = std::max(1, load.in_flight / load.partitions);
    auto const end = end_of(load);
    std::vector<Outcome> outcomes(static_cast<std::size_t>(load.partitions));
    std::vector<std::thread> threads;
    for (int p = 0; p < load.partitions; ++p) {
        threads.emplace_back([&, p] {
            pqxx::connection session(database.url());
            session.prepare("insert",
                            "INSERT INTO bench SELECT $1, $2::bigint + n, body FROM"
                            " string_to_table($3::text, E'\\n') WITH ORDINALITY AS line(body, n)");
            std::string lines;
            for (int i = 0; i < batch; ++i) lines += (i == 0 ? "" : "\n") + std::string(load.bytes, 'x');
            std::int64_t position = 0;
            while (Clock::now() < end) {
                auto const began = Clock::now();
                pqxx::nontransaction(session).exec_prepared("insert", p, position, lines);
                position += batch;
                outcomes[static_cast<std::size_t>(p)].add(began, static_cast<std::uint64_t>(batch));
            }
        });
    }
    for (auto& thread : threads) thread.join();
    Outcome all;
    for (auto const& each : outcomes) all.add(each);
    return all;
}

/// An idempotent producer that keeps `in_flight` records under way, each followed by another when it is acknowledged.
struct BareProducer {
    explicit BareProducer(LogLoad given) : load(std::move(given)) {
        events::kafka::ClientOptions options;
        options.brokers = config.kafka_brokers;
        options.topic = config.kafka_topic;
        events::KafkaLog::initialize(options, config.partitions, config.kafka_replication);
        auto* settings = rd_kafka_conf_new();
        std::array<char, 512> error{};
        for (auto const& [name, value] :
             std::vector<std::pair<char const*, std::string>>{{"bootstrap.servers", load.brokers},
                                                              {"enable.idempotence", "true"},
                                                              {"acks", "all"},
                                                              {"linger.ms", "0"},
                                                              {"compression.type", config.kafka_compression}}) {
            if (rd_kafka_conf_set(settings, name, value.c_str(), error.data(), error.size()) != RD_KAFKA_CONF_OK) {
                throw std::runtime_error(error.data());
            }
        }
        rd_kafka_conf_set_opaque(settings, this);
        rd_kafka_conf_set_dr_msg_cb(settings, [](rd_kafka_t*, rd_kafka_message_t const* message, void* self) {
            static_cast<BareProducer*>(self)->acknowledged(*message);
        });
        producer = rd_kafka_new(RD_KAFKA_PRODUCER, settings, error.data(), error.size());
        if (producer == nullptr) throw std::runtime_error(error.data());
        topic = rd_kafka_topic_new(producer, config.kafka_topic.c_str(), nullptr);
    }
    BareProducer(BareProducer const&) = delete;
    BareProducer& operator=(BareProducer const&) = delete;
    ~BareProducer() {
        rd_kafka_topic_destroy(topic);
        rd_kafka_destroy(producer);
    }

    void send(int partition) {
        auto* const began = new Clock::time_point(Clock::now());
        if (rd_kafka_produce(topic, partition, RD_KAFKA_MSG_F_COPY, body.data(), body.size(), nullptr, 0, began) != 0) {
            throw std::runtime_error(rd_kafka_err2str(rd_kafka_last_error()));
        }
        ++under_way;
    }
    void acknowledged(rd_kafka_message_t const& message) {
        std::unique_ptr<Clock::time_point> const began(static_cast<Clock::time_point*>(message._private));
        --under_way;
        if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(rd_kafka_err2str(message.err));
        outcome.add(*began, 1);
        if (Clock::now() < end) send(message.partition);
    }
    Outcome run() {
        for (int p = 0; p < load.partitions; ++p) send(p);  // the first record of a topic takes long
        while (under_way > 0) rd_kafka_poll(producer, 100);
        outcome = {};
        end = end_of(load);
        for (int i = 0; i < std::max(load.in_flight, load.partitions); ++i) send(i % load.partitions);
        while (under_way > 0) rd_kafka_poll(producer, 100);
        return outcome;
    }

    LogLoad const load;
    tests::TestDatabase database;
    core::Config config = config_of(load, database);
    std::string body = std::string(load.bytes, 'x');
    rd_kafka_t* producer = nullptr;
    rd_kafka_topic_t* topic = nullptr;
    Outcome outcome;
    int under_way = 0;
    Clock::time_point end = Clock::now();
};

Outcome run_bare(LogLoad const& load) {
    return load.engine == "kafka" ? BareProducer(load).run() : run_bare_postgres(load);
}

int measure_log(LogLoad const& load) {
    auto outcome = load.mode == "bare" ? run_bare(load) : load.mode == "events" ? run_events(load) : run_commands(load);
    std::sort(outcome.milliseconds.begin(), outcome.milliseconds.end());
    if (outcome.milliseconds.empty()) throw std::runtime_error("nothing was done in the time given");
    auto const quantile = [&](double q) {
        return outcome.milliseconds[static_cast<std::size_t>(q * static_cast<double>(outcome.milliseconds.size() - 1))];
    };
    fmt::print(
        "BENCH {{\"engine\":\"{}\",\"mode\":\"{}\",\"partitions\":{},\"in_flight\":{},\"events_per_s\":{:.0f},"
        "\"operations_per_s\":{:.0f},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f}}}\n",
        load.engine, load.mode, load.partitions, load.in_flight, static_cast<double>(outcome.events) / load.seconds,
        static_cast<double>(outcome.operations) / load.seconds, quantile(0.5), quantile(0.99));
    return 0;
}

}  // namespace

void add_log(CLI::App& bench, Run& run) {
    auto const load = std::make_shared<LogLoad>();
    if (char const* const brokers = std::getenv("WORKFORCE_TEST_KAFKA_BROKERS")) load->brokers = brokers;
    auto* command = bench.add_subcommand("log", "Measures the log alone, on a database and a topic made for it");
    command->add_option("--mode", load->mode, "bare, events or commands")
        ->check(CLI::IsMember({"bare", "events", "commands"}));
    command->add_option("--engine", load->engine, "postgres or kafka")->check(CLI::IsMember({"postgres", "kafka"}));
    command->add_option("--brokers", load->brokers, "Kafka (default: WORKFORCE_TEST_KAFKA_BROKERS)");
    command->add_option("--partitions", load->partitions, "Partitions, each with a writer")->check(CLI::Range(1, 1000));
    command->add_option("--in-flight", load->in_flight, "Events or commands under way at a time, over all partitions")
        ->check(CLI::Range(1, 100000));
    command->add_option("--bytes", load->bytes, "Size of an event (not of commands)")->check(CLI::Range(12, 1 << 20));
    command->add_option("--seconds", load->seconds, "Duration")->check(CLI::PositiveNumber);
    command->callback([&run, load] { run = [load] { return measure_log(*load); }; });
}

}  // namespace workforce::bench
