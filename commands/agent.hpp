// Commands on agents. What their tools are called, and whether there are such, is looked at before
// (operations/agents/plan_check.hpp).
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/agent.hpp"

namespace workforce::commands {

/// The bounds within which the caller builds agents. The service fills them in; no request has them.
struct AgentRights {
    bool trusts = false;                ///< may have calls go on that wait for a person otherwise
    bool has_llm = false;               ///< a provider of models is configured
    std::vector<std::string> beyond{};  ///< tools that it may not have called
};

/// POST /api/agent-builder. Whoever is bound to facilities makes agents of these alone: of the only one where none is
/// named. Errors: DUPLICATE_RESOURCE for a name that another agent has; LIMIT_REACHED for the 501st agent; FORBIDDEN
/// for `trusted` by who may not, and for tools beyond the caller's rights; VALIDATION_ERROR for `llm` where there is no
/// provider.
struct CreateAgent : events::AgentDetails {
    using Answer = events::Agent;
    AgentRights rights;
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(CreateAgent, (events::AgentDetails), ())
Result<Decision> decide(View const& view, CreateAgent const& command, Context const& context);
events::Agent answer(View const& view, CreateAgent const& command, Decision const& decision);

/// PATCH /api/agent-builder/{id}. `isActive` stands for the commands deactivate and reactivate; the facility can't
/// change (VALIDATION_ERROR). Errors: as CreateAgent.
struct UpdateAgent : events::AgentChanges {
    using Answer = events::Agent;
    Id id = 0;
    std::optional<core::Nullable<Id>> facilityId;
    std::optional<bool> isActive;
    AgentRights rights;
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(UpdateAgent, (events::AgentChanges), (facilityId, isActive))
Result<Decision> decide(View const& view, UpdateAgent const& command, Context const& context);
events::Agent answer(View const& view, UpdateAgent const& command, Decision const& decision);

/// DELETE /api/agent-builder/{id}: nothing starts it any more, and its live runs are cancelled; of very many the rest
/// by CancelRuns.
struct DeactivateAgent {
    using Answer = events::Agent;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeactivateAgent, (), ())
Result<Decision> decide(View const& view, DeactivateAgent const& command, Context const& context);
events::Agent answer(View const& view, DeactivateAgent const& command, Decision const& decision);

/// The agent, where the caller sees it; null where not. Callers who are bound to facilities see agents of these alone,
/// and none of the organization as a whole.
events::AgentRecord const* visible_agent(View const& view, Id id, Context const& context);

}  // namespace workforce::commands
