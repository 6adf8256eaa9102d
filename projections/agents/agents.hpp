// Agents as queries see them.
#pragma once

#include "core/bool_or_any.hpp"
#include "events/agent.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of agents is narrowed to.
struct AgentFilter : ListFilter {
    std::optional<core::BoolOrAny> isActive = core::BoolOrAny{true};
    std::optional<std::vector<events::AgentExecutor>> executor{};
};
BOOST_DESCRIBE_STRUCT(AgentFilter, (ListFilter), (isActive, executor))

using AgentRows = ReadModel<events::AgentRecord, AgentFilter>;

/// read.agent. Callers who are bound to facilities see agents of these, and none of the organization as a whole.
AgentRows const& agents();

}  // namespace workforce::projections
