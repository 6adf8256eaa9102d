// A row of work from when a run begins, or goes on, to when it rests.
#include "workers/reactors/reactors.hpp"

#include <map>
#include <set>

#include "events/agent_run.hpp"
#include "events/event.hpp"
#include "events/fold.hpp"
#include "workers/agents/run_work.hpp"

namespace workforce::workers {
namespace {

using events::Overloaded;

constexpr core::Statement kAddRun{"agent_runs_add", R"(
INSERT INTO agent_run_work (id, partition, position, organization_id, is_sandbox, run_id, agent_id, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING)"};
constexpr core::Statement kDropRuns{"agent_runs_drop", "DELETE FROM agent_run_work WHERE run_id = ANY ($1::bigint[])"};

/// The first of an agent that wait for others to rest.
constexpr core::Statement kWakeRuns{"agent_runs_wake", R"(
UPDATE agent_run_work SET due_at = now(), waits_turn = false
WHERE id IN (SELECT id FROM agent_run_work WHERE agent_id = $1 AND waits_turn ORDER BY created_at LIMIT $2))"};

/// What a run needs of workers once an event is folded.
enum class RunNeeds : std::uint8_t { as_before, turns, nothing };

RunNeeds needs_after(events::AgentRunEvent const& event) {
    return std::visit(Overloaded{[](events::AgentRunQueued const&) { return RunNeeds::turns; },
                                 [](events::AgentRunResumed const&) { return RunNeeds::turns; },
                                 [](events::AgentRunStarted const&) { return RunNeeds::as_before; },
                                 [](events::AgentRunStepFinished const&) { return RunNeeds::as_before; },
                                 [](events::AgentRunTurnFinished const&) { return RunNeeds::as_before; },
                                 [](auto const&) { return RunNeeds::nothing; }},
                      event);
}

/// Whose run it is that rests with the event, or 0.
core::Id rests_of(events::AgentRunEvent const& event) {
    return std::visit(
        []<class E>(E const& data) -> core::Id {
            if constexpr (requires { data.run.agentId; }) return data.run.agentId;
            return 0;
        },
        event);
}

/// Whose run begins with the event, or nothing.
core::Nullable<core::Id> begins_of(events::AgentRunEvent const& event) {
    auto const* const queued = std::get_if<events::AgentRunQueued>(&event);
    return queued == nullptr ? core::Nullable<core::Id>() : core::Nullable<core::Id>(queued->agentId);
}

/// One batch of a partition's events, folded within a transaction.
struct AgentRunBatch {
    core::Connection& connection;
    events::Keyring& keyring;
    int partition;

    void fold(std::span<events::Event const> events) {
        std::map<core::Id, events::Event const*> begun;  // null: it rests
        std::map<core::Id, int> rested;                  // by agent
        for (auto const& event : events) {
            auto const* const run = events::get_if<events::AgentRunEvent>(event.data);
            auto const needs = run ? needs_after(*run) : RunNeeds::as_before;
            if (needs == RunNeeds::as_before) continue;
            begun[event.meta.subject.id] = needs == RunNeeds::turns ? &event : nullptr;
            if (auto const agent = rests_of(*run)) ++rested[agent];
        }
        if (begun.empty()) return;
        std::set<core::Id> resting;
        for (auto const& [id, event] : begun) {
            if (event == nullptr) resting.insert(id);
        }
        if (!resting.empty()) connection.execute(kDropRuns, core::array_literal(resting));
        for (auto const& [agent, count] : rested) connection.execute(kWakeRuns, agent, count);
        if (resting.size() == begun.size()) return;
        auto const after = acts_after(connection, kAgentRunReactor, partition);
        for (auto const& [id, event] : begun) {
            if (event == nullptr || event->meta.position <= after) continue;
            auto const& meta = event->meta;
            auto const& correlation = meta.correlation();
            connection.execute(kAddRun, meta.id, partition, meta.position, meta.organization, meta.sandbox, id,
                               begins_of(*events::get_if<events::AgentRunEvent>(event->data)).value, correlation);
        }
    }
};

}  // namespace

ReactorType agent_runs() {
    return {.name = kAgentRunReactor,
            .revision = 1,
            .kinds = {events::Kind::agent_run},
            .make = fold_by<AgentRunBatch>,
            .work = &agent_run_work()};
}

}  // namespace workforce::workers
