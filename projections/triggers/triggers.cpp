// The declaration of read.trigger.
#include "projections/triggers/triggers.hpp"

namespace workforce::projections {

TriggerRows const& triggers() {
    static TriggerRows const model =
        TriggerRows::declare("trigger")
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& trigger) { return trigger.facilityId; })
            .column("deleted", [](auto const& trigger) { return trigger.deleted; })
            .column("agent_id", [](auto const& trigger) { return trigger.agentId; })
            .column("type", [](auto const& trigger) { return trigger.type; })
            .column("is_enabled", [](auto const& trigger) { return trigger.isEnabled; })
            .column("next_run_at", [](auto const& trigger) { return trigger.nextRunAt; })
            .column("name_key", [](auto const& trigger) { return core::fold_case(trigger.name.value); })
            .json("internals", [](auto const& trigger) -> auto const& { return trigger.internals; })
            .filter<&AgentTriggerFilter::agentId>("t.agent_id = $agentId")
            .filter<&AgentTriggerFilter::type>("t.type = ANY ($type)")
            .filter<&AgentTriggerFilter::isEnabled>("t.is_enabled = $isEnabled")
            .search([](auto const& trigger) { return search_text(trigger.name.value); })
            .stamped()
            .sort("createdAt", "created_at")
            .sort("name", "name_key");
    return model;
}

}  // namespace workforce::projections
