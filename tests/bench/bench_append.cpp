// How many events a second the Postgres log takes from concurrent writers, one partition each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <vector>

#include "events/postgres_log.hpp"
#include "tests/support/test_database.hpp"

namespace {

using namespace workforce;
using Clock = std::chrono::steady_clock;

struct Load {
    int writers = 8;
    int batch = 1;
    std::size_t bytes = 700;
    double seconds = 5;
};

struct Outcome {
    std::size_t events = 0;
    std::vector<double> milliseconds;  // of each append
};

boost::asio::awaitable<void> write(events::EventLog& log, int partition, Load load, Outcome& outcome) {
    auto const claim = co_await log.claim(partition, "bench");
    auto head = claim.head;
    std::string const body = R"({"data":")" + std::string(load.bytes - 11, 'x') + R"("})";
    auto const end = Clock::now() + std::chrono::duration<double>(load.seconds);
    for (auto began = Clock::now(); began < end;) {
        auto after = head;
        after.position += load.batch;
        std::vector<std::string> bodies(static_cast<std::size_t>(load.batch), body);
        if (!co_await log.append(claim, head, after, std::move(bodies))) throw std::runtime_error("an append failed");
        head = after;
        auto const now = Clock::now();
        outcome.milliseconds.push_back(std::chrono::duration<double, std::milli>(now - began).count());
        outcome.events += static_cast<std::size_t>(load.batch);
        began = now;
    }
}

Outcome run(Load const& load, std::size_t connections) {
    tests::TestDatabase const database;
    events::PostgresLog::initialize(database.url(), load.writers);
    events::PostgresLogOptions options;
    options.database_url = database.url();
    options.append_connections = connections;
    events::PostgresLog log(options);
    boost::asio::io_context context(1);
    Outcome outcome;
    for (int p = 0; p < load.writers; ++p) {
        boost::asio::co_spawn(context, write(log, p, load, outcome), [](std::exception_ptr const& failed) {
            if (failed) std::rethrow_exception(failed);
        });
    }
    context.run();
    return outcome;
}

}  // namespace

int main(int argc, char** argv) try {
    Load load;
    std::size_t connections = 0;
    CLI::App app("Measures appends alone, on a database made for it at WORKFORCE_TEST_DATABASE_URL.");
    app.add_option("--writers", load.writers, "Concurrent writers, a partition each")->check(CLI::Range(1, 1000));
    app.add_option("--batch", load.batch, "Events a commit")->check(CLI::Range(1, 100000));
    app.add_option("--bytes", load.bytes, "Size of an event")->check(CLI::Range(12, 1 << 20));
    app.add_option("--seconds", load.seconds, "Duration")->check(CLI::PositiveNumber);
    app.add_option("--connections", connections, "Connections that append (default: one a writer)");
    CLI11_PARSE(app, argc, argv);
    if (connections == 0) connections = static_cast<std::size_t>(load.writers);

    auto outcome = run(load, connections);
    std::sort(outcome.milliseconds.begin(), outcome.milliseconds.end());
    auto const quantile = [&](double q) {
        return outcome.milliseconds[static_cast<std::size_t>(q * static_cast<double>(outcome.milliseconds.size() - 1))];
    };
    fmt::print(
        "{} writers, {} connections, {} x {} bytes a commit: {:.0f} events/s, {:.0f} commits/s, p50 {:.2f} ms, p99 "
        "{:.2f} ms\n",
        load.writers, connections, load.batch, load.bytes, static_cast<double>(outcome.events) / load.seconds,
        static_cast<double>(outcome.milliseconds.size()) / load.seconds, quantile(0.5), quantile(0.99));
    return 0;
} catch (std::exception const& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
}
