// GET /agents/guardrails and /agents/guardrails/{id}: policies that bound what tools may be called for.
#include "operations/dashboard/agent_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kGuardrailsPage = "pages.guardrails";
constexpr std::string_view kGuardrailPage = "pages.guardrail";
constexpr std::string_view kAddGuardrail = "pages.add_guardrail";
constexpr std::string_view kChangeGuardrail = "pages.change_guardrail";

ListShape const& guardrail_list() {
    static ListShape const shape{
        .operation = "guardrails.list",
        .path = "/agents/guardrails",
        .sort = "-priority",
        .filters = {{.name = "q", .label = "Name or description"},
                    {.name = "effect",
                     .label = "Effect",
                     .kind = FieldKind::choice,
                     .values = {"block", "require_approval"},
                     .blank = "any"},
                    {.name = "isEnabled",
                     .label = "Enabled",
                     .kind = FieldKind::choice,
                     .values = {"true=yes", "false=no"},
                     .blank = "any"}},
        .table = {.caption = "Guardrails, those that count first at the top",
                  .none = "There are none.",
                  .columns = {{.member = "name", .header = "Name", .link = "/agents/guardrails/", .noun = "Guardrail"},
                              {.member = "effect", .header = "Effect", .shows = Shows::words},
                              {.member = "tools", .header = "Tools", .shows = Shows::list},
                              {.member = "isEnabled", .header = "Enabled", .shows = Shows::yes_no},
                              {.member = "priority", .header = "Priority"}}}};
    return shape;
}

std::vector<FormField> const& guardrail_inputs() {
    static std::vector<FormField> const inputs{
        {.name = "name", .label = "Name", .required = true},
        {.name = "description",
         .label = "Why it is there",
         .kind = FieldKind::area,
         .hint = "No personal data: it stays in the log"},
        {.name = "effect",
         .label = "What it does with a call",
         .kind = FieldKind::choice,
         .values = {"block", "require_approval"},
         .hint = "block refuses it; require approval has it wait for a person"},
        {.name = "tools",
         .label = "Tools",
         .kind = FieldKind::lines,
         .required = true,
         .hint = "One a line, with * for any text: payroll_*"},
        {.name = "channels",
         .label = "Ways by which tools are called",
         .kind = FieldKind::ids,
         .values = {"mcp", "agent"}},
        {.name = "conditions",
         .label = "Conditions of arguments, as JSON",
         .kind = FieldKind::jsons,
         .hint = R"(All have to hold: [{"path":"arguments.rate","op":"gt","value":90}])"},
        {.name = "window",
         .label = "When it counts, as JSON",
         .kind = FieldKind::json,
         .nullable = true,
         .hint = R"(Nothing: always. {"days":[6,7],"from":"00:00","to":"23:59","timezone":"UTC"})"},
        {.name = "facilityIds", .label = "Only calls that concern these facilities", .kind = FieldKind::ids},
        {.name = "agentIds", .label = "Only calls of these agents", .kind = FieldKind::ids},
        {.name = "roles",
         .label = "Only calls for users of these roles",
         .kind = FieldKind::ids,
         .values = {"super_admin", "admin", "manager", "facility_admin", "scheduler", "payroll_manager", "sales_rep",
                    "viewer", "staff"}},
        {.name = "priority",
         .label = "Priority, -1000 to 1000",
         .kind = FieldKind::number,
         .hint = "Of two that count the higher one names itself"},
        {.name = "isEnabled", .label = "Enabled", .kind = FieldKind::flag}};
    return inputs;
}

FormShape guardrail_add_form(Call const& call) {
    return {.form = kAddGuardrail, .inputs = with_organization(call, guardrail_inputs())};
}
FormShape guardrail_change_form() { return {.form = kChangeGuardrail, .inputs = guardrail_inputs(), .changes = true}; }

boost::asio::awaitable<InputOptions> guardrail_options(Call& call, core::JsonValue const* held = nullptr) {
    InputOptions options;
    options.emplace("facilityIds", co_await facility_choices(call, held));
    options.emplace("agentIds", co_await agent_choices(call));
    options.emplace("orgUnitId", co_await organization_choices(call));
    co_return options;
}

boost::asio::awaitable<void> fill_guardrails(Call& call, PageContent& content) {
    add_agent_tabs(call, content, "/agents/guardrails");
    RowNames names(call);
    co_await add_list_page(call, content, names, guardrail_list());
    if (!may_ask(*call.caller, "guardrails.create")) co_return;
    content.add_json("add", shown_form(call, guardrail_add_form(call), {}, co_await guardrail_options(call)));
}

std::vector<TableColumn> const& guardrail_facts() {
    static std::vector<TableColumn> const facts{
        {.member = "description", .header = "Why it is there"},
        {.member = "effect", .header = "Effect", .shows = Shows::words},
        {.member = "isEnabled", .header = "Enabled", .shows = Shows::yes_no},
        {.member = "tools", .header = "Tools", .shows = Shows::list},
        {.member = "channels", .header = "Ways", .shows = Shows::list},
        {.member = "roles", .header = "Roles", .shows = Shows::list},
        {.member = "facilityIds", .header = "Facilities", .shows = Shows::facility},
        {.member = "agentIds", .header = "Agents", .shows = Shows::agent},
        {.member = "priority", .header = "Priority"},
        {.member = "createdBy", .header = "Made by", .shows = Shows::user},
        {.member = "updatedAt", .header = "Changed"}};
    return facts;
}

boost::asio::awaitable<void> fill_guardrail(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_agent_tabs(call, content, "");
    auto const found = co_await content.add_subject("guardrail", {.operation = "guardrails.get", .path = path_of(id)});
    if (!found) co_return;
    content.set_title((*found)["name"].GetString());
    RowNames names(call);
    content.add_json("facts", co_await shown_facts(names, *found, guardrail_facts()));
    content.add_rights({"guardrails.delete"});
    if (!may_ask(*call.caller, "guardrails.update")) co_return;
    auto const form = guardrail_change_form();
    auto const options = co_await guardrail_options(call, &(*found)["facilityIds"]);
    content.add_json("change", shown_form(call, form, held_fields(form, *found), options));
}

core::Result<Question> add_guardrail(Call const& call, FormFields const& fields) {
    return body_from(guardrail_add_form(call), fields).map([](std::string body) {
        return Question{.operation = "guardrails.create", .body = std::move(body)};
    });
}
core::Result<Question> change_guardrail_by_form(Call const& call, FormFields const& fields) {
    return body_from(guardrail_change_form(), fields).map([&](std::string body) {
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
             .parameters = list_parameters(guardrail_list()),
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
              .of_version = true,
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
