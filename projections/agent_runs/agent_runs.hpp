// Runs of agents as queries see them.
#pragma once

#include "core/day_or_moment.hpp"
#include "events/agent_run.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of runs is narrowed to. `from` and `to` are of when they were made, `to` included.
struct AgentRunFilter : ChangeFilter {
    std::optional<Id> agentId{};
    std::optional<std::vector<events::AgentRunStatus>> status{};
    std::optional<Id> triggerId{};
    std::optional<core::DayOrMoment<core::End::first>> from{};
    std::optional<core::DayOrMoment<core::End::last>> to{};
};
BOOST_DESCRIBE_STRUCT(AgentRunFilter, (ChangeFilter), (agentId, status, triggerId, from, to))

using AgentRunRows = ReadModel<events::AgentRunRecord, AgentRunFilter>;

/// read.agent_run. Who is bound to facilities sees runs that are limited to these.
AgentRunRows const& agent_runs();

}  // namespace workforce::projections
