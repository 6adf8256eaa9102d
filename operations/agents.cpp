// Agents: what they are, and how they are built.
#include "operations/agents/agents.hpp"

#include <iterator>

#include "commands/agent.hpp"
#include "commands/agent_run.hpp"
#include "operations/agents/plan_check.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/agents/agents.hpp"

namespace workforce::operations {

template <>
struct FurtherFaults<commands::CreateAgent> {
    static std::vector<core::FieldError> of(commands::CreateAgent const& agent) {
        auto faults = faults_of_tools(agent.allowedTools);
        std::ranges::move(faults_of_plan(agent.plan, "plan", &agent.allowedTools), std::back_inserter(faults));
        std::ranges::move(faults_of_output(agent.output, &agent.plan), std::back_inserter(faults));
        return faults;
    }
};

/// Of an update, what it says itself: the rest is looked at when the plan is carried out.
template <>
struct FurtherFaults<commands::UpdateAgent> {
    static std::vector<core::FieldError> of(commands::UpdateAgent const& changes) {
        std::vector<core::FieldError> faults;
        auto const* const tools = changes.allowedTools ? &*changes.allowedTools : nullptr;
        if (tools) faults = faults_of_tools(*tools);
        auto const* const plan = changes.plan ? &*changes.plan : nullptr;
        if (plan) std::ranges::move(faults_of_plan(*plan, "plan", tools), std::back_inserter(faults));
        if (changes.output) std::ranges::move(faults_of_output(*changes.output, plan), std::back_inserter(faults));
        return faults;
    }
};

/// What an agent is to be looked through as; what is absent is as the agent has it.
struct AgentDraft {
    std::optional<events::Plan> plan;
    std::optional<core::Nullable<events::RunValue>> output;
    std::optional<std::vector<core::Name>> allowedTools;

    void check(core::FieldCheck& fields) const {
        if (plan) events::check_plan(*plan, "plan", fields);
    }
};
BOOST_DESCRIBE_STRUCT(AgentDraft, (), (plan, output, allowedTools))

/// What was found wrong.
struct PlanFindings {
    bool valid = true;
    std::vector<core::FieldError> faults;
};
BOOST_DESCRIBE_STRUCT(PlanFindings, (), (valid, faults))

/// A grade of models.
struct ModelTierInfo {
    events::ModelTier tier = events::ModelTier::basic;
    std::int64_t rank = 1;
    std::vector<std::string> equivalence;
};
BOOST_DESCRIBE_STRUCT(ModelTierInfo, (), (tier, rank, equivalence))

namespace {

using boost::asio::awaitable;
using events::Kind;
using projections::agents;

commands::AgentRights rights_of(Call const& call) {
    auto const* const services = call.services.agents;
    return {.trusts = call.caller->is_operator(),
            .has_llm = services != nullptr && services->llm != nullptr,
            .beyond = tools_beyond(*call.caller)};
}

/// The command with its own faults and those that the table of tools tells.
template <class Command>
core::Result<Command> read_agent(Call& call) {
    auto command = read_command<Command>(call);
    if (!command) return command;
    command->rights = rights_of(call);
    if (auto const faults = FurtherFaults<Command>::of(*command); !faults.empty()) {
        return tl::unexpected(core::validation_problem(faults));
    }
    return command;
}

template <class Command>
awaitable<Outcome> write_agent(Call& call) {
    auto command = read_agent<Command>(call);
    std::size_t const new_ids = command ? 1 : 0;
    return submit(call, submission_of(call, std::move(command)), new_ids);
}

/// Cancels what live runs an inactive agent has left, some hundred at a time.
awaitable<void> cancel_rest(Call& call, Id agent) {
    for (bool more = true; more;) {
        auto context = command_context(call);
        auto submission =
            commands::make_submission(commands::CancelRuns{.agentId = agent, .deactivated = true}, std::move(context));
        submission.render_problem = [](core::Problem const&) { return std::string(); };
        auto const reply = co_await call.services.processor.submit(std::move(submission));
        more = reply.status < 300 && core::from_stored_json<commands::CancelledRuns>(reply.body).cancelled > 0;
    }
}

awaitable<Outcome> deactivate_agent(Call& call) {
    auto const id = call.input.path.id();
    auto outcome = co_await run_command<commands::DeactivateAgent>(call);
    if (outcome.status < 300) co_await cancel_rest(call, id);
    co_return outcome;
}

awaitable<Outcome> update_agent(Call& call) {
    auto const id = call.input.path.id();
    auto command = read_agent<commands::UpdateAgent>(call);
    bool const deactivates = command && command->isActive == false;
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), 0);
    if (deactivates && outcome.status < 300) co_await cancel_rest(call, id);
    co_return outcome;
}

/// Looks through a plan, without carrying it out.
awaitable<Outcome> validate_agent(Call& call) {
    auto const draft = read_command<AgentDraft>(call);
    if (!draft) co_return refuse(call, draft.error());
    auto const scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const id = call.input.path.id();
    auto const found = co_await agents().find(call.services.database_of(*scope), *scope, id);
    if (!found) co_return refuse(call, commands::not_found(agents().spec().noun, id).value());
    auto const agent = core::from_stored_json<events::Agent>(found->doc);
    auto const& plan = draft->plan ? *draft->plan : agent.plan;
    auto const& tools = draft->allowedTools ? *draft->allowedTools : agent.allowedTools;
    PlanFindings findings;
    findings.faults = faults_of_tools(tools);
    std::ranges::move(faults_of_plan(plan, "plan", &tools), std::back_inserter(findings.faults));
    std::ranges::move(faults_of_arguments(plan, "plan"), std::back_inserter(findings.faults));
    std::ranges::move(faults_of_output(draft->output.value_or(agent.output), &plan),
                      std::back_inserter(findings.faults));
    findings.valid = findings.faults.empty();
    Outcome outcome;
    outcome.body = core::to_json(findings);
    co_return outcome;
}

awaitable<Outcome> list_model_tiers(Call& call) {
    std::vector<ModelTierInfo> list;
    for (auto const& row : call.services.model_tiers) {
        list.push_back({row.tier, static_cast<std::int64_t>(row.tier) + 1, row.equivalence});
    }
    Outcome outcome;
    outcome.body = core::to_json(list);
    co_return outcome;
}

Operation creation() {
    auto row = command<commands::CreateAgent>("agent_builder.create", "Build an agent");
    row.handler = write_agent<commands::CreateAgent>;
    return row;
}

Operation update() {
    auto row = command<commands::UpdateAgent>("agent_builder.update", "Change an agent");
    row.handler = update_agent;
    return row;
}

Operation deactivation() {
    auto row = command<commands::DeactivateAgent>("agent_builder.deactivate", "Deactivate an agent");
    row.handler = deactivate_agent;
    return row;
}

Operation validation() {
    auto row =
        query_with<PlanFindings, TargetQuery>("agent_builder.validate", "Look through an agent's plan", validate_agent);
    row.body = &request_of<AgentDraft>;
    row.body_example = &example<AgentDraft, Side::request>;
    row.reads = {agents().spec().name};
    return row;
}

}  // namespace

std::vector<Operation> agent_operations() {
    using enum net::Method;
    return {
        list<agents>("agents.list", "List agents")
            .says("Returns a page of agents: who does work by itself, within bounds. Start one by {agent_runs.start}.")
            .needs("agents.view")
            .at(get, "/api/agents")
            .as_tool({.name = "agents_list", .headless = false}),
        one<agents>("agents.get", "Read an agent")
            .says("Returns one agent with its plan, the tools that it may call and its limits.")
            .needs("agents.view")
            .at(get, "/api/agents/{id:int}"),
        query<std::vector<ModelTierInfo>>("agents.model_tiers", "List the grades of models", list_model_tiers)
            .says("Returns the grades that tools ask of models, from the least on, with patterns of names of models "
                  "that have them.")
            .needs("agents.view")
            .at(get, "/api/agents/model-tiers"),
    };
}

std::vector<Operation> agent_builder_operations() {
    using enum net::Method;
    using enum core::Code;
    return {
        list<agents>("agent_builder.list", "List agents to build")
            .says("Returns what {agents.list} does, for those who build agents.")
            .needs("agents.manage")
            .at(get, "/api/agent-builder"),
        one<agents>("agent_builder.get", "Read an agent to build")
            .says("Returns what {agents.get} does, for those who build agents.")
            .needs("agents.manage")
            .at(get, "/api/agent-builder/{id:int}"),
        creation()
            .says("Builds an agent and returns it. allowedTools says what it may call at most; a run acts with the "
                  "rights of its user besides. A scripted agent does the steps of its plan.")
            .refuses({duplicate_resource})
            .not_by_clients()
            .needs("agents.manage")
            .audit()
            .creates(Kind::agent)
            .at(post, "/api/agent-builder"),
        update()
            .says("Changes the fields that are given; others stay, limits too. Returns the agent. Runs that were "
                  "started keep their plan and their limits; what they may call follows the agent at once. What "
                  "it does is not changed by who may not use the rights by which its triggers' runs act.")
            .refuses({duplicate_resource, run_as_forbidden})
            .not_by_clients()
            .needs("agents.manage")
            .audit()
            .on(Kind::agent)
            .at(patch, "/api/agent-builder/{id:int}")
            .also_put("agent_builder.put"),
        deactivation()
            .says("Has nothing start the agent any more, and cancels its live runs. Its history stays; isActive true "
                  "in {agent_builder.update} takes it back.")
            .needs("agents.manage")
            .audit()
            .on(Kind::agent)
            .destroys()
            .at(del, "/api/agent-builder/{id:int}"),
        validation()
            .says("Looks through the agent's plan, output and tools, or those that are sent, and returns what is "
                  "wrong, by field; also arguments that a step's tool never takes. Carries nothing out.")
            .needs("agents.manage")
            .about_named(Kind::agent, "id")
            .appends_nothing()
            .at(post, "/api/agent-builder/{id:int}/validate"),
    };
}

std::vector<StructWords> agent_words() {
    return {
        {{"agents/", "agent-builder/"}, {{"id", "The agent's id, from {agents.list}"}}},
        {{"AgentDetails", "UpdateAgent"},
         {{"facilityId",
           "Facility that its calls are limited to, from {facilities.list}; null: where its user may "
           "act. Fixed"}}},
        {{"AgentDetails", "AgentChanges"},
         {{"name", "What it is called; unique in the organization"},
          {"description", "What it is for. No personal data: it stays in the log"},
          {"executor", "Whether it does the steps of a plan (scripted), or a model decides what comes next (llm)"},
          {"plan", "Steps of runs that bring none, at most 50. No personal data: it stays in the log"},
          {"output",
           "What a run gives, with templates such as {{steps.s1.result}}; null: its last result. No personal data: it "
           "stays in the log"},
          {"instructions", "What a model is told before anything else. No personal data: it stays in the log"},
          {"modelTier", "Grade that its model counts as; of llm alone"},
          {"allowedTools", "Names of tools that it may call, with * for any text: shifts_*"},
          {"approvalMode",
           "Which of its calls wait for a person: those whose tools say so (default), all that change "
           "something (always), or those alone that always wait (trusted)"},
          {"limits", "What a run may take at most"}}},
        {{"AgentLimits", "AgentLimitsChanges"},
         {{"maxToolCalls", "Calls of tools; 50 by default"},
          {"maxSteps", "Steps of a plan, or turns of a model; 50 by default"},
          {"timeoutSeconds", "Seconds, without those in which it waits for a person; 120 by default"},
          {"maxTokens", "Tokens that a model reads and writes; 200,000 by default"}}},
        {{"AgentFlags", "UpdateAgent"},
         {{"isActive", "Whether runs of it may start; its live runs end when it is deactivated"}}},
        {{"AgentFlags"}, {{"createdBy", "User who built it; null: a key without one"}}},
        {{"AgentFilter"},
         {{"isActive", "Only active ones by default; any for all"}, {"executor", "Only those that work so"}}},
        {{"PlanStep"},
         {{"id", "What templates call it; s and its number, from 1, where there is none"},
          {"tool", "Tool that it calls"},
          {"arguments",
           "What the tool is called with. Texts may have templates: {{input.shiftId}}, "
           "{{steps.open.result.data[0].id}}, {{item}}, {{index}}, {{now.date}}, {{now.time}}, {{event}}"},
          {"when", "What has to hold, else the step is skipped"},
          {"forEach",
           "Path of an array, such as steps.open.result.data: the step is done for each item of it, at most "
           "100"},
          {"onError", "Whether the run fails where the step does (stop), or goes on (continue)"}}},
        {{"AgentDraft"},
         {{"plan", "Plan to look through; the agent's by default"},
          {"output", "Output to look through; the agent's by default"},
          {"allowedTools", "Tools that the plan may call; the agent's by default"}}},
        {{"PlanFindings"}, {{"valid", "Whether nothing is wrong"}, {"faults", "What is wrong, by field"}}},
        {{"ModelTierInfo"},
         {{"tier", "The grade"},
          {"rank", "Its place, from 1, the least"},
          {"equivalence", "Patterns of names of models that have it"}}},
        {{"AgentExecutor"}, {{"", "Who decides what a run does next"}}},
        {{"AgentApprovalMode"}, {{"", "Which calls of an agent wait for a person"}}},
        {{"OnStepError"}, {{"", "What becomes of a run whose step fails"}}},
    };
}

}  // namespace workforce::operations
