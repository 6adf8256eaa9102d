// GET /leads and /leads/{id}: who may become a customer.
#include "operations/dashboard/list_view.hpp"
#include "operations/dashboard/pages.hpp"
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

ListView const& lead_list() {
    using Look = ListColumn::Look;
    static ListView const view{
        .path = "/leads",
        .operation = "leads.list",
        .what = "Leads",
        .row_path = "/leads",
        .noun = "Lead",
        .filters = {{.name = "q", .label = "Name or company"},
                    {.name = "status", .label = "Status", .look = ListFilter::Look::choice, .values = lead_statuses()},
                    {.name = "source", .label = "Source", .look = ListFilter::Look::choice, .values = lead_sources()},
                    {.name = "ownerUserId", .label = "Owner", .look = ListFilter::Look::choice},
                    {.name = "facilityId", .label = "Facility", .look = ListFilter::Look::choice}},
        .columns = {{"Name", "name"},
                    {"Company", "company"},
                    {"Status", "status"},
                    {"Score", "score"},
                    {"Value", "estimatedValue"},
                    {"Owner", "ownerUserId", Look::user},
                    {"Facility", "facilityId", Look::facility}},
        .sort = "-createdAt"};
    return view;
}

/// What both forms have.
std::vector<FormInput> const& contact_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "name", .label = "Name", .hint = "A lead has a name, a company or both"},
        {.member = "company", .label = "Company"},
        {.member = "email", .label = "E-mail", .longest = 254},
        {.member = "phone", .label = "Phone"},
        {.member = "source", .label = "Source", .kind = choice, .values = lead_sources()},
        {.member = "facilityId", .label = "Facility", .kind = id, .hint = "None: the organization as a whole"},
        {.member = "ownerUserId", .label = "Who follows it up", .kind = id},
        {.member = "score", .label = "Score, 0 to 100", .kind = number},
        {.member = "estimatedValue", .label = "Money that it may bring", .kind = number},
        {.member = "tags", .label = "Tags", .kind = lines, .hint = "One a line"},
        {.member = "notes", .label = "Notes", .kind = area}};
    return inputs;
}

std::vector<FormInput> const& lead_change_inputs() {
    static std::vector<FormInput> const inputs = [] {
        std::vector<FormInput> all{
            {.member = "status",
             .label = "Status",
             .kind = InputKind::choice,
             .required = true,
             .values = lead_statuses()},
            {.member = "lostReason", .label = "Why it was given up", .hint = "Where it is lost or disqualified"}};
        all.insert(all.end(), contact_inputs().begin(), contact_inputs().end());
        return all;
    }();
    return inputs;
}

boost::asio::awaitable<void> fill_leads(Call& call, PageContent& content) {
    auto const users = co_await user_choices(call);
    auto const facilities = co_await facility_choices(call);
    co_await add_list_view(call, content, lead_list(), {{"ownerUserId", users}, {"facilityId", facilities}});
    if (!may_ask(*call.caller, "leads.create")) co_return;
    FormContent form{.choices = {{"ownerUserId", users}, {"facilityId", facilities}}, .typed = sent_by(call, kAddLead)};
    form.choices.emplace("orgUnitId", co_await organization_choices(call));
    content.add_json("add", form_json("/leads", "Add the lead", with_organization(call, contact_inputs()), form));
    content.add_json("sent", form.typed ? "true" : "false");
}

std::vector<ListColumn> const& lead_facts() {
    using Look = ListColumn::Look;
    static std::vector<ListColumn> const facts{{"Status", "status", Look::words},
                                               {"Why it was given up", "lostReason"},
                                               {"Company", "company"},
                                               {"E-mail", "email"},
                                               {"Phone", "phone"},
                                               {"Source", "source", Look::words},
                                               {"Score", "score"},
                                               {"Value", "estimatedValue"},
                                               {"Owner", "ownerUserId", Look::user},
                                               {"Facility", "facilityId", Look::facility},
                                               {"Tags", "tags", Look::list},
                                               {"Qualified", "qualifiedAt"},
                                               {"Added", "createdAt"},
                                               {"Changed", "updatedAt"}};
    return facts;
}

boost::asio::awaitable<void> fill_lead(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    auto const lead = co_await content.add_subject("lead", {.operation = "leads.get", .path = path_of(id)});
    if (!lead) co_return;
    std::string const name = (*lead)["name"].GetString();
    content.set_title(name.empty() ? (*lead)["company"].GetString() : name);
    RowNames names(call);
    content.add_json("facts", co_await facts_json(names, *lead, lead_facts()));
    content.add_rights({"leads.delete"});
    if (!may_ask(*call.caller, "leads.update")) co_return;
    FormContent form{.record = &*lead, .typed = sent_by(call, kChangeLead)};
    form.choices.emplace("ownerUserId", co_await user_choices(call));
    form.choices.emplace("facilityId", co_await facility_choices(call));
    content.add_json("change", form_json(fmt::format("/leads/{}", id), "Save", lead_change_inputs(), form));
}

core::Result<Question> add_lead(Call const& call, FormFields const& fields) {
    return body_of(with_organization(call, contact_inputs()), fields, Emptied::left_out).map([](std::string body) {
        return Question{.operation = "leads.create", .body = std::move(body)};
    });
}

core::Result<Question> change_lead(Call const& call, FormFields const& fields) {
    return body_of(lead_change_inputs(), fields, Emptied::cleared).map([&](std::string body) {
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
             .parameters = parameters_of(lead_list()),
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
