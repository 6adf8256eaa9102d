// The checks of /readyz.
#include "api/admin/readiness.hpp"

#include <fmt/format.h>

#include <chrono>

#include "core/deadline.hpp"

namespace workforce::api {
namespace {

constexpr auto kReadyLag = std::chrono::seconds(10);  // domain 3.2: /readyz
constexpr auto kPatience = std::chrono::seconds(2);   // with database and log

/// A check's result: empty when all is well, else what is wrong.
using Wrong = std::string;

/// Asks the database, or the log, for something small.
boost::asio::awaitable<Wrong> within_patience(boost::asio::awaitable<bool> question) {
    try {
        if (co_await core::within(kPatience, std::move(question))) co_return Wrong();
        co_return "no answer in time";
    } catch (std::exception const& error) {
        co_return error.what();
    }
}

boost::asio::awaitable<bool> ask_database(core::Database& database) {
    co_await database.run([](core::Connection& connection) { connection.execute_sql("SELECT 1"); });
    co_return true;
}

boost::asio::awaitable<bool> ask_log(LogProbe& probe) {
    co_await probe.ask();
    co_return true;
}

/// Whether a process that writes may believe its clock.
Wrong check_clock(AdminServices const& services) {
    auto const now = services.runtime.clock.now();
    return now || services.role == workers::Role::workers ? Wrong() : now.error();
}

/// Whether every partition is written by some live process, and by this one where it holds the lease.
Wrong check_writers(AdminServices const& services) {
    for (auto const& partition : services.runtime.processor.partitions()) {
        auto const number = partition->number();
        auto const owner = services.owners.find(number);
        if (!owner) return fmt::format("no process serves partition {}", number);
        if (owner->name != services.runtime.owner || partition->served()) continue;
        return partition->fault().value_or(fmt::format("partition {} is being taken over", number));
    }
    return {};
}

/// Whether every partition is folded by some live process.
Wrong check_projectors(AdminServices const& services) {
    for (int i = 0; i < services.runtime.log.partitions(); ++i) {
        if (!services.owners.find(i, workers::LeaseKind::projector)) {
            return fmt::format("no process folds partition {}", i);
        }
    }
    return {};
}

Wrong check_stopped(projections::ProjectionStatus const& status) {
    if (status.stopped.empty()) return {};
    auto const& first = status.stopped.front();
    return fmt::format("{} stands at partition {} position {}: {}", first.projection, first.partition, first.position,
                       first.reason);
}

/// A reactor that stands still. Nothing that this process answers depends on it.
Wrong check_reactors(std::vector<workers::ReactorStatus> const& reactors) {
    for (auto const& each : reactors) {
        if (!each.stands_still()) continue;
        return fmt::format("{} stands still at partition {} after position {}: {}", each.name, each.partition,
                           each.position, each.trouble.empty() ? "it is behind and does not move" : each.trouble);
    }
    return {};
}

void write_check(core::JsonWriter& w, std::string_view name, bool ok, std::string_view detail) {
    w.key(name);
    w.begin_object();
    w.member("ok", ok);
    if (!detail.empty()) w.member("detail", detail);
    w.end_object();
}

}  // namespace

boost::asio::awaitable<Readiness> readiness(AdminServices& services) {
    auto const status = services.progress.status();
    auto const database = co_await within_patience(ask_database(services.runtime.writes));
    auto log = co_await within_patience(ask_log(services.log_probe));
    if (log.empty() && services.role != workers::Role::workers) log = check_writers(services);
    auto const clock = check_clock(services);
    auto projections = check_stopped(status);
    if (projections.empty()) projections = check_projectors(services);
    bool const fresh = status.started && status.lag < kReadyLag;
    auto const phase = services.phase.load();
    bool const ready =
        phase == Phase::serving && database.empty() && log.empty() && clock.empty() && fresh && projections.empty();
    core::JsonWriter w;
    w.begin_object();
    std::string_view const summary = ready ? "ok" : phase == Phase::serving ? "unavailable" : core::enum_name(phase);
    w.member("status", summary);
    w.key("checks");
    w.begin_object();
    write_check(w, "database", database.empty(), database);
    write_check(w, "log", log.empty(), log);
    write_check(w, "clock", clock.empty(), clock);
    write_check(w, "projectionLag", fresh, fmt::format("{} events, {} ms", status.lag_events, status.lag.count()));
    write_check(w, "projections", projections.empty(), projections);
    auto const reactors = check_reactors(services.reactors.status());
    write_check(w, "reactors", reactors.empty(), reactors);
    w.end_object();
    w.end_object();
    co_return Readiness{ready, fmt::format(R"({{"status":"{}"}})", summary), w.take()};
}

}  // namespace workforce::api
