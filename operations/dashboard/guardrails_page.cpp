// GET /agents/guardrails and /agents/guardrails/{id}: policies that bound what tools may be called for.
#include "operations/dashboard/agent_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kGuardrailsPage = "pages.guardrails";
constexpr std::string_view kGuardrailPage = "pages.guardrail";
constexpr std::string_view kAddGuardrail = "pages.add_guardrail";
constexpr std::string_view kChangeGuardrail = "pages.change_guardrail";

ListView const& guardrail_list() {
    using Look = ListColumn::Look;
    static ListView const view{.path = "/agents/guardrails",
                               .operation = "guardrails.list",
                               .what = "Guardrails, those that count first at the top",
                               .row_path = "/agents/guardrails",
                               .noun = "Guardrail",
                               .filters = {{.name = "q", .label = "Name or description"},
                                           {.name = "effect",
                                            .label = "Effect",
                                            .look = ListFilter::Look::choice,
                                            .values = {"block", "require_approval"}},
                                           {.name = "isEnabled",
                                            .label = "Enabled",
                                            .look = ListFilter::Look::choice,
                                            .values = {"true", "false"}}},
                               .columns = {{"Name", "name"},
                                           {"Effect", "effect", Look::words},
                                           {"Tools", "tools", Look::list},
                                           {"Enabled", "isEnabled", Look::yes_no},
                                           {"Priority", "priority"}},
                               .sort = "-priority"};
    return view;
}

std::vector<FormInput> const& guardrail_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "name", .label = "Name", .required = true},
        {.member = "description",
         .label = "Why it is there",
         .kind = area,
         .hint = "No personal data: it stays in the log"},
        {.member = "effect",
         .label = "What it does with a call",
         .kind = choice,
         .required = true,
         .hint = "block refuses it; require approval has it wait for a person",
         .values = {"block", "require_approval"}},
        {.member = "tools",
         .label = "Tools",
         .kind = lines,
         .required = true,
         .hint = "One a line, with * for any text: payroll_*"},
        {.member = "channels", .label = "Ways by which tools are called", .kind = boxes, .values = {"mcp", "agent"}},
        {.member = "conditions",
         .label = "Conditions of arguments, as JSON",
         .kind = json,
         .hint = R"(All have to hold: [{"path":"arguments.rate","op":"gt","value":90}])",
         .nothing = "[]"},
        {.member = "window",
         .label = "When it counts, as JSON",
         .kind = json,
         .hint = R"(Nothing: always. {"days":[6,7],"from":"00:00","to":"23:59","timezone":"UTC"})"},
        {.member = "facilityIds", .label = "Only calls that concern these facilities", .kind = boxes},
        {.member = "agentIds", .label = "Only calls of these agents", .kind = boxes},
        {.member = "roles",
         .label = "Only calls for users of these roles",
         .kind = boxes,
         .values = {"super_admin", "admin", "manager", "facility_admin", "scheduler", "payroll_manager", "sales_rep",
                    "viewer", "staff"}},
        {.member = "priority",
         .label = "Priority, -1000 to 1000",
         .kind = number,
         .hint = "Of two that count the higher one names itself"},
        {.member = "isEnabled", .label = "Enabled", .kind = flag, .required = true}};
    return inputs;
}

boost::asio::awaitable<FormContent> guardrail_form(Call& call, std::string_view form) {
    FormContent content{.typed = sent_by(call, form)};
    content.choices.emplace("facilityIds", co_await facility_choices(call));
    content.choices.emplace("agentIds", co_await agent_choices(call));
    content.choices.emplace("orgUnitId", co_await organization_choices(call));
    co_return content;
}

boost::asio::awaitable<void> fill_guardrails(Call& call, PageContent& content) {
    add_agent_tabs(call, content, "/agents/guardrails");
    co_await add_list_view(call, content, guardrail_list());
    if (!may_ask(*call.caller, "guardrails.create")) co_return;
    auto const form = co_await guardrail_form(call, kAddGuardrail);
    content.add_json(
        "add", form_json("/agents/guardrails", "Add the guardrail", with_organization(call, guardrail_inputs()), form));
    content.add_json("sent", form.typed ? "true" : "false");
}

std::vector<ListColumn> const& guardrail_facts() {
    using Look = ListColumn::Look;
    static std::vector<ListColumn> const facts{{"Why it is there", "description"},
                                               {"Effect", "effect", Look::words},
                                               {"Enabled", "isEnabled", Look::yes_no},
                                               {"Tools", "tools", Look::list},
                                               {"Ways", "channels", Look::list},
                                               {"Roles", "roles", Look::list},
                                               {"Facilities", "facilityIds", Look::facility},
                                               {"Agents", "agentIds", Look::agent},
                                               {"Priority", "priority"},
                                               {"Made by", "createdBy", Look::user},
                                               {"Changed", "updatedAt"}};
    return facts;
}

boost::asio::awaitable<void> fill_guardrail(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_agent_tabs(call, content, "");
    auto const found = co_await content.add_subject("guardrail", {.operation = "guardrails.get", .path = path_of(id)});
    if (!found) co_return;
    content.set_title((*found)["name"].GetString());
    RowNames names(call);
    content.add_json("facts", co_await facts_json(names, *found, guardrail_facts()));
    content.add_rights({"guardrails.delete"});
    if (!may_ask(*call.caller, "guardrails.update")) co_return;
    auto form = co_await guardrail_form(call, kChangeGuardrail);
    form.record = &*found;
    content.add_json("change", form_json(fmt::format("/agents/guardrails/{}", id), "Save", guardrail_inputs(), form));
}

core::Result<Question> add_guardrail(Call const& call, FormFields const& fields) {
    return body_of(with_organization(call, guardrail_inputs()), fields, Emptied::left_out).map([](std::string body) {
        return Question{.operation = "guardrails.create", .body = std::move(body)};
    });
}
core::Result<Question> change_guardrail_by_form(Call const& call, FormFields const& fields) {
    return body_of(guardrail_inputs(), fields, Emptied::cleared).map([&](std::string body) {
        return Question{.operation = "guardrails.update", .path = call.input.path, .body = std::move(body)};
    });
}

}  // namespace

DashboardSection guardrails_section() {
    return {{.name = kGuardrailsPage,
             .path = "/agents/guardrails",
             .title = "Guardrails",
             .summary = "What bounds calls of tools",
             .needs = "guardrails.list",
             .in_menu = false,
             .text = templates::dashboard_guardrails,
             .parameters = parameters_of(guardrail_list()),
             .fill = fill_guardrails},
            {{.name = kAddGuardrail,
              .path = "/agents/guardrails",
              .summary = "Add a guardrail by the form",
              .page = kGuardrailsPage,
              .done = "The guardrail is added, and binds calls within a second.",
              .leads_to = kGuardrailPage,
              .made = "/id",
              .question = add_guardrail}}};
}

DashboardSection guardrail_section() {
    return {{.name = kGuardrailPage,
             .path = "/agents/guardrails/{id:int}",
             .title = "Guardrail",
             .summary = "A policy that bounds calls of tools",
             .needs = "guardrails.get",
             .in_menu = false,
             .text = templates::dashboard_guardrail,
             .fill = fill_guardrail},
            {{.name = kChangeGuardrail,
              .path = "/agents/guardrails/{id:int}",
              .summary = "Change a guardrail by the form",
              .page = kGuardrailPage,
              .done = "The guardrail is changed.",
              .question = change_guardrail_by_form},
             {.name = "pages.delete_guardrail",
              .path = "/agents/guardrails/{id:int}/delete",
              .summary = "Delete a guardrail by the form",
              .page = kGuardrailPage,
              .done = "The guardrail is deleted.",
              .leads_to = kGuardrailsPage,
              .operation = "guardrails.delete"}}};
}

}  // namespace workforce::operations
