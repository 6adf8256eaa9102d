// The declaration of read.agent.
#include "projections/agents/agents.hpp"

namespace workforce::projections {

AgentRows const& agents() {
    static AgentRows const model =
        AgentRows::declare("agent")
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& agent) { return agent.facilityId; })
            .column("deleted", [](auto const& agent) { return agent.deleted; })
            .column("is_active", [](auto const& agent) { return agent.isActive; })
            .column("executor", [](auto const& agent) { return agent.executor; })
            .column("name_key", [](auto const& agent) { return core::fold_case(agent.name.value); })
            .filter<&AgentFilter::isActive>("t.is_active = $isActive")
            .filter<&AgentFilter::executor>("t.executor = ANY ($executor)")
            .search([](auto const& agent) { return search_text(agent.name.value, agent.description.value); })
            .stamped()
            .sort("name", "name_key")
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
