// Looking for runs that are to go on, and asking for their turns.
#include "workers/agents/run_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::workers {

using boost::asio::awaitable;

namespace {

/// A worker that dies is replaced as soon. Longer turns, such as a model's, are asked for meanwhile once more, and
/// their owner says that it is at them.
constexpr std::chrono::seconds kRunLease{5};
constexpr std::chrono::milliseconds kRunRest{250};
constexpr int kRunsAtOnce = 32;
/// Of an agent as many of whose runs as may are worked on, until one of these rests (reactors/agent_runs.cpp), or it is
/// looked at nevertheless.
constexpr std::chrono::seconds kQueuePause{15};
constexpr std::chrono::milliseconds kBusyPause{1'000};
constexpr std::chrono::seconds kLongestRunPause{30};
/// After a stop, for what is under way.
constexpr std::chrono::seconds kRunGrace{3};

struct TurnReport {
    std::string end;
    std::int64_t steps = 0;
};
BOOST_DESCRIBE_STRUCT(TurnReport, (), (end, steps))

}  // namespace

awaitable<void> RunEngine::run() {
    executor_ = co_await boost::asio::this_coro::executor;
    timer_.emplace(*executor_);
    for (bool fails = false; !stopping_;) {
        try {
            co_await look();
            fails = false;
        } catch (std::exception const& error) {
            auto const level = core::quiet_while_away(core::Level::warn);
            if (!fails) core::log(level, "runs of agents could not be looked for", {{"error", error.what()}});
            fails = level != core::Level::debug;
        }
        if (stopping_ || std::exchange(called_, false)) continue;
        timer_->expires_after(kRunRest);
        boost::system::error_code woken;
        co_await timer_->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
    }
    auto const until = std::chrono::steady_clock::now() + kRunGrace;
    while (stats_.under_way > 0 && std::chrono::steady_clock::now() < until) {
        timer_->expires_after(kRunRest);
        boost::system::error_code woken;  // each turn that ends wakes it
        co_await timer_->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
    }
}

void RunEngine::look_soon() {
    called_ = true;
    if (timer_) timer_->cancel();
}

void RunEngine::stop() {
    stopping_ = true;
    look_soon();
}

awaitable<void> RunEngine::look() {
    auto const room = kRunsAtOnce - static_cast<int>(stats_.under_way);
    if (room <= 0) co_return;
    auto tasks = co_await parts_.writes.run(
        [room](core::Connection& connection) { return claim_runs(connection, room, kRunLease); });
    bool const more = std::ssize(tasks) == room;
    for (auto& task : tasks) {
        ++stats_.under_way;
        boost::asio::co_spawn(*executor_, work(std::move(task)), boost::asio::detached);
    }
    if (more) called_ = true;
}

awaitable<void> RunEngine::work(RunTask task) {
    try {
        co_await advance(task);
    } catch (std::exception const& error) {  // its lease ends, and it is due again
        ++stats_.failures;
        core::log(core::quiet_while_away(core::Level::warn), "a run's turn failed and is asked for again",
                  {{"run", task.run}, {"error", error.what()}});
    }
    --stats_.under_way;
    look_soon();
}

awaitable<void> RunEngine::advance(RunTask const& task) {
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
        under_way.Set(static_cast<double>(stats.under_way));
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
