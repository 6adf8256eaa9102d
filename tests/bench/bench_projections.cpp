// Measures the read side: catch-up for each projection and for all, visibility of single events, and reads by id.
//
// bench_projections [EVENTS]; WORKFORCE_TEST_DATABASE_URL names the server. Figures go to standard output.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "events/postgres_log.hpp"
#include "projections/dashboard/dashboard.hpp"
#include "projections/rebuild.hpp"
#include "projections/runner.hpp"
#include "projections/shifts/shifts.hpp"
#include "tests/support/event_writer.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"

namespace {

using namespace workforce;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

events::ShiftPosted shift(core::Id id) {
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

/// Of five events: a shift posted, assigned, filled; one of ten aggregates staff; answers as commands leave them.
void write_history(events::EventLog& log, events::Keyring& keyring, int partition, int count) {
    tests::EventWriter writer(log, keyring, partition);
    writer.meta.organization = partition + 1;
    core::Id const base = partition * 10'000'000;
    for (int i = 0; i < count; ++i) {
        core::Id const id = base + 1 + i / 5;
        writer.meta.facility = 1 + id % 20;
        switch (i % 5) {
            case 0:
                writer.add(events::Kind::shift, id, shift(id));
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

struct Bench {
    explicit Bench(int events) : count(events) {
        events::PostgresLog::initialize(database.url(), 2);
        events::PostgresLogOptions options;
        options.database_url = database.url();
        options.tail_bytes = 1 << 16;
        log = std::make_unique<events::PostgresLog>(options);
        for (int i = 0; i < 2; ++i) write_history(*log, keyring, i, events / 2);
    }

    void rebuild(std::string const& name, std::size_t threads) {
        projections::RebuildOptions options{.connection = {.url = database.url()}};
        options.threads = threads;
        auto const begin = Clock::now();
        auto const result = projections::rebuild(*log, keyring, options,
                                                 name.empty() ? std::vector<std::string>{} : std::vector{name}, {});
        fmt::print("rebuild {:12} threads {}: {:8.0f} events/s, readers locked out for {:.1f} ms\n",
                   name.empty() ? "all" : name, threads, count / seconds_since(begin),
                   static_cast<double>(result.locked.count()) / 1000);
    }

    void decode_only() {
        auto const begin = Clock::now();
        std::int64_t position = 0;
        for (;;) {
            auto const records = log->read(0, position, 5000, 16u << 20);
            if (records.empty()) break;
            position += static_cast<std::int64_t>(records.size());
            events::decode_all(records, keyring);
        }
        fmt::print("read and decode alone: {:8.0f} events/s\n", static_cast<double>(position) / seconds_since(begin));
    }

    void live() {
        projections::Runner runner(*log, keyring, {.connection = {.url = database.url()}});
        tests::EventWriter writer(*log, keyring, 1);
        writer.meta.organization = 2;
        std::vector<double> times;
        for (core::Id id = 0; id < 1000; ++id) {
            writer.add(events::Kind::shift, 90'000'000 + id, shift(id));
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
        query("shift by id, one tenant", 20'000, [&](int i) { return projections::find_shift(reader, one, pick(i)); });
        query("shift by id, tenants in turn", 20'000, [&](int i) {
            return projections::find_shift(reader, {.organization = 1 + i % 2}, i % 2 * 10'000'000 + pick(i));
        });
        query("shift by id, operator", 5'000,
              [&](int i) { return projections::find_shift(reader, {.operator_access = true}, pick(i)); });
        query("list of 50", 500, [&](int) { return projections::list_shifts(reader, one, {}, {}); });
        query("list of 50, one facility", 500,
              [&](int) { return projections::list_shifts(reader, {.organization = 1, .facilities = {3}}, {}, {}); });
        query("list of 50, two facilities", 500,
              [&](int) { return projections::list_shifts(reader, {.organization = 1, .facilities = {3, 4}}, {}, {}); });
        query("list of 50, status and date", 500, [&](int) {
            return projections::list_shifts(
                reader, one, {.status = {events::ShiftStatus::assigned}, .from = core::parse_date("2026-09-01")}, {});
        });
        query("list of 50, -createdAt", 100,
              [&](int) { return projections::list_shifts(reader, one, {}, {.sort = "-createdAt"}); });
        query("list of 50, q without a match", 20,
              [&](int) { return projections::list_shifts(reader, one, {.q = "nowhere"}, {}); });
        query("list of 50, operator", 500,
              [&](int) { return projections::list_shifts(reader, {.operator_access = true}, {}, {}); });
        query("page after", 500, [&](int) {
            return projections::list_shifts(reader, one, {},
                                            {.after = std::vector<std::string>{"2026-10-01T00:00:00Z", "5"}});
        });
        query("dashboard", 50, [&](int) { return projections::dashboard_stats(reader, one, {1'784'880'000'000}); });
        query("recent activity", 500, [&](int) { return projections::recent_activity(reader, one, 20); });
    }

    int count;
    tests::TestDatabase database;
    tests::MemoryKeyring keyring;
    std::unique_ptr<events::PostgresLog> log;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        Bench bench(argc > 1 ? std::atoi(argv[1]) : 100'000);
        bench.decode_only();
        for (auto const& type : projections::registry()) bench.rebuild(std::string(type.name), 1);
        bench.rebuild("", 1);
        bench.rebuild("", 2);
        bench.live();
        bench.queries();
        bench.log->stop();
    } catch (std::exception const& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
