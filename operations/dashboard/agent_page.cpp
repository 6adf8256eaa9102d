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

FormShape agent_change_form() {
    return {
        .form = kChangeAgent,
        .inputs = {{.name = "name", .label = "Name", .required = true},
                   {.name = "description",
                    .label = "What it is for",
                    .kind = FieldKind::area,
                    .hint = "No personal data: it stays in the log"},
                   {.name = "executor", .label = "Works by", .kind = FieldKind::choice, .values = {"scripted", "llm"}},
                   {.name = "allowedTools",
                    .label = "Tools that it may call",
                    .kind = FieldKind::lines,
                    .required = true,
                    .hint = "One a line, with * for any text: shifts_*"},
                   {.name = "approvalMode",
                    .label = "Calls that wait for a person",
                    .kind = FieldKind::choice,
                    .values = {"default", "always", "trusted"},
                    .hint = "default: those whose tools say so; always: all that change something"},
                   {.name = "modelTier",
                    .label = "Grade of its model",
                    .kind = FieldKind::choice,
                    .values = {"basic", "standard", "advanced"}},
                   {.name = "instructions", .label = "What a model is told first", .kind = FieldKind::area},
                   {.name = "limits.maxToolCalls", .label = "Calls of tools at most", .kind = FieldKind::number},
                   {.name = "limits.maxSteps", .label = "Steps or turns at most", .kind = FieldKind::number},
                   {.name = "limits.timeoutSeconds",
                    .label = "Seconds at most, without those of waiting",
                    .kind = FieldKind::number},
                   {.name = "limits.maxTokens", .label = "Tokens at most", .kind = FieldKind::number}},
        .changes = true};
}

FormShape agent_plan_form(std::string_view form) {
    return {.form = form,
            .inputs = {{.name = "plan",
                        .label = "Steps, as JSON",
                        .kind = FieldKind::json,
                        .nullable = true,
                        .hint = "Each has a tool and arguments, which may have templates such as {{input.shiftId}}"}}};
}

FormShape run_start_form() {
    return {.form = kStartRun,
            .inputs = {{.name = "input",
                        .label = "Input, as JSON",
                        .kind = FieldKind::json,
                        .nullable = true,
                        .hint = "An object; nothing: an empty one"},
                       {.name = "facilityId",
                        .label = "Facility that its calls are limited to",
                        .kind = FieldKind::id,
                        .nullable = true,
                        .blank = "–"}}};
}

std::vector<TableColumn> const& agent_facts() {
    static std::vector<TableColumn> const facts{
        {.member = "description", .header = "What it is for"},
        {.member = "isActive", .header = "Active", .shows = Shows::yes_no},
        {.member = "executor", .header = "Works by", .shows = Shows::words},
        {.member = "facilityId", .header = "Facility", .shows = Shows::facility},
        {.member = "allowedTools", .header = "Tools", .shows = Shows::list},
        {.member = "approvalMode", .header = "Calls that wait for a person", .shows = Shows::words},
        {.member = "createdBy", .header = "Built by", .shows = Shows::user},
        {.member = "updatedAt", .header = "Changed"}};
    return facts;
}

/// Adds the forms that change the agent, for who may.
void add_forms(Call const& call, PageContent& content, core::JsonValue const& agent) {
    auto const plan = agent_plan_form(call.operation.name == kCheckPlan ? kCheckPlan : kSavePlan);
    content.add_json("edit_plan", shown_form(call, plan, held_fields(plan, agent)));
    auto const change = agent_change_form();
    content.add_json("change", shown_form(call, change, held_fields(change, agent)));
}

/// Leaves out members that a step does not say.
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
    content.add_json("facts", co_await shown_facts(names, *agent, agent_facts()));
    content.add_text("plan_text", indented_json((*agent)["plan"]));
    bool const active = (*agent)["isActive"].IsTrue();
    if (may_ask(*call.caller, "agent_builder.update")) add_forms(call, content, *agent);
    content.add_rights({"agent_builder.deactivate"});
    if (active && may_ask(*call.caller, "agent_runs.start")) {
        InputOptions options;
        options.emplace("facilityId", co_await facility_choices(call));
        content.add_json("start", shown_form(call, run_start_form(), {}, options));
    }
    co_await names.add_list(content, "runs",
                            {.operation = "agent_runs.list_of_agent",
                             .path = path_of(id),
                             .parameters = {{"sort", "-createdAt"}, {"limit", "10"}}},
                            {{"runAsUserId", NamedMember::What::user, "run_as"}});
    co_await add_triggers(call, content, active);
}

core::Result<Question> change_agent(Call const& call, FormFields const& fields) {
    return body_from(agent_change_form(), fields).map([&](std::string body) {
        return Question{.operation = "agent_builder.update", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> save_plan(Call const& call, FormFields const& fields) {
    return body_from(agent_plan_form(kSavePlan), fields).map([&](std::string body) {
        return Question{.operation = "agent_builder.update", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> check_plan_of(Call const& call, FormFields const& fields) {
    return body_from(agent_plan_form(kCheckPlan), fields).map([&](std::string body) {
        return Question{.operation = "agent_builder.validate", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> reactivate_agent(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "agent_builder.update", .path = call.input.path, .body = R"({"isActive":true})"};
}
core::Result<Question> start_run_of(Call const& call, FormFields const& fields) {
    return body_from(run_start_form(), fields).map([&](std::string const& text) {
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
             .of_version = true,
             .question = change_agent},
            {.name = kSavePlan,
             .path = "/agents/{id:int}/plan",
             .summary = "Save an agent's plan by the form",
             .page = kAgentPage,
             .done = "The plan is saved.",
             .of_version = true,
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
