// The checks of /readyz and /statusz.
#include "api/admin/readiness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/deadline.hpp"

namespace workforce::api {
namespace {

using std::chrono::milliseconds;

constexpr auto kFreshLag = std::chrono::seconds(10);  // domain 3.2
constexpr auto kReadyPatience = milliseconds(400);    // with the database, for a balancer that waits
constexpr auto kPatience = milliseconds(2000);        // with database and log
/// A database that has answered since is slow, and not away.
constexpr auto kRecently = std::chrono::seconds(3);
constexpr std::string_view kLate = "no answer in time";

/// A check's result: empty when all is well, else what is wrong.
using Wrong = std::string;

/// Asks the database, or the log, for something small.
boost::asio::awaitable<Wrong> within(milliseconds patience, boost::asio::awaitable<bool> question) {
    try {
        if (co_await core::within(patience, std::move(question))) co_return Wrong();
        co_return Wrong(kLate);
    } catch (std::exception const& error) {
        co_return error.what();
    }
}

boost::asio::awaitable<bool> ask_database(AdminServices& services) {
    co_await services.runtime.writes.run([](core::Connection& connection) { connection.execute_sql("SELECT 1"); });
    services.database_answered = std::chrono::steady_clock::now();
    co_return true;
}

boost::asio::awaitable<Wrong> check_database(AdminServices& services, milliseconds patience) {
    auto wrong = co_await within(patience, ask_database(services));
    if (wrong == kLate && std::chrono::steady_clock::now() - services.database_answered.load() < kRecently)
        wrong.clear();
    co_return wrong;
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
Wrong check_folders(AdminServices const& services) {
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

struct Check {
    std::string_view name;
    bool ok = false;
    std::string detail{};
};

Check check_of(std::string_view name, Wrong wrong) { return {name, wrong.empty(), std::move(wrong)}; }

bool all_well(std::vector<Check> const& checks) { return std::ranges::all_of(checks, &Check::ok); }

void write_checks(core::JsonWriter& w, std::vector<Check> const& checks) {
    w.key("checks");
    w.begin_object();
    for (auto const& check : checks) {
        w.key(check.name);
        w.begin_object();
        w.member("ok", check.ok);
        if (!check.detail.empty()) w.member("detail", check.detail);
        w.end_object();
    }
    w.end_object();
}

void write_processes(core::JsonWriter& w, AdminServices const& services) {
    w.key("processes");
    w.begin_array();
    for (auto const& process : services.owners.processes()) {
        w.begin_object();
        w.member("owner", process.owner);
        w.member("role", core::enum_name(process.role));
        w.member("adminUrl", process.admin_url);
        w.member("mayWrite", process.may_write);
        w.member("trouble", process.trouble);
        w.end_object();
    }
    w.end_array();
}

void write_partitions(core::JsonWriter& w, AdminServices const& services, projections::ProjectionStatus const& status) {
    auto const owner_of = [&](int partition, workers::LeaseKind kind) {
        auto const owner = services.owners.find(partition, kind);
        return owner ? owner->name : std::string();
    };
    w.key("partitions");
    w.begin_array();
    for (auto const& each : status.partitions) {
        w.begin_object();
        w.member("partition", each.partition);
        w.member("writer", owner_of(each.partition, workers::LeaseKind::writer));
        w.member("projector", owner_of(each.partition, workers::LeaseKind::projector));
        w.member("head", each.head);
        w.member("position", each.position);
        w.member("lagMs", each.lag.count());
        w.end_object();
    }
    w.end_array();
}

}  // namespace

boost::asio::awaitable<Readiness> readiness(AdminServices& services) {
    auto database = co_await check_database(services, kReadyPatience);
    std::vector<Check> const checks{check_of("database", std::move(database)),
                                    check_of("clock", check_clock(services))};
    auto const phase = services.phase.load();
    bool const ready = phase == Phase::serving && all_well(checks);
    std::string_view const summary = ready ? "ok" : phase == Phase::serving ? "unavailable" : core::enum_name(phase);
    core::JsonWriter w;
    w.begin_object();
    w.member("status", summary);
    write_checks(w, checks);
    w.end_object();
    co_return Readiness{ready, fmt::format(R"({{"status":"{}"}})", summary), w.take()};
}

boost::asio::awaitable<std::string> status_report(AdminServices& services) {
    auto const status = services.progress.status();
    auto database = co_await check_database(services, kPatience);
    auto log = co_await within(kPatience, ask_log(services.log_probe));
    std::vector<Check> const checks{check_of("database", std::move(database)),
                                    check_of("log", std::move(log)),
                                    check_of("clock", check_clock(services)),
                                    check_of("writers", check_writers(services)),
                                    check_of("projectors", check_folders(services)),
                                    {"projectionLag", status.started && status.lag < kFreshLag,
                                     fmt::format("{} events, {} ms", status.lag_events, status.lag.count())},
                                    check_of("projections", check_stopped(status)),
                                    check_of("reactors", check_reactors(services.reactors.status()))};
    auto const phase = services.phase.load();
    core::JsonWriter w;
    w.begin_object();
    w.member("status", all_well(checks) ? "ok" : "degraded");
    w.member("owner", services.runtime.owner);
    w.member("role", core::enum_name(services.role));
    w.member("phase", core::enum_name(phase));
    write_checks(w, checks);
    write_processes(w, services);
    write_partitions(w, services, status);
    w.end_object();
    co_return w.take();
}

}  // namespace workforce::api
