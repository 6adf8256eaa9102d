// GET /agents: who does work by itself, and the form that builds another.
#include "core/json_values.hpp"
#include "operations/dashboard/agent_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kAgentsPage = "pages.agents";
constexpr std::string_view kBuildAgent = "pages.build_agent";

ListShape const& agent_list() {
    static ListShape const shape{
        .operation = "agents.list",
        .path = "/agents",
        .sort = "name",
        .filters = {{.name = "q", .label = "Name or description"},
                    {.name = "isActive",
                     .label = "Active",
                     .kind = FieldKind::choice,
                     .values = {"false=no", "any"},
                     .blank = "yes"},
                    {.name = "executor",
                     .label = "Works by",
                     .kind = FieldKind::choice,
                     .values = {"scripted", "llm"},
                     .blank = "any"}},
        .table = {.caption = "Agents",
                  .none = "There are none.",
                  .columns = {{.member = "name", .header = "Name", .link = "/agents/", .noun = "Agent"},
                              {.member = "description", .header = "Description"},
                              {.member = "executor", .header = "Works by", .shows = Shows::words},
                              {.member = "isActive", .header = "Active", .shows = Shows::yes_no},
                              {.member = "facilityId", .header = "Facility", .shows = Shows::facility}}}};
    return shape;
}

std::vector<FormField> const& build_inputs() {
    static std::vector<FormField> const inputs{
        {.name = "name", .label = "Name", .required = true},
        {.name = "description", .label = "What it is for", .hint = "No personal data: it stays in the log"},
        {.name = "facilityId",
         .label = "Facility that its calls are limited to",
         .kind = FieldKind::id,
         .nullable = true,
         .blank = "–"},
        {.name = "executor",
         .label = "Works by",
         .kind = FieldKind::choice,
         .values = {"scripted", "llm"},
         .hint = "scripted: the steps of a plan; llm: a model decides"},
        {.name = "allowedTools",
         .label = "Tools that it may call",
         .kind = FieldKind::lines,
         .required = true,
         .hint = "One a line, with * for any text: shifts_*"}};
    return inputs;
}

FormShape agent_build_form(Call const& call) {
    return {.form = kBuildAgent, .inputs = with_organization(call, build_inputs())};
}

boost::asio::awaitable<void> fill_agents(Call& call, PageContent& content) {
    add_agent_tabs(call, content, "/agents");
    RowNames names(call);
    co_await add_list_page(call, content, names, agent_list());
    if (!may_ask(*call.caller, "agent_builder.create")) co_return;
    InputOptions options;
    options.emplace("facilityId", co_await facility_choices(call));
    options.emplace("orgUnitId", co_await organization_choices(call));
    content.add_json("build", shown_form(call, agent_build_form(call), {}, options));
}

core::Result<Question> build_agent(Call const& call, FormFields const& fields) {
    return body_from(agent_build_form(call), fields).map([](std::string body) {
        return Question{.operation = "agent_builder.create", .body = std::move(body)};
    });
}

}  // namespace

void add_agent_tabs(Call const& page, PageContent& content, std::string_view current) {
    static constexpr std::array kTabs{Tab{"/agents", "Agents", "agents.list"},
                                      Tab{"/agents/runs", "Runs", "agent_runs.list"},
                                      Tab{"/agents/guardrails", "Guardrails", "guardrails.list"}};
    add_tabs(page, content, kTabs, current);
}

DashboardSection agents_section() {
    return {{.name = kAgentsPage,
             .path = "/agents",
             .title = "Agents",
             .summary = "Who does work by itself",
             .needs = "agents.list",
             .text = templates::dashboard_agents,
             .parameters = list_parameters(agent_list()),
             .fill = fill_agents},
            {{.name = kBuildAgent,
              .path = "/agents",
              .summary = "Build an agent by the form",
              .page = kAgentsPage,
              .done = "The agent is built. Give it a plan.",
              .leads_to = kAgentPage,
              .made = "/id",
              .question = build_agent}}};
}

}  // namespace workforce::operations
