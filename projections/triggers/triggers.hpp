// Triggers of agents as queries see them.
#pragma once

#include "core/bool_or_any.hpp"
#include "events/trigger.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of an agent's triggers is narrowed to.
struct TriggerFilter : ListFilter {
    std::optional<std::vector<events::TriggerType>> type{};
    std::optional<bool> isEnabled{};
};
BOOST_DESCRIBE_STRUCT(TriggerFilter, (ListFilter), (type, isEnabled))

/// As it is narrowed by the service, too.
struct AgentTriggerFilter : TriggerFilter {
    std::optional<Id> agentId{};
};
BOOST_DESCRIBE_STRUCT(AgentTriggerFilter, (TriggerFilter), (agentId))

using TriggerRows = ReadModel<events::TriggerRecord, AgentTriggerFilter>;

/// read.trigger. Who is bound to facilities sees triggers of agents of these.
TriggerRows const& triggers();

}  // namespace workforce::projections
