// Rules of agents (domain 1.11).
#include "commands/agent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/agent_run.hpp"
#include "commands/facility.hpp"
#include "commands/trigger.hpp"
#include "core/glob.hpp"
#include "core/utf8.hpp"

namespace workforce::commands {
namespace {

using events::AgentApprovalMode;
using events::AgentExecutor;
using events::AgentRecord;

/// An organization has so many agents at most, inactive ones included.
constexpr std::size_t kMostAgents = 500;

NewEvent agent_event(Id id, core::Nullable<Id> const& facility, events::AgentEvent event) {
    return {{events::Kind::agent, id}, facility.value.value_or(0), std::move(event)};
}

/// Whether the caller reaches agents of the facility. Callers who are bound to facilities reach agents of these alone,
/// and none of the organization as a whole (domain 3.1.6).
bool is_own(core::Nullable<Id> const& facility, Context const& context) {
    return facility.value ? context.reaches(*facility.value) : context.facilities.empty();
}

void check_tools(std::vector<core::Name> const& tools, core::FieldCheck& fields) {
    if (tools.empty() && fields.sound("allowedTools")) {
        fields.fail("allowedTools", "min_items", "must name at least one tool");
    }
}

/// The refusal of what the caller may not ask of an agent, or nothing.
std::optional<tl::unexpected<core::Problem>> fault_of_rights(std::optional<AgentExecutor> executor,
                                                             std::optional<AgentApprovalMode> mode,
                                                             AgentRights const& rights) {
    if (executor == AgentExecutor::llm && !rights.has_llm) {
        return invalid_field("executor", "configured", "can't be llm, for no provider of models is configured");
    }
    if (mode == AgentApprovalMode::trusted && !rights.trusts) {
        return refuse(Code::forbidden, "Only an internal operator has agents go on without approvals.", {},
                      "Leave approvalMode as it is, or ask an internal operator.");
    }
    return std::nullopt;
}

/// The same of the tools of an agent.
std::optional<tl::unexpected<core::Problem>> fault_of_tools(std::vector<core::Name> const& tools,
                                                            AgentRights const& rights) {
    for (auto const& name : rights.beyond) {
        bool const allowed = std::ranges::any_of(
            tools, [&](core::Name const& pattern) { return core::matches_glob(pattern.value, name); });
        if (allowed) {
            return refuse(Code::forbidden, fmt::format("The agent may call {}, which your credential may not.", name),
                          {}, "Name in allowedTools what your scopes cover, or have a person build the agent.");
        }
    }
    return std::nullopt;
}

/// Errors: DUPLICATE_RESOURCE where another agent has the name.
Result<void> require_unique(View const& view, core::Name const& name, Id own, Context const& context) {
    auto const key = core::fold_case(name.value);
    for (auto const* agent : view.by<events::AgentsOfOrganization>(context.organization)) {
        if (agent->id == own || core::fold_case(agent->name.value) != key) continue;
        return is_own(agent->facilityId, context) ? duplicate("name", agent->id) : duplicate_unseen("name");
    }
    return {};
}

}  // namespace

AgentRecord const* visible_agent(View const& view, Id id, Context const& context) {
    auto const* agent = view.get<AgentRecord>(id);
    if (!agent || agent->deleted) return nullptr;
    return is_own(agent->facilityId, context) ? agent : nullptr;
}

void CreateAgent::check(core::FieldCheck& fields) const {
    check_tools(allowedTools, fields);
    events::check_plan(plan, "plan", fields);
}

Result<Decision> decide(View const& view, CreateAgent const& command, Context const& context) {
    events::AgentCreated created{command};
    if (!created.facilityId.value && context.facilities.size() == 1) created.facilityId = context.facilities.front();
    if (created.facilityId.value) {
        if (auto found = facility_in_scope(view, *created.facilityId.value, context); !found)
            return tl::unexpected(found.error());
    } else if (!context.facilities.empty()) {
        return invalid_field("facilityId", "required", "must name one of your facilities");
    }
    if (auto fault = fault_of_rights(created.executor, created.approvalMode, command.rights)) return *fault;
    if (auto fault = fault_of_tools(created.allowedTools, command.rights)) return *fault;
    if (auto unique = require_unique(view, created.name, 0, context); !unique) return tl::unexpected(unique.error());
    if (view.by<events::AgentsOfOrganization>(context.organization).size() >= kMostAgents) {
        return refuse(Code::limit_reached,
                      fmt::format("The organization may have {} agents, and has them already.", kMostAgents),
                      fmt::format(R"({{"resource":"agent","limit":{}}})", kMostAgents));
    }
    auto const facility = created.facilityId;
    return Decision{{agent_event(context.new_ids.at(0), facility, std::move(created))}, {}};
}
events::Agent answer(View const& view, CreateAgent const&, Decision const& decision) {
    return *view.get<AgentRecord>(decision.events.at(0).subject.id);
}

void UpdateAgent::check(core::FieldCheck& fields) const {
    if (allowedTools) check_tools(*allowedTools, fields);
    if (plan) events::check_plan(*plan, "plan", fields);
}

Result<Decision> decide(View const& view, UpdateAgent const& command, Context const& context) {
    auto const* agent = visible_agent(view, command.id, context);
    if (!agent) return not_found("agent", command.id);
    if (command.facilityId && *command.facilityId != agent->facilityId) {
        return invalid_field("facilityId", "fixed", "can't change; make another agent");
    }
    events::AgentUpdated updated{command};
    bool const changed = events::keep_changed(*agent, static_cast<events::AgentChanges&>(updated));
    if (auto fault = fault_of_rights(updated.executor, updated.approvalMode, command.rights)) return *fault;
    auto const& tools = updated.allowedTools ? *updated.allowedTools : agent->allowedTools;
    if (changed) {
        if (auto fault = fault_of_tools(tools, command.rights)) return *fault;
    }
    // A caller who may trust no agent may not change what a trusted one does.
    bool const reactivates = command.isActive == true && !agent->isActive;
    if ((changed || reactivates) && agent->approvalMode == AgentApprovalMode::trusted && !updated.approvalMode &&
        !command.rights.trusts) {
        return refuse(Code::forbidden, "The agent is trusted: only an internal operator changes it.", {},
                      "Set approvalMode to default with the change, or ask an internal operator.");
    }
    bool const steers =
        updated.plan || updated.output || updated.instructions || updated.allowedTools || updated.executor;
    if (steers && !may_borrow_all(view, command.id, context, command.rights.trusts)) return refuse_run_as();
    if (updated.name) {
        if (auto unique = require_unique(view, *updated.name, agent->id, context); !unique)
            return tl::unexpected(unique.error());
    }
    Decision decision;
    if (changed) decision.events.push_back(agent_event(command.id, agent->facilityId, std::move(updated)));
    if (reactivates) {
        decision.events.push_back(agent_event(command.id, agent->facilityId, events::AgentReactivated{}));
    } else if (command.isActive == false && agent->isActive) {
        decision.events.push_back(agent_event(command.id, agent->facilityId, events::AgentDeactivated{}));
        stop_triggers(view, command.id, decision.events);
        stop_runs(view, context, command.id, decision.events);
        follow_run_ends(view, decision.events);
    }
    return decision;
}
events::Agent answer(View const& view, UpdateAgent const& command, Decision const&) {
    return *view.get<AgentRecord>(command.id);
}

Result<Decision> decide(View const& view, DeactivateAgent const& command, Context const& context) {
    auto const* agent = visible_agent(view, command.id, context);
    if (!agent) return not_found("agent", command.id);
    if (!agent->isActive) return Decision{};
    Decision decision{{agent_event(command.id, agent->facilityId, events::AgentDeactivated{})}, {}};
    stop_triggers(view, command.id, decision.events);
    stop_runs(view, context, command.id, decision.events);
    follow_run_ends(view, decision.events);
    return decision;
}
events::Agent answer(View const& view, DeactivateAgent const& command, Decision const&) {
    return *view.get<AgentRecord>(command.id);
}

}  // namespace workforce::commands
