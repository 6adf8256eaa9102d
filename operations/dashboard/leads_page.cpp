// GET /leads and /leads/{id}: who may become a customer.
#include "operations/dashboard/page_options.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_table.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kLeadsPage = "pages.leads";
constexpr std::string_view kLeadPage = "pages.lead";
constexpr std::string_view kAddLead = "pages.add_lead";
constexpr std::string_view kChangeLead = "pages.change_lead";

std::vector<std::string_view> const& lead_statuses() {
    static std::vector<std::string_view> const all{"new", "contacted", "qualified",   "proposal",
                                                   "won", "lost",      "disqualified"};
    return all;
}
std::vector<std::string_view> const& lead_sources() {
    static std::vector<std::string_view> const all{"manual", "web", "referral", "import", "agent", "api"};
    return all;
}

ListShape const& lead_list() {
    static ListShape const shape{
        .operation = "leads.list",
        .path = "/leads",
        .sort = "-createdAt",
        .filters =
            {{.name = "q", .label = "Name or company"},
             {.name = "status",
              .label = "Status",
              .kind = FieldKind::choice,
              .values = lead_statuses(),
              .blank = "any"},
             {.name = "source", .label = "Source", .kind = FieldKind::choice, .values = lead_sources(), .blank = "any"},
             {.name = "ownerUserId", .label = "Owner", .kind = FieldKind::id, .blank = "any"},
             {.name = "facilityId", .label = "Facility", .kind = FieldKind::id, .blank = "any"}},
        .table = {.caption = "Leads",
                  .none = "There are none.",
                  .columns = {{.member = "name", .header = "Name", .link = "/leads/", .noun = "Lead"},
                              {.member = "company", .header = "Company"},
                              {.member = "status", .header = "Status"},
                              {.member = "score", .header = "Score"},
                              {.member = "estimatedValue", .header = "Value"},
                              {.member = "ownerUserId", .header = "Owner", .shows = Shows::user},
                              {.member = "facilityId", .header = "Facility", .shows = Shows::facility}}}};
    return shape;
}

/// The fields of both forms.
std::vector<FormField> const& contact_inputs() {
    static std::vector<FormField> const inputs{
        {.name = "name", .label = "Name", .hint = "A lead has a name, a company or both"},
        {.name = "company", .label = "Company"},
        {.name = "email", .label = "E-mail", .kind = FieldKind::email},
        {.name = "phone", .label = "Phone"},
        {.name = "source", .label = "Source", .kind = FieldKind::choice, .values = lead_sources(), .blank = "–"},
        {.name = "facilityId",
         .label = "Facility",
         .kind = FieldKind::id,
         .nullable = true,
         .blank = "–",
         .hint = "None: the organization as a whole"},
        {.name = "ownerUserId", .label = "Who follows it up", .kind = FieldKind::id, .nullable = true, .blank = "–"},
        {.name = "score", .label = "Score, 0 to 100", .kind = FieldKind::number},
        {.name = "estimatedValue", .label = "Money that it may bring", .kind = FieldKind::number},
        {.name = "tags", .label = "Tags", .kind = FieldKind::lines, .hint = "One a line"},
        {.name = "notes", .label = "Notes", .kind = FieldKind::area}};
    return inputs;
}

std::vector<FormField> const& lead_change_inputs() {
    static std::vector<FormField> const inputs = [] {
        std::vector<FormField> all{
            {.name = "status", .label = "Status", .kind = FieldKind::choice, .values = lead_statuses()},
            {.name = "lostReason", .label = "Why it was given up", .hint = "Where it is lost or disqualified"}};
        all.insert(all.end(), contact_inputs().begin(), contact_inputs().end());
        return all;
    }();
    return inputs;
}

FormShape lead_add_form(Call const& call) {
    return {.form = kAddLead, .inputs = with_organization(call, contact_inputs())};
}
FormShape lead_change_form() { return {.form = kChangeLead, .inputs = lead_change_inputs(), .changes = true}; }

boost::asio::awaitable<InputOptions> lead_options(Call& call) {
    InputOptions options;
    options.emplace("ownerUserId", co_await user_choices(call));
    options.emplace("facilityId", co_await facility_choices(call));
    co_return options;
}

boost::asio::awaitable<void> fill_leads(Call& call, PageContent& content) {
    RowNames names(call);
    auto options = co_await lead_options(call);
    co_await add_list_page(call, content, names, lead_list(), {}, options);
    if (!may_ask(*call.caller, "leads.create")) co_return;
    options.emplace("orgUnitId", co_await organization_choices(call));
    content.add_json("add", shown_form(call, lead_add_form(call), {}, options));
}

std::vector<TableColumn> const& lead_facts() {
    static std::vector<TableColumn> const facts{
        {.member = "status", .header = "Status", .shows = Shows::words},
        {.member = "lostReason", .header = "Why it was given up"},
        {.member = "company", .header = "Company"},
        {.member = "email", .header = "E-mail"},
        {.member = "phone", .header = "Phone"},
        {.member = "source", .header = "Source", .shows = Shows::words},
        {.member = "score", .header = "Score"},
        {.member = "estimatedValue", .header = "Value"},
        {.member = "ownerUserId", .header = "Owner", .shows = Shows::user},
        {.member = "facilityId", .header = "Facility", .shows = Shows::facility},
        {.member = "tags", .header = "Tags", .shows = Shows::list},
        {.member = "qualifiedAt", .header = "Qualified"},
        {.member = "createdAt", .header = "Added"},
        {.member = "updatedAt", .header = "Changed"}};
    return facts;
}

boost::asio::awaitable<void> fill_lead(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    auto const lead = co_await content.add_subject("lead", {.operation = "leads.get", .path = path_of(id)});
    if (!lead) co_return;
    std::string const name = (*lead)["name"].GetString();
    content.set_title(name.empty() ? (*lead)["company"].GetString() : name);
    RowNames names(call);
    content.add_json("facts", co_await shown_facts(names, *lead, lead_facts()));
    content.add_rights({"leads.delete"});
    if (!may_ask(*call.caller, "leads.update")) co_return;
    auto const shape = lead_change_form();
    content.add_json("change", shown_form(call, shape, held_fields(shape, *lead), co_await lead_options(call)));
}

core::Result<Question> add_lead(Call const& call, FormFields const& fields) {
    return body_from(lead_add_form(call), fields).map([](std::string body) {
        return Question{.operation = "leads.create", .body = std::move(body)};
    });
}

core::Result<Question> change_lead(Call const& call, FormFields const& fields) {
    return body_from(lead_change_form(), fields).map([&](std::string body) {
        return Question{.operation = "leads.update", .path = call.input.path, .body = std::move(body)};
    });
}

}  // namespace

DashboardSection leads_section() {
    return {{.name = kLeadsPage,
             .path = "/leads",
             .title = "Leads",
             .summary = "Who may become a customer",
             .needs = "leads.list",
             .text = templates::dashboard_leads,
             .parameters = list_parameters(lead_list()),
             .fill = fill_leads},
            {{.name = kAddLead,
              .path = "/leads",
              .summary = "Add a lead by the form",
              .page = kLeadsPage,
              .done = "The lead is added.",
              .leads_to = kLeadPage,
              .made = "/id",
              .question = add_lead}}};
}

DashboardSection lead_section() {
    return {{.name = kLeadPage,
             .path = "/leads/{id:int}",
             .title = "Lead",
             .summary = "A lead, and how far it is",
             .needs = "leads.get",
             .in_menu = false,
             .text = templates::dashboard_lead,
             .fill = fill_lead},
            {{.name = kChangeLead,
              .path = "/leads/{id:int}",
              .summary = "Change a lead by the form",
              .page = kLeadPage,
              .done = "The lead is changed.",
              .of_version = true,
              .question = change_lead},
             {.name = "pages.delete_lead",
              .path = "/leads/{id:int}/delete",
              .summary = "Delete a lead by the form",
              .page = kLeadPage,
              .done = "The lead is deleted.",
              .leads_to = kLeadsPage,
              .operation = "leads.delete"}}};
}

}  // namespace workforce::operations
