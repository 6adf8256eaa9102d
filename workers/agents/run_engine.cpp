// Looking for runs that are to go on, and asking for their turns.
#include "workers/agents/run_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::workers {

using boost::asio::awaitable;

namespace {

/// A worker that dies is replaced as soon. Longer turns, such as a model's, are asked for meanwhile once more, and
/// their owner says that it is at them.
constexpr std::chrono::seconds kRunLease{5};
constexpr int kRunsAtOnce = 32;
/// Of an agent as many of whose runs as may are worked on, until one of these rests (reactors/agent_runs.cpp), or it is
/// looked at nevertheless.
constexpr std::chrono::seconds kQueuePause{15};
constexpr std::chrono::milliseconds kBusyPause{1'000};
constexpr std::chrono::seconds kLongestRunPause{30};

struct TurnReport {
    std::string end;
    std::int64_t steps = 0;
};
BOOST_DESCRIBE_STRUCT(TurnReport, (), (end, steps))

}  // namespace

awaitable<void> RunEngine::run() {
    co_await loop_.run([this] { return look(); });
}

awaitable<bool> RunEngine::look() {
    auto const room = kRunsAtOnce - static_cast<int>(loop_.under_way());
    if (room <= 0) co_return false;
    auto tasks = co_await parts_.writes.run(
        [room](core::Connection& connection) { return claim_runs(connection, room, kRunLease); });
    bool const more = std::ssize(tasks) == room;
    for (auto& task : tasks) {
        auto failed = [this, run = task.run](std::exception const& error) {  // its lease ends, and it is due again
            ++stats_.failures;
            core::log(core::quiet_while_away(core::Level::warn), "a run's turn failed and is asked for again",
                      {{"run", run}, {"error", error.what()}});
        };
        loop_.begin(advance(std::move(task)), std::move(failed));
    }
    co_return more;
}

awaitable<void> RunEngine::advance(RunTask task) {
    // A key of its own for each turn: what a turn does is once by the run's state.
    OperationRequest request{.verb = "agent_runs.advance",
                             .organization = task.organization,
                             .sandbox = task.sandbox,
                             .id = task.run,
                             .key = fmt::format("agent_runs/{}/{}", task.work_id, task.tries),
                             .correlation_id = task.correlation_id};
    auto const answer = co_await parts_.ask(std::move(request));
    if (!answer || answer->status >= 300) {
        ++stats_.failures;
        co_return co_await settle(task, "later");
    }
    auto const report = core::from_stored_json<TurnReport>(answer->body);
    ++stats_.turns;
    stats_.steps += static_cast<std::uint64_t>(report.steps);
    co_await settle(task, report.end);
}

awaitable<void> RunEngine::settle(RunTask const& task, std::string_view end) {
    auto pause = std::chrono::milliseconds(0);
    if (end == "rests") {
        co_await parts_.writes.run(
            [id = task.work_id](core::Connection& connection) { agent_run_work().finish(connection, {id}); });
        co_return;
    }
    bool const queues = end == "queues";
    if (queues) pause = kQueuePause;
    if (end == "busy") pause = kBusyPause;
    bool const in_vain = end == "later";
    if (in_vain) pause = std::min<std::chrono::milliseconds>(pause_after(task.tries), kLongestRunPause);
    co_await parts_.writes.run([id = task.work_id, pause, in_vain, queues](core::Connection& connection) {
        put_back(connection, id, pause, !in_vain, queues);
    });
}

void export_runs(core::Metrics& metrics, RunEngine const& engine) {
    auto& turns = metrics.counter("workforce_agent_run_turns_total", "Turns of agents' runs");
    auto& steps = metrics.counter("workforce_agent_run_steps_total", "Calls of tools that agents' runs made");
    auto& failures =
        metrics.counter("workforce_agent_run_turns_failed_total", "Turns of agents' runs of which nothing is known");
    auto& under_way = metrics.gauge("workforce_agent_run_turns_under_way", "Turns of agents' runs that are asked for");
    metrics.before_render([&] {
        auto const& stats = engine.stats();
        core::raise(turns, static_cast<double>(stats.turns));
        core::raise(steps, static_cast<double>(stats.steps));
        core::raise(failures, static_cast<double>(stats.failures));
        under_way.Set(static_cast<double>(engine.under_way()));
    });
}

void export_backlog(core::Metrics& metrics, RunBacklog const& backlog) {
    metrics.gauge("workforce_agent_runs_live", "Runs of agents that are queued or running")
        .Set(static_cast<double>(backlog.rows));
    metrics.gauge("workforce_agent_runs_stuck", "Those of them that were tried in vain, more than twice")
        .Set(static_cast<double>(backlog.stuck));
    metrics.gauge("workforce_agent_runs_overdue_seconds", "For how long the first of them has been due")
        .Set(backlog.oldest_seconds);
}

}  // namespace workforce::workers
