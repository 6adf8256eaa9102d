// Runs of agents: how they start, what became of them, and how they end early.
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "commands/agent_run.hpp"
#include "core/json_values.hpp"
#include "operations/agents/advance.hpp"
#include "operations/agents/agents.hpp"
#include "operations/agents/plan_check.hpp"
#include "operations/agents/shown_run.hpp"
#include "operations/declare.hpp"
#include "projections/agent_runs/agent_runs.hpp"
#include "projections/agents/agents.hpp"

namespace workforce::operations {

/// What a caller says of a new run.
struct RunOrder {
    events::RunObject input;
    core::AbsentOrNull<events::Plan> plan;
    core::Nullable<Id> facilityId;
    core::Nullable<events::RunValue> output;
    core::Int<0, 55> wait = 20;

    static constexpr std::array<std::string_view, 0> kRequired{};
    void check(core::FieldCheck& fields) const {
        if (plan) events::check_plan(*plan, "plan", fields);
    }
};
BOOST_DESCRIBE_STRUCT(RunOrder, (), (input, plan, facilityId, output, wait))

/// Of GET /api/agents/{id}/runs, which names the agent in its path.
struct RunsOfAgentFilter : projections::ChangeFilter {
    std::optional<std::vector<events::AgentRunStatus>> status{};
    std::optional<Id> triggerId{};
    std::optional<core::DayOrMoment<core::End::first>> from{};
    std::optional<core::DayOrMoment<core::End::last>> to{};
};
BOOST_DESCRIBE_STRUCT(RunsOfAgentFilter, (projections::ChangeFilter), (status, triggerId, from, to))

/// Which of an agent's runs are cancelled.
struct CancelQuery {
    std::optional<Id> runId;
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(CancelQuery, (), (runId, orgUnitId))

namespace {

using boost::asio::awaitable;
using events::Kind;
using projections::agent_runs;

using RunQuery = ListQuery<projections::AgentRunFilter>;
using RunsOfAgentQuery = ListQuery<RunsOfAgentFilter>;

/// A part of the longest wait is for the answer's way back.
constexpr std::chrono::seconds kMostWait{55};

/// The run as read models have it once it waits for somebody or has ended, or once nobody waits any more.
awaitable<std::optional<projections::Document>> await_end(Call& call, Id run, std::chrono::seconds wait) {
    using Clock = std::chrono::steady_clock;
    auto const scope = read_scope(call);
    if (!scope) co_return std::nullopt;
    auto const until = Clock::now() + wait;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    constexpr std::chrono::milliseconds kLongestPause{250};
    for (auto pause = std::chrono::milliseconds(5); Clock::now() < until; pause = std::min(2 * pause, kLongestPause)) {
        timer.expires_after(pause);
        co_await timer.async_wait(boost::asio::use_awaitable);
        auto found = co_await agent_runs().find(call.services.database_of(*scope), *scope, run);
        if (!found) continue;
        auto const status = core::from_stored_json<events::AgentRun>(found->doc).status;
        if (status != events::AgentRunStatus::queued && status != events::AgentRunStatus::running) co_return found;
    }
    co_return std::nullopt;
}

core::Result<commands::StartRun> order_of(Call& call, RunOrder const& order) {
    auto faults = faults_of_output(order.output, order.plan ? &*order.plan : nullptr);
    if (order.plan) {
        std::ranges::move(faults_of_plan(*order.plan, "plan", nullptr), std::back_inserter(faults));
    }
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    if (order.plan) {
        if (auto problem = lacking_for_plan(*call.caller, *order.plan, call.services.model_tiers))
            return tl::unexpected(*std::move(problem));
    }
    commands::StartRun start;
    start.agentId = call.input.path.id();
    start.input = order.input;
    if (order.plan) start.plan = *order.plan;
    start.facilityId = order.facilityId;
    start.output = order.output;
    start.runAs = call.caller->user.id;
    start.lineage = call.caller->lineage();
    return start;
}

awaitable<Outcome> start_run(Call& call) {
    auto const order = read_command<RunOrder>(call);
    auto command = order ? order_of(call, *order) : tl::unexpected(order.error());
    std::size_t const new_ids = command ? 1 : 0;
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), new_ids);
    if (outcome.status >= 300) co_return outcome;
    outcome.version = 0;  // it goes on by itself
    outcome.status = call.operation.other_success;
    auto const run = core::from_stored_json<events::AgentRun>(outcome.body).id;
    auto ended = co_await await_end(call, run, std::chrono::seconds(order->wait.value));
    if (ended) {
        outcome.status = call.operation.success;
        outcome.body = std::move(ended->doc);
    }
    co_return outcome;
}

/// Errors: NOT_FOUND for an agent whom the caller does not see.
awaitable<Outcome> list_of_agent(Call& call) {
    auto const asked = read_query<RunsOfAgentQuery>(call.input.parameters);
    if (!asked) co_return refuse(call, asked.error());
    auto const agent = call.input.path.id();
    if (auto const seen = co_await require_seen(call, projections::agents(), agent); !seen) {
        co_return refuse(call, seen.error());
    }
    RunQuery query;
    static_cast<PageQuery&>(query) = *asked;
    static_cast<projections::ChangeFilter&>(query) = *asked;
    query.agentId = agent;
    query.status = asked->status;
    query.triggerId = asked->triggerId;
    query.from = asked->from;
    query.to = asked->to;
    co_return co_await get_list(call, agent_runs().lists(), ListInput{query, agent_runs().filters(query)});
}

/// The run of the path, where it is one of the agent's.
awaitable<Outcome> get_of_agent(Call& call) {
    auto const scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const id = call.input.path.id("runId");
    auto found = co_await agent_runs().find(call.services.database_of(*scope), *scope, id);
    bool const theirs = found && core::from_stored_json<events::AgentRun>(found->doc).agentId == call.input.path.id();
    if (!theirs) co_return refuse(call, commands::not_found(agent_runs().spec().noun, id).value());
    Outcome outcome;
    outcome.body = std::move(found->doc);
    outcome.version = found->version;
    co_return outcome;
}

/// What the handler answers with, as the caller may know it.
template <Handler Answer>
awaitable<Outcome> shown(Call& call) {
    auto outcome = co_await Answer(call);
    if (outcome.status < 300) outcome.body = shown_runs(*call.caller, std::move(outcome.body));
    co_return outcome;
}

Operation all_runs() {
    auto row = list<agent_runs>("agent_runs.list", "List runs of agents");
    row.handler = shown<list_resources<agent_runs>>;
    return row;
}

Operation one_run() {
    auto row = one<agent_runs>("agent_runs.get", "Read a run of an agent");
    row.handler = shown<get_resource<agent_runs>>;
    return row;
}

commands::Submission cancellation(Call const& call, Id run) {
    auto submission = commands::make_submission(commands::CancelRun{.agentId = call.input.path.id(), .id = run},
                                                command_context(call));
    submission.target = {Kind::agent_run, run};
    return submission;
}

awaitable<Outcome> cancel_run(Call& call) {
    co_return co_await submit(call, cancellation(call, call.input.path.id("runId")), 0);
}

/// Reads which runs the query names. Errors: VALIDATION_ERROR, also for a parameter that the operation does not have:
/// a mistyped runId must not cancel all.
core::Result<CancelQuery> read_cancel_query(Call const& call) {
    if (auto const known = refuse_unknown_parameters(call); !known) return tl::unexpected(known.error());
    return read_query<CancelQuery>(call.input.parameters);
}

/// Cancels one run, or all of them, some hundred at a time.
awaitable<Outcome> cancel_runs(Call& call) {
    auto const query = read_cancel_query(call);
    if (!query) co_return co_await submit(call, refused_submission(command_context(call), query.error()), 0);
    commands::CancelledRuns all;
    if (query->runId) {
        auto outcome = co_await submit(call, cancellation(call, *query->runId), 0);
        if (outcome.status >= 300) co_return outcome;
        if (call.appended) all.runIds.push_back(*query->runId);
        all.cancelled = std::ssize(all.runIds);
        outcome.body = core::to_json(all);
        outcome.version = 0;
        co_return outcome;
    }
    for (;;) {
        auto submission =
            commands::make_submission(commands::CancelRuns{.agentId = call.input.path.id()}, command_context(call));
        auto outcome = co_await submit(call, std::move(submission), 0);
        if (outcome.status >= 300) co_return outcome;
        auto const some = core::from_stored_json<commands::CancelledRuns>(outcome.body);
        all.cancelled += some.cancelled;
        for (Id const run : some.runIds) {
            if (all.runIds.size() < kShownRuns) all.runIds.push_back(run);
        }
        if (some.cancelled > 0) continue;
        outcome.body = core::to_json(all);
        outcome.version = 0;
        co_return outcome;
    }
}

Operation start() {
    auto row = command<commands::StartRun>("agent_runs.start", "Start a run of an agent");
    row.body = &request_of<RunOrder>;
    row.body_example = &example<RunOrder, Side::request>;
    row.body_required = false;
    row.versioned = false;
    row.handler = shown<start_run>;
    row.makes = Kind::agent_run;
    row.located_at = "/api/agent-runs";
    return std::move(row).waits_for_end(202, kMostWait);
}

Operation runs_of_agent() {
    auto row = list<agent_runs>("agent_runs.list_of_agent", "List an agent's runs");
    row.parameters = parameters_of<RunsOfAgentQuery>();
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = agent_runs().sort_names();
    }
    row.reads.push_back(projections::agents().spec().name);
    row.handler = shown<list_of_agent>;
    return row;
}

Operation run_of_agent() {
    auto row = one<agent_runs>("agent_runs.get_of_agent", "Read one of an agent's runs");
    row.handler = shown<get_of_agent>;
    return row;
}

Operation one_cancellation() {
    auto row = command<commands::CancelRun>("agent_runs.cancel", "Cancel a run");
    row.handler = shown<cancel_run>;
    row.versioned = false;
    return row;
}

Operation all_cancellations() {
    auto row = command<commands::CancelRuns>("agent_runs.cancel_all", "Cancel an agent's live runs");
    row.parameters = parameters_of<CancelQuery>();
    row.handler = cancel_runs;
    row.versioned = false;
    return row;
}

}  // namespace

std::vector<Operation> agent_run_operations() {
    using enum net::Method;
    using enum core::Code;
    return {
        all_runs()
            .says("Returns a page of runs: what agents did, or are to do. Narrow it by agent, status, trigger, and by "
                  "when they were made (from, to).")
            .needs("agents.view")
            .or_needs("agents.run")
            .at(get, "/api/agent-runs"),
        one_run()
            .says("Returns one run with what became of each step. One that waits for a person has status "
                  "pending_approval and the approvalId.")
            .needs("agents.view")
            .or_needs("agents.run")
            .at(get, "/api/agent-runs/{id:int}")
            .as_tool({.name = "agent_run_get", .headless = false, .renamed = {{"runId", "id"}}}),
        runs_of_agent()
            .says("Returns a page of one agent's runs.")
            .needs("agents.view")
            .or_needs("agents.run")
            .at(get, "/api/agents/{id:int}/runs"),
        run_of_agent()
            .says("Returns what {agent_runs.get} does, of a run of that agent.")
            .needs("agents.view")
            .or_needs("agents.run")
            .at(get, "/api/agents/{id:int}/runs/{runId:int}"),
        start()
            .says("Starts an agent's run under your user and rights. Returns it once it has ended, or waits for a "
                  "person: pending_approval, with approvalId. One that takes longer comes back as it stands and goes "
                  "on: read it again by {agent_runs.get}.")
            .refuses({agent_inactive, plan_invalid, run_limit_reached})
            .needs("agents.run")
            .audit()
            .on(Kind::agent)
            .at(post, "/api/agents/{id:int}/runs")
            .as_tool({.name = "agent_run_start",
                      .tier = events::ModelTier::standard,
                      .headless = false,
                      .renamed = {{"agentId", "id"}},
                      .omitted = {"plan", "facilityId", "wait"}}),
        one_cancellation()
            .says("Ends a run early and returns it; what it did stays done. An approval that it waits for is rejected. "
                  "One that has ended stays as it is.")
            .needs("agents.run")
            .audit()
            .on(Kind::agent)
            .at(post, "/api/agents/{id:int}/runs/{runId:int}/cancel"),
        all_cancellations()
            .says("Cancels the agent's live runs, or the one that runId names, and returns which these were, the first "
                  "1,000 of them. What has ended stays in the history.")
            .needs("agents.run")
            .audit()
            .on(Kind::agent)
            .destroys()
            .at(del, "/api/agents/{id:int}/runs"),
        run_advance(),
    };
}

}  // namespace workforce::operations
