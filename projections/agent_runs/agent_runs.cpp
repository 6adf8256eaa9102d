// The declaration of read.agent_run.
#include "projections/agent_runs/agent_runs.hpp"

namespace workforce::projections {

AgentRunRows const& agent_runs() {
    static AgentRunRows const model =
        AgentRunRows::declare("agent_run")
            .called("run")
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& run) { return run.facilityId; })
            .column("deleted", [](auto const& run) { return run.deleted; })
            .column("agent_id", [](auto const& run) { return run.agentId; })
            .column("trigger_id", [](auto const& run) { return run.triggerId; })
            .column("status", [](auto const& run) { return run.status; })
            .column("named_staff_ids", [](auto const& run) { return run.namedStaffIds; })
            .column("named_user_ids", [](auto const& run) { return run.namedUserIds; })
            .column("named_lead_ids", [](auto const& run) { return run.namedLeadIds; })
            .json("internals", [](auto const& run) -> auto const& { return run.internals; })
            .filter<&AgentRunFilter::agentId>("t.agent_id = $agentId")
            .filter<&AgentRunFilter::status>("t.status = ANY ($status)")
            .filter<&AgentRunFilter::triggerId>("t.trigger_id = $triggerId")
            .filter<&AgentRunFilter::from>("t.created_at >= $from")
            .filter<&AgentRunFilter::to>("t.created_at <= $to")
            .stamped()
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
