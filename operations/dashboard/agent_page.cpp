// GET /agents/{id}: an agent with its plan, its runs, and what starts them.
#include "core/json_values.hpp"
#include "operations/dashboard/agent_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kChangeAgent = "pages.change_agent";
constexpr std::string_view kSavePlan = "pages.save_plan";
constexpr std::string_view kCheckPlan = "pages.check_plan";
constexpr std::string_view kStartRun = "pages.start_run";
constexpr std::int64_t kWaitSeconds = 2;  // for a run that is quick

std::vector<FormInput> const& agent_change_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "name", .label = "Name", .required = true},
        {.member = "description",
         .label = "What it is for",
         .kind = area,
         .hint = "No personal data: it stays in the log"},
        {.member = "executor", .label = "Works by", .kind = choice, .required = true, .values = {"scripted", "llm"}},
        {.member = "allowedTools",
         .label = "Tools that it may call",
         .kind = lines,
         .required = true,
         .hint = "One a line, with * for any text: shifts_*"},
        {.member = "approvalMode",
         .label = "Calls that wait for a person",
         .kind = choice,
         .required = true,
         .hint = "default: those whose tools say so; always: all that change something",
         .values = {"default", "always", "trusted"}},
        {.member = "modelTier",
         .label = "Grade of its model",
         .kind = choice,
         .required = true,
         .values = {"basic", "standard", "advanced"}},
        {.member = "instructions", .label = "What a model is told first", .kind = area},
        {.member = "limits/maxToolCalls", .label = "Calls of tools at most", .kind = number},
        {.member = "limits/maxSteps", .label = "Steps or turns at most", .kind = number},
        {.member = "limits/timeoutSeconds", .label = "Seconds at most, without those of waiting", .kind = number},
        {.member = "limits/maxTokens", .label = "Tokens at most", .kind = number}};
    return inputs;
}

std::vector<FormInput> const& plan_inputs() {
    static std::vector<FormInput> const inputs{
        {.member = "plan",
         .label = "Steps, as JSON",
         .kind = InputKind::json,
         .hint = "Each has a tool and arguments, which may have templates such as {{input.shiftId}}"}};
    return inputs;
}

std::vector<FormInput> const& run_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "input", .label = "Input, as JSON", .kind = json, .hint = "An object; nothing: an empty one"},
        {.member = "facilityId", .label = "Facility that its calls are limited to", .kind = id}};
    return inputs;
}

std::vector<ListColumn> const& agent_facts() {
    using Look = ListColumn::Look;
    static std::vector<ListColumn> const facts{
        {"What it is for", "description"},     {"Active", "isActive", Look::yes_no},
        {"Works by", "executor", Look::words}, {"Facility", "facilityId", Look::facility},
        {"Tools", "allowedTools", Look::list}, {"Calls that wait for a person", "approvalMode", Look::words},
        {"Built by", "createdBy", Look::user}, {"Changed", "updatedAt"}};
    return facts;
}

/// Adds the forms that change the agent, for who may.
void add_forms(Call const& call, PageContent& content, core::JsonValue const& agent) {
    auto const id = call.input.path.id();
    FormContent plan{.record = &agent, .typed = sent_by(call, kSavePlan), .prefix = "plan"};
    if (!plan.typed) plan.typed = sent_by(call, kCheckPlan);
    plan.check_action = fmt::format("/agents/{}/plan/validate", id);
    plan.check_button = "Validate";
    content.add_json("edit_plan", form_json(fmt::format("/agents/{}/plan", id), "Save the plan", plan_inputs(), plan));
    FormContent const change{.record = &agent, .typed = sent_by(call, kChangeAgent), .prefix = "agent"};
    content.add_json("change", form_json(fmt::format("/agents/{}", id), "Save", agent_change_inputs(), change));
    content.add_json("changing", change.typed ? "true" : "false");
}

/// What a step does not say is not shown.
void leave_out_nulls(core::JsonValue& step) {
    for (auto member = step.MemberBegin(); member != step.MemberEnd();) {
        member = member->value.IsNull() ? step.EraseMember(member) : std::next(member);
    }
}

boost::asio::awaitable<void> fill_agent(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_agent_tabs(call, content, "");
    auto agent = co_await content.add_subject("agent", {.operation = "agents.get", .path = path_of(id)});
    if (!agent) co_return;
    for (auto& step : (*agent)["plan"].GetArray()) leave_out_nulls(step);
    content.set_title((*agent)["name"].GetString());
    RowNames names(call);
    content.add_json("facts", co_await facts_json(names, *agent, agent_facts()));
    content.add_text("plan_text", indented_json((*agent)["plan"]));
    bool const active = (*agent)["isActive"].IsTrue();
    if (may_ask(*call.caller, "agent_builder.update")) add_forms(call, content, *agent);
    content.add_rights({"agent_builder.deactivate"});
    if (active && may_ask(*call.caller, "agent_runs.start")) {
        FormContent form{.typed = sent_by(call, kStartRun), .prefix = "run"};
        form.choices.emplace("facilityId", co_await facility_choices(call));
        content.add_json("start", form_json(fmt::format("/agents/{}/runs", id), "Start a run", run_inputs(), form));
        content.add_json("starting", form.typed ? "true" : "false");
    }
    co_await names.add_list(content, "runs",
                            {.operation = "agent_runs.list_of_agent",
                             .path = path_of(id),
                             .parameters = {{"sort", "-createdAt"}, {"limit", "10"}}},
                            {{"runAsUserId", NamedMember::What::user, "run_as"}});
    co_await add_triggers(call, content, active);
}

core::Result<Question> change_agent(Call const& call, FormFields const& fields) {
    return body_of(agent_change_inputs(), fields, Emptied::cleared).map([&](std::string body) {
        return Question{.operation = "agent_builder.update", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> save_plan(Call const& call, FormFields const& fields) {
    return body_of(plan_inputs(), fields, Emptied::left_out).map([&](std::string body) {
        return Question{.operation = "agent_builder.update", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> check_plan_of(Call const& call, FormFields const& fields) {
    return body_of(plan_inputs(), fields, Emptied::left_out).map([&](std::string body) {
        return Question{.operation = "agent_builder.validate", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> reactivate_agent(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "agent_builder.update", .path = call.input.path, .body = R"({"isActive":true})"};
}
core::Result<Question> start_run_of(Call const& call, FormFields const& fields) {
    return body_of(run_inputs(), fields, Emptied::left_out).map([&](std::string const& text) {
        auto body = core::parse_json(text);
        body->AddMember("wait", kWaitSeconds, body->GetAllocator());
        return Question{.operation = "agent_runs.start", .path = call.input.path, .body = core::json_of(*body)};
    });
}

std::vector<DashboardForm> agent_forms() {
    return {{.name = kChangeAgent,
             .path = "/agents/{id:int}",
             .summary = "Change an agent by the form",
             .page = kAgentPage,
             .done = "The agent is changed.",
             .question = change_agent},
            {.name = kSavePlan,
             .path = "/agents/{id:int}/plan",
             .summary = "Save an agent's plan by the form",
             .page = kAgentPage,
             .done = "The plan is saved.",
             .question = save_plan},
            {.name = kCheckPlan,
             .path = "/agents/{id:int}/plan/validate",
             .summary = "Look through an agent's plan by the form",
             .page = kAgentPage,
             .done = "The plan was looked through, and nothing was saved.",
             .shows_answer = true,
             .question = check_plan_of},
            {.name = kStartRun,
             .path = "/agents/{id:int}/runs",
             .summary = "Start a run of an agent by the form",
             .page = kAgentPage,
             .done = "The run is started.",
             .leads_to = kRunPage,
             .made = "/id",
             .question = start_run_of},
            {.name = "pages.deactivate_agent",
             .path = "/agents/{id:int}/deactivate",
             .summary = "Deactivate an agent by the form",
             .page = kAgentPage,
             .done = "Nothing starts the agent any more.",
             .operation = "agent_builder.deactivate"},
            {.name = "pages.reactivate_agent",
             .path = "/agents/{id:int}/reactivate",
             .summary = "Reactivate an agent by the form",
             .page = kAgentPage,
             .done = "The agent can be started again.",
             .question = reactivate_agent}};
}

}  // namespace

DashboardSection agent_section() {
    DashboardSection section{{.name = kAgentPage,
                              .path = "/agents/{id:int}",
                              .title = "Agent",
                              .summary = "An agent with its plan and its triggers",
                              .needs = "agents.get",
                              .in_menu = false,
                              .text = templates::dashboard_agent,
                              .fill = fill_agent},
                             agent_forms()};
    std::ranges::move(trigger_forms(), std::back_inserter(section.forms));
    return section;
}

}  // namespace workforce::operations
