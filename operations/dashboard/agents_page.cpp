// GET /agents: who does work by itself, and the form that builds another.
#include "core/json_values.hpp"
#include "operations/dashboard/agent_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kAgentsPage = "pages.agents";
constexpr std::string_view kBuildAgent = "pages.build_agent";

ListView const& agent_list() {
    using Look = ListColumn::Look;
    static ListView const view{.path = "/agents",
                               .operation = "agents.list",
                               .what = "Agents",
                               .row_path = "/agents",
                               .noun = "Agent",
                               .filters = {{.name = "q", .label = "Name or description"},
                                           {.name = "isActive",
                                            .label = "Active",
                                            .look = ListFilter::Look::choice,
                                            .values = {"false", "any"},
                                            .unset = "yes"},
                                           {.name = "executor",
                                            .label = "Works by",
                                            .look = ListFilter::Look::choice,
                                            .values = {"scripted", "llm"}}},
                               .columns = {{"Name", "name"},
                                           {"Description", "description"},
                                           {"Works by", "executor", Look::words},
                                           {"Active", "isActive", Look::yes_no},
                                           {"Facility", "facilityId", Look::facility}},
                               .sort = "name"};
    return view;
}

std::vector<FormInput> const& build_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "name", .label = "Name", .required = true, .longest = 100},
        {.member = "description", .label = "What it is for", .hint = "No personal data: it stays in the log"},
        {.member = "facilityId", .label = "Facility that its calls are limited to", .kind = id},
        {.member = "executor",
         .label = "Works by",
         .kind = choice,
         .required = true,
         .hint = "scripted: the steps of a plan; llm: a model decides",
         .values = {"scripted", "llm"}},
        {.member = "allowedTools",
         .label = "Tools that it may call",
         .kind = lines,
         .required = true,
         .hint = "One a line, with * for any text: shifts_*"}};
    return inputs;
}

boost::asio::awaitable<void> fill_agents(Call& call, PageContent& content) {
    add_agent_tabs(call, content, "/agents");
    co_await add_list_view(call, content, agent_list());
    if (!may_ask(*call.caller, "agent_builder.create")) co_return;
    FormContent form{.typed = sent_by(call, kBuildAgent)};
    form.choices.emplace("facilityId", co_await facility_choices(call));
    form.choices.emplace("orgUnitId", co_await organization_choices(call));
    content.add_json("build", form_json("/agents", "Build the agent", with_organization(call, build_inputs()), form));
    content.add_json("sent", form.typed ? "true" : "false");
}

core::Result<Question> build_agent(Call const& call, FormFields const& fields) {
    return body_of(with_organization(call, build_inputs()), fields, Emptied::left_out).map([](std::string body) {
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

boost::asio::awaitable<InputChoices> agent_choices(Call& page) {
    InputChoices choices;
    auto const outcome = co_await ask(
        page, {.operation = "agents.list", .parameters = {{"isActive", "any"}, {"sort", "name"}, {"limit", "200"}}});
    if (outcome.status >= 300) co_return choices;
    auto const document = core::parse_json(outcome.body);
    for (auto const& row : (*document)["data"].GetArray()) {
        choices.push_back({std::to_string(row["id"].GetInt64()), row["name"].GetString()});
    }
    co_return choices;
}

DashboardSection agents_section() {
    return {{.name = kAgentsPage,
             .path = "/agents",
             .title = "Agents",
             .summary = "Who does work by itself",
             .needs = "agents.list",
             .text = templates::dashboard_agents,
             .parameters = parameters_of(agent_list()),
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
