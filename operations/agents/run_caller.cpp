// A user's rights, narrowed to a run.
#include "operations/agents/run_caller.hpp"

#include <algorithm>

#include "commands/command.hpp"
#include "operations/agents/plan_check.hpp"
#include "projections/agent_runs/agent_runs.hpp"
#include "projections/agents/agents.hpp"

namespace workforce::operations {

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> caller_of_run(Services& services,
                                                                                  commands::RunInHand const& run) {
    auto const& facts = run.run;
    auto const organization = co_await services.tenants.of(events::Kind::user, false, facts.runAsUserId);
    if (!organization) co_return core::refuse(core::Code::unauthenticated, "There is no user whom the run acts for.");
    auto const user = co_await services.agents->find({*organization, facts.runAsUserId});
    if (!user) co_return tl::unexpected(user.error());
    bool const theirs = (*user)->organization == facts.organizationId || (*user)->across_organizations;
    if (!theirs) {
        co_return core::refuse(core::Code::unauthenticated,
                               "The user whom the run acts for is of another organization.");
    }
    auto caller = std::make_shared<Caller>(**user);
    caller->credential_type = events::ActorType::agent;
    caller->credential_id = facts.agentId;
    caller->organization = facts.organizationId;
    caller->across_organizations = false;
    caller->sandbox = facts.isSandbox;
    caller->name = run.agent.name.value;
    caller->role_lacks = ~caller->permissions;
    caller->session = 0;
    caller->tier = facts.executor == events::AgentExecutor::llm ? run.agent.modelTier : events::ModelTier::advanced;
    if (auto const place = facts.facilityId.value) {
        auto const& own = (*user)->facilities;
        bool const reached = own.empty() || std::ranges::count(own, *place) > 0;
        caller->facilities = {reached ? *place : 0};  // there is no facility 0
    }
    co_return std::shared_ptr<Caller const>(std::move(caller));
}

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> caller_of_run(Services& services, Id organization,
                                                                                  bool sandbox, Id run,
                                                                                  std::string tool) {
    projections::Scope const scope{.organization = organization, .sandbox = sandbox};
    auto& database = services.database_of(scope);
    auto const found = co_await projections::agent_runs().find(database, scope, run);
    if (!found) co_return commands::not_found("run", run);
    commands::RunInHand in_hand;
    static_cast<events::AgentRun&>(in_hand.run) = core::from_stored_json<events::AgentRun>(found->doc);
    auto const agent = co_await projections::agents().find(database, scope, in_hand.run.agentId);
    if (!agent) co_return commands::not_found("agent", in_hand.run.agentId);
    static_cast<events::Agent&>(in_hand.agent) = core::from_stored_json<events::Agent>(agent->doc);
    if (!in_hand.agent.isActive || !is_allowed(in_hand.agent.allowedTools, tool)) {
        co_return core::refuse(core::Code::forbidden, "The agent may not call " + tool + ".");
    }
    co_return co_await caller_of_run(services, in_hand);
}

}  // namespace workforce::operations
