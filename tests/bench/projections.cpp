// Measures the read side on either log engine: reading, verifying and decoding the log, rebuild of each projection and
// of all, catch-up by the runner, visibility of single events; and queries.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "events/log/open_log.hpp"
#include "events/log/verify.hpp"
#include "events/staff.hpp"
#include "projections/dashboard/dashboard.hpp"
#include "projections/engine/rebuild.hpp"
#include "projections/engine/runner.hpp"
#include "projections/shifts/shifts.hpp"
#include "tests/bench/bench.hpp"
#include "tests/support/event_writer.hpp"
#include "tests/support/list_rows.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

events::ShiftPosted posted_shift(core::Id id) {
    events::ShiftPosted posted;
    posted.facilityId = 1 + id % 20;
    posted.title = "Night shift, intensive care";
    posted.department = "Intensive care";
    posted.specialty = "ICU";
    posted.timezone = "Europe/Berlin";
    posted.startsAt = {1'784'880'000'000 + (id % 5000) * 3'600'000};
    posted.endsAt = {posted.startsAt.ms + 8 * 3'600'000};
    posted.date = core::local_date(posted.startsAt, posted.timezone);
    posted.notes = "Bring your badge.";
    return posted;
}

/// Of five events: a shift posted, assigned, filled, changed; a person onboarded. The last one is of now, so that what
/// keeps some weeks keeps them, as far as they are no more than a second each.
void write_history(events::EventLog& log, events::Keyring& keyring, int partition, int count) {
    tests::EventWriter writer(log, keyring, partition);
    writer.wait(std::chrono::milliseconds(core::now().ms - writer.now().ms) - std::chrono::seconds(count));
    writer.meta.organization = partition + 1;
    core::Id const base = partition * 10'000'000;
    for (int i = 0; i < count; ++i) {
        core::Id const id = base + 1 + i / 5;
        writer.meta.facility = 1 + id % 20;
        switch (i % 5) {
            case 0:
                writer.add(events::Kind::shift, id, posted_shift(id));
                break;
            case 1:
                writer.add(events::Kind::shift, id,
                           events::ShiftStaffAssigned{1, events::AssignmentSource::direct, {}});
                break;
            case 2:
                writer.add(events::Kind::shift, id, events::ShiftFilled{{1}});
                break;
            case 3: {
                events::ShiftUpdated update;
                update.notes = "Bring your badge and your key.";
                writer.add(events::Kind::shift, id, update);
                break;
            }
            default: {
                events::StaffOnboarded staff;
                staff.firstName = core::Name("Grace");
                staff.lastName = core::Name(fmt::format("Hopper {}", id));
                staff.email = core::Email(fmt::format("grace{}@example.test", id));
                staff.specialty = "ICU";
                staff.skills = {"Triage", "Cardiology"};
                writer.add(events::Kind::staff, id, staff);
            }
        }
        if (i % 500 == 499) writer.append();
    }
    writer.append();
}

struct ReadLoad {
    std::string engine = "postgres";
    std::string brokers;
    int events = 200'000;
    bool queries = false;
};

void report(std::string const& what, std::int64_t events, Clock::time_point began) {
    fmt::print("BENCH {{\"what\":\"{}\",\"events_per_s\":{:.0f}}}\n", what,
               static_cast<double>(events) / seconds_since(began));
    std::fflush(stdout);
}

struct ReadSide {
    explicit ReadSide(ReadLoad const& load) : count(load.events) {
        core::Config config;
        config.database_url = database.url();
        config.log = load.engine;
        config.partitions = 2;
        config.kafka_brokers = load.brokers;
        config.kafka_topic = "bench-" + core::hex_encode(core::random_bytes(6));
        events::create_log(config);
        {
            auto const writing = events::open_log(config);
            auto const began = Clock::now();
            for (int i = 0; i < 2; ++i) write_history(*writing, keyring, i, count / 2);
            report("append by one writer, 500 an append", count, began);
            writing->stop();
        }
        log = events::open_log(config);  // one that has nothing in memory
    }

    void read_and_verify() {
        auto began = Clock::now();
        events::verify(*log, {0, 1}, {}, [](std::int64_t) {});
        report("verify the chain", count, began);
        began = Clock::now();
        std::int64_t position = 0;
        for (;;) {
            auto const records = log->read(0, position, 5000, 16u << 20);
            if (records.empty()) break;
            position += static_cast<std::int64_t>(records.size());
            events::decode_all(records, keyring);
        }
        report("read and decode, one thread", position, began);
    }

    void rebuild(std::string const& name, std::size_t threads) {
        projections::RebuildOptions options{.connection = {.url = database.url()}};
        options.threads = threads;
        auto const began = Clock::now();
        auto const result = projections::rebuild(*log, keyring, options,
                                                 name.empty() ? std::vector<std::string>{} : std::vector{name}, {});
        report(fmt::format("rebuild {}, {} thread{}", name.empty() ? "all" : name, threads, threads > 1 ? "s" : ""),
               count, began);
        fmt::print("swapped in, readers locked out for {:.1f} ms\n", static_cast<double>(result.locked.count()) / 1000);
    }

    /// The runner from the first event on, as after a long absence.
    void catch_up(projections::ProjectionType const& type) {
        core::Connection owner({.url = database.url()});
        owner.execute_sql(fmt::format("TRUNCATE read.{}; DELETE FROM projection.checkpoint WHERE projection = '{}'",
                                      type.table, type.name));
        auto const began = Clock::now();
        projections::Runner runner(*log, keyring, {.connection = {.url = database.url()}}, {&type, 1});
        for (int p = 0; p < 2; ++p) {
            tests::await(runner.progress().wait_for(p, count / 2 - 1, began + std::chrono::minutes(5)));
        }
        report(fmt::format("catch-up {}", type.name), count, began);
    }

    void live() {
        projections::Runner runner(*log, keyring, {.connection = {.url = database.url()}});
        tests::EventWriter writer(*log, keyring, 1);
        writer.meta.organization = 2;
        std::vector<double> times;
        for (core::Id id = 0; id < 1000; ++id) {
            writer.add(events::Kind::shift, 90'000'000 + id, posted_shift(id));
            auto const position = writer.append();
            auto const begin = Clock::now();
            tests::await(runner.progress().wait_for(1, position, begin + std::chrono::seconds(5)));
            times.push_back(seconds_since(begin) * 1000);
        }
        std::sort(times.begin(), times.end());
        fmt::print("visible after its append: p50 {:.2f} ms, p99 {:.2f} ms\n", times[500], times[990]);
    }

    template <class F>
    void query(std::string const& name, int n, F&& one) {
        std::vector<double> times;
        auto const run = [&]() -> boost::asio::awaitable<void> {
            for (int i = 0; i < n; ++i) {
                auto const begin = Clock::now();
                co_await one(i);
                times.push_back(seconds_since(begin) * 1e6);
            }
        };
        tests::await(run());
        std::sort(times.begin(), times.end());
        auto const at = [&](int percent) { return times[times.size() * static_cast<std::size_t>(percent) / 100]; };
        fmt::print("{:34} p50 {:7.0f} us, p99 {:7.0f} us\n", name, at(50), at(99));
    }

    void queries() {
        core::DatabaseOptions options;
        options.connection = {.url = database.url(), .role = "workforce_reader"};
        options.threads = 1;
        core::Database reader(options);
        projections::Scope const one{.organization = 1};
        auto const shifts = count / 10;
        auto const pick = [&](int i) { return core::Id{1} + i * 7919 % shifts; };
        query("shift by id, one tenant", 20'000,
              [&](int i) { return projections::shifts().find(reader, one, pick(i)); });
        query("shift by id, tenants in turn", 20'000, [&](int i) {
            return projections::shifts().find(reader, {.organization = 1 + i % 2}, i % 2 * 10'000'000 + pick(i));
        });
        query("shift by id, operator", 5'000,
              [&](int i) { return projections::shifts().find(reader, {.operator_access = true}, pick(i)); });
        query("list of 50", 500, [&](int) { return tests::list_rows(reader, projections::shifts(), one, {}, {}); });
        query("list of 50, one facility", 500, [&](int) {
            return tests::list_rows(reader, projections::shifts(), {.organization = 1, .facilities = {3}}, {}, {});
        });
        query("list of 50, two facilities", 500, [&](int) {
            return tests::list_rows(reader, projections::shifts(), {.organization = 1, .facilities = {3, 4}}, {}, {});
        });
        query("list of 50, status and date", 500, [&](int) {
            return tests::list_rows(
                reader, projections::shifts(), one,
                {.status = {{events::ShiftStatus::assigned}}, .from = core::parse_date("2026-09-01")}, {});
        });
        query("list of 50, -createdAt", 100,
              [&](int) { return tests::list_rows(reader, projections::shifts(), one, {}, {.sort = "-createdAt"}); });
        projections::ShiftFilter nowhere;
        nowhere.q = "nowhere";
        query("list of 50, q without a match", 20,
              [&](int) { return tests::list_rows(reader, projections::shifts(), one, nowhere, {}); });
        query("list of 50, operator", 500,
              [&](int) { return tests::list_rows(reader, projections::shifts(), {.operator_access = true}, {}, {}); });
        query("page after", 500, [&](int) {
            return tests::list_rows(reader, projections::shifts(), one, {},
                                    {.after = std::vector<std::string>{"2026-10-01T00:00:00Z", "5"}});
        });
        query("dashboard", 50, [&](int) { return projections::dashboard_stats(reader, one, {1'784'880'000'000}); });
        query("recent activity", 500, [&](int) { return projections::recent_activity(reader, one, 20); });
    }

    int count;
    tests::TestDatabase database;
    tests::MemoryKeyring keyring;
    std::unique_ptr<events::EventLog> log;
};

int measure_read_side(ReadLoad const& load) {
    ReadSide side(load);
    side.read_and_verify();
    for (auto const& type : projections::registry()) side.catch_up(type);
    for (auto const& type : projections::registry()) side.rebuild(std::string(type.name), 1);
    side.rebuild("", 1);
    side.rebuild("", 2);
    side.live();
    if (load.queries) side.queries();
    side.log->stop();
    return 0;
}

}  // namespace

void add_projections(CLI::App& bench, Run& run) {
    auto const load = std::make_shared<ReadLoad>();
    if (char const* const brokers = std::getenv("WORKFORCE_TEST_KAFKA_BROKERS")) load->brokers = brokers;
    auto* command =
        bench.add_subcommand("projections", "Measures the read side, on a database and a topic made for it");
    command->add_option("--engine", load->engine, "postgres or kafka")->check(CLI::IsMember({"postgres", "kafka"}));
    command->add_option("--brokers", load->brokers, "Kafka (default: WORKFORCE_TEST_KAFKA_BROKERS)");
    command->add_option("--events", load->events, "Events of the history")->check(CLI::Range(1000, 100'000'000));
    command->add_flag("--queries", load->queries, "Also measure queries");
    command->callback([&run, load] { run = [load] { return measure_read_side(*load); }; });
}

}  // namespace workforce::bench
