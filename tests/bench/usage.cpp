// What usage costs: recording for the process and for PostgreSQL, and what views of many rows take.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <string>
#include <thread>
#include <vector>

#include "core/database.hpp"
#include "core/metrics.hpp"
#include "core/session_pool.hpp"
#include "operations/usage_log.hpp"
#include "projections/usage/usage.hpp"
#include "tests/bench/bench.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"
#include "workers/usage/roll_ups.hpp"

namespace workforce::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kBatchRows = 2000;
constexpr int kAsked = 21;

struct UsageLoad {
    std::int64_t rows = 10'000'000;
    std::int64_t recorded = 500'000;
    int rate = 50'000;  // rows a second
    bool at_once = false;
};

double own_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    auto const seconds = [](timeval const& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Processor time of a process on this machine.
double seconds_of(int pid) {
    std::ifstream stat(fmt::format("/proc/{}/stat", pid));
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    auto at = text.rfind(')') + 2;
    for (int i = 0; i < 11; ++i) at = text.find(' ', at) + 1;  // utime is the 14th field
    std::size_t end = 0;
    auto const user = std::stol(text.substr(at), &end);
    auto const system = std::stol(text.substr(at + end));
    return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

operations::UsageRow row_of(std::int64_t number) {
    operations::UsageRow row;
    row.at = core::now();
    row.request = operations::CorrelationId(fmt::format("req_{:08x}-a6de-71c0-8c7a-{:012x}", number, number));
    row.organization = 7 + number % 20;
    row.facility = 1 + number % 3;
    row.key = 1 + number % 40;
    row.user = 31;
    row.channel = "rest";
    row.credential_type = "live";
    row.tool = "GET /api/shifts/{id}";
    row.agent = operations::ShortName<64>("direct");
    row.latency_ms = static_cast<std::int32_t>(number % 90);
    row.status = 200;
    return row;
}

/// Records rows at the rate, and tells what the process and the session's server process spent on each.
void measure_recording(std::string const& url, UsageLoad const& load) {
    core::Metrics metrics;
    core::SessionPool sessions({.url = url, .role = "workforce_writer", .application_name = "usage bench"}, 1);
    auto const pid = sessions.run([](core::Connection& connection) {
        return std::stoi(connection.execute({"backend", "SELECT pg_backend_pid()"}).at(0)[0].c_str());
    });
    std::vector<operations::UsageRow> rows;
    for (std::int64_t i = 0; i < load.recorded; ++i) rows.push_back(row_of(i));
    auto const server = seconds_of(pid);
    auto const before = own_seconds();
    auto const began = SteadyClock::now();
    double adding = 0;
    std::uint64_t dropped = 0;
    {
        operations::UsageLog log(sessions, metrics);
        constexpr std::int64_t kSlice = 1000;
        for (std::int64_t i = 0; i < load.recorded; i += kSlice) {
            auto const slice = SteadyClock::now();
            for (auto j = i; j < std::min(i + kSlice, load.recorded); ++j) log.add(rows[static_cast<std::size_t>(j)]);
            adding += std::chrono::duration<double>(SteadyClock::now() - slice).count();
            std::this_thread::sleep_until(began + std::chrono::microseconds((i + kSlice) * 1'000'000 / load.rate));
        }
        log.stop();
        dropped = log.dropped();
    }
    auto const per_row = [&](double seconds) { return seconds * 1e6 / static_cast<double>(load.recorded); };
    fmt::print(
        "recording {} rows at {}/s, {} dropped: {:.2f} us a row where it is recorded, {:.2f} us of the process in "
        "all, {:.2f} us of PostgreSQL's session\n",
        load.recorded, load.rate, dropped, per_row(adding), per_row(own_seconds() - before),
        per_row(seconds_of(pid) - server));
}

/// Has the table filled without its indexes and primary key, which it gets again.
void without_indexes(pqxx::nontransaction& session, std::string const& table, std::function<void()> const& fill) {
    auto const is_key =
        fmt::format("i.indexrelid IN (SELECT conindid FROM pg_constraint WHERE conrelid = '{}'::regclass)", table);
    auto const rows =
        session.exec(fmt::format("SELECT CASE WHEN {0} THEN 'ALTER TABLE {1} DROP CONSTRAINT ' || c.relname ELSE 'DROP "
                                 "INDEX ' || i.indexrelid::regclass END, "
                                 "CASE WHEN {0} THEN 'ALTER TABLE {1} ADD ' || pg_get_constraintdef((SELECT oid FROM "
                                 "pg_constraint WHERE conindid = i.indexrelid)) "
                                 "ELSE replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') END FROM pg_index i "
                                 "JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = '{1}'::regclass",
                                 is_key, table));
    for (auto const& row : rows) session.exec(row[0].c_str());
    fill();
    session.exec("SET maintenance_work_mem = '512MB'");
    for (auto const& row : rows) session.exec(row[1].c_str());
}

/// Rows of 90 days that 20 organizations made, in batches that are open.
void fill_usage(pqxx::nontransaction& session, std::int64_t rows) {
    session.exec("ALTER TABLE usage.call_default SET UNLOGGED");
    session.exec(fmt::format(R"(
INSERT INTO usage.call
SELECT n / {0}, now() - (n::float8 / {1}) * interval '90 days', gen_random_uuid(), 7 + n % 20, 1 + n / 20 % 3, false,
       CASE WHEN n % 7 = 0 THEN 'mcp' ELSE 'rest' END, 'live', (7 + n % 20) * 10 + n / 20 % 3, '', 31, CASE WHEN n % 7 = 0 THEN 'Claude' ELSE 'direct' END, '',
       'GET /api/' || (ARRAY['shifts', 'staff', 'shifts/{{id}}', 'crm/leads', 'credentials', 'facilities', 'timesheets', 'dashboard/stats'])[1 + n / 13 % 8],
       CASE WHEN n % 50 = 0 THEN 404 ELSE 200 END, '', (-25 * ln(1 - random() * 0.99999))::int, ''
FROM generate_series(1::bigint, {1}) AS n)",
                             kBatchRows, rows));
    session.exec(
        "INSERT INTO usage.open_batch SELECT batch_id, min(occurred_at), max(occurred_at) FROM usage.call GROUP BY 1");
}

/// The totals of all rows, by a statement for some days at a time: what roll_usage_up() comes to, in less time.
void total_at_once(pqxx::nontransaction& session) {
    constexpr int kDays = 9;
    session.exec("SET work_mem = '512MB'");
    for (auto const* const table : {"usage.total", "usage.latency"}) {
        session.exec(fmt::format("ALTER TABLE {} SET UNLOGGED", table));
    }
    auto const each_slice = [&](std::string_view insert) {
        for (int day = 91; day > -kDays; day -= kDays) {
            session.exec(
                fmt::format("{} WHERE c.occurred_at >= date_trunc('day', now(), 'UTC') - interval '{} days' "
                            "AND c.occurred_at < date_trunc('day', now(), 'UTC') - interval '{} days' GROUP BY {}",
                            insert, day, day - kDays,
                            insert.find("usage.total") == std::string_view::npos ? "1, 2, 3, 4, 5, 6, 7"
                                                                                 : "1, 2, 3, 4, 5, 6, 7, 8"));
        }
    };
    without_indexes(session, "usage.total", [&] {
        each_slice(R"(
INSERT INTO usage.total
SELECT c.organization_id, p.period, date_trunc(p.period, c.occurred_at, 'UTC'), c.facility_id, c.key_id, c.channel, c.tool, c.agent,
       count(*), count(*) FILTER (WHERE c.status_code >= 400), sum(c.latency_ms), max(c.occurred_at)
FROM usage.call c CROSS JOIN (VALUES ('hour'), ('day')) AS p(period))");
    });
    without_indexes(session, "usage.latency", [&] {
        each_slice(R"(
INSERT INTO usage.latency
SELECT c.organization_id, p.period, g.tool, g.channel, date_trunc(p.period, c.occurred_at, 'UTC'), c.facility_id,
       usage.latency_bucket(c.latency_ms), count(*)
FROM usage.call c CROSS JOIN (VALUES ('hour'), ('day')) AS p(period)
CROSS JOIN LATERAL (VALUES (c.tool, c.channel), ('', '')) AS g(tool, channel))");
    });
    session.exec("TRUNCATE usage.open_batch");
}

void measure_view(std::string_view what, std::function<void()> const& ask) {
    std::vector<double> times;
    for (int i = 0; i < kAsked; ++i) {
        auto const began = SteadyClock::now();
        ask();
        times.push_back(std::chrono::duration<double>(SteadyClock::now() - began).count() * 1000);
    }
    std::ranges::sort(times);
    fmt::print("{:<44} {:>8.1f} ms (largest {:.1f})\n", what, times[kAsked / 2], times.back());
}

void measure_views(std::string const& url) {
    core::DatabaseOptions options;
    options.connection = core::by_index({.url = url, .role = "workforce_reader"});
    options.threads = 1;
    core::Database database(options);
    projections::Scope scope;
    scope.organization = 7;
    auto const now = core::now();
    for (int const days : {1, 30, 90}) {
        auto const window = projections::usage_window(days, now);
        auto const name = [&](char const* view) { return fmt::format("{} of {} days", view, days); };
        measure_view(name("summary"), [&] { tests::await(projections::usage_summary(database, scope, window)); });
        measure_view(name("time series by day"),
                     [&] { tests::await(projections::usage_timeseries(database, scope, window)); });
        measure_view(name("by tool"), [&] { tests::await(projections::usage_by_tool(database, scope, window)); });
        measure_view(name("by key"), [&] { tests::await(projections::usage_by_key(database, scope, window)); });
        measure_view(name("outcomes"), [&] { tests::await(projections::usage_outcomes(database, scope, window)); });
    }
    auto const hourly = projections::usage_window(30, now, projections::UsageGranularity::hour);
    measure_view("time series by hour of 30 days",
                 [&] { tests::await(projections::usage_timeseries(database, scope, hourly)); });
}

/// The largest error of p95 over organizations, against the exact one, where that is below 2,048 ms and above.
void check_percentiles(pqxx::nontransaction& session) {
    auto const rows = session.exec(R"(
WITH exact AS (SELECT organization_id, percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms) AS ms FROM usage.call GROUP BY 1),
counted AS (
    SELECT organization_id, bucket, sum(sum(calls)) OVER (PARTITION BY organization_id ORDER BY bucket) AS up_to,
           sum(sum(calls)) OVER (PARTITION BY organization_id) AS whole
    FROM usage.latency WHERE period = 'day' AND tool = '' GROUP BY 1, 2),
told AS (SELECT organization_id, usage.latency_edge(min(bucket)) AS ms FROM counted WHERE up_to >= ceil(0.95 * whole) GROUP BY 1)
SELECT count(*), max(abs(t.ms - e.ms)) FROM exact e JOIN told t USING (organization_id))");
    fmt::print("p95 of {} organizations from totals: off by {} ms at most\n", rows[0][0].c_str(), rows[0][1].c_str());
}

int measure_usage(UsageLoad const& load) {
    tests::TestDatabase const database;
    measure_recording(database.url(), load);
    if (load.rows == 0) return 0;
    {
        pqxx::connection connection(database.url());
        pqxx::nontransaction(connection).exec("TRUNCATE usage.call, usage.open_batch, usage.total, usage.latency");
    }
    pqxx::connection connection(database.url());
    pqxx::nontransaction session(connection);
    without_indexes(session, "usage.call", [&] { fill_usage(session, load.rows); });
    session.exec("VACUUM ANALYZE usage.call_default");
    auto const began = SteadyClock::now();
    if (load.at_once) {
        total_at_once(session);
    } else {
        core::SessionPool sessions({.url = database.url(), .role = "workforce_writer"}, 1);
        workers::roll_usage_up(sessions);
    }
    auto const seconds = std::chrono::duration<double>(SteadyClock::now() - began).count();
    fmt::print("{} rows added up{}: {:.0f} rows/s\n", load.rows, load.at_once ? " at once" : "",
               static_cast<double>(load.rows) / seconds);
    session.exec("VACUUM ANALYZE usage.total");
    session.exec("VACUUM ANALYZE usage.latency");
    measure_views(database.url());
    check_percentiles(session);
    return 0;
}

}  // namespace

void add_usage(CLI::App& bench, Run& run) {
    auto const load = std::make_shared<UsageLoad>();
    auto* command =
        bench.add_subcommand("usage", "Measures usage on a database made for it at WORKFORCE_TEST_DATABASE_URL");
    command->add_option("--rows", load->rows, "Rows that are looked at; 0: none");
    command->add_flag("--at-once", load->at_once, "Adds them up by few statements, for minutes instead of an hour");
    command->add_option("--recorded", load->recorded, "Rows that are recorded");
    command->add_option("--rate", load->rate, "How many a second")->check(CLI::Range(1, 1'000'000));
    command->callback([&run, load] { run = [load] { return measure_usage(*load); }; });
}

}  // namespace workforce::bench
