// GET /admin, /admin/audit and /admin/billing: organizations, who did what, and what is billed.
#include "operations/dashboard/admin_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kAdminPage = "pages.admin";
constexpr std::string_view kOrganizationPage = "pages.organization";
constexpr std::string_view kAddOrganization = "pages.add_organization";
constexpr std::string_view kChangeOrganization = "pages.change_organization";

ListShape const& organization_list() {
    static ListShape const shape{
        .operation = "organizations.list",
        .path = "/admin",
        .sort = "name",
        .filters = {{.name = "q", .label = "Name"},
                    {.name = "isActive",
                     .label = "Active",
                     .kind = FieldKind::choice,
                     .values = {"false=no", "any"},
                     .blank = "yes"}},
        .table = {
            .caption = "Organizations",
            .none = "There are none.",
            .columns = {{.member = "name", .header = "Name", .link = "/admin/organizations/", .noun = "Organization"},
                        {.member = "type", .header = "Type", .shows = Shows::words},
                        {.member = "industry", .header = "Industry"},
                        {.member = "timezone", .header = "Time zone"},
                        {.member = "isActive", .header = "Active", .shows = Shows::yes_no}}}};
    return shape;
}

std::vector<FormField> const& organization_inputs() {
    static std::vector<FormField> const inputs{
        {.name = "name", .label = "Name", .required = true},
        {.name = "industry", .label = "Industry"},
        {.name = "timezone", .label = "Time zone", .hint = "Such as Europe/Berlin"},
        {.name = "currency", .label = "Currency", .hint = "Such as EUR"}};
    return inputs;
}

std::vector<FormField> const& organization_change_inputs() {
    static std::vector<FormField> const inputs = [] {
        auto all = organization_inputs();
        std::vector<FormField> const settings{
            {.name = "settings.approvalTtlHours",
             .label = "Hours until an approval expires",
             .kind = FieldKind::number},
            {.name = "settings.overtimeWeeklyMinutes",
             .label = "Minutes a week until overtime",
             .kind = FieldKind::number},
            {.name = "settings.overtimeMultiplier", .label = "Pay in overtime, times", .kind = FieldKind::number},
            {.name = "settings.minRestMinutes", .label = "Minutes of rest between shifts", .kind = FieldKind::number},
            {.name = "settings.forbidSameCredentialApproval",
             .label = "Who asked may not approve by the same credential",
             .kind = FieldKind::flag},
            {.name = "settings.triggerFailureLimit",
             .label = "Failures that disable a trigger",
             .kind = FieldKind::number},
            {.name = "settings.usageRetentionDays", .label = "Days that usage is kept", .kind = FieldKind::number}};
        all.insert(all.end(), settings.begin(), settings.end());
        return all;
    }();
    return inputs;
}

/// For operators alone.
FormField billing_input() {
    return {.name = "billingCustomerRef", .label = "Billed as", .nullable = true, .hint = "Nothing: nobody"};
}

FormShape organization_add_form() { return {.form = kAddOrganization, .inputs = organization_inputs()}; }
FormShape organization_change_form(Call const& call) {
    FormShape form{.form = kChangeOrganization, .inputs = organization_change_inputs(), .changes = true};
    if (call.caller->across_organizations) form.inputs.push_back(billing_input());
    return form;
}

boost::asio::awaitable<void> fill_admin(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin");
    RowNames names(call);
    co_await add_list_page(call, content, names, organization_list());
    if (!call.caller->across_organizations || !may_ask(*call.caller, "organizations.create")) co_return;
    content.add_json("add", shown_form(call, organization_add_form(), {}));
}

std::vector<TableColumn> const& organization_facts() {
    static std::vector<TableColumn> const facts{{.member = "type", .header = "Type", .shows = Shows::words},
                                                {.member = "industry", .header = "Industry"},
                                                {.member = "timezone", .header = "Time zone"},
                                                {.member = "currency", .header = "Currency"},
                                                {.member = "isActive", .header = "Active", .shows = Shows::yes_no},
                                                {.member = "billingCustomerRef", .header = "Billed as"},
                                                {.member = "createdAt", .header = "Made"}};
    return facts;
}

boost::asio::awaitable<void> fill_organization(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_admin_tabs(call, content, "");
    auto const found =
        co_await content.add_subject("organization", {.operation = "organizations.get", .path = path_of(id)});
    if (!found) co_return;
    content.set_title((*found)["name"].GetString());
    RowNames names(call);
    content.add_json("facts", co_await shown_facts(names, *found, organization_facts()));
    if (!may_ask(*call.caller, "organizations.update")) co_return;
    auto const form = organization_change_form(call);
    content.add_json("change", shown_form(call, form, held_fields(form, *found)));
    bool const closes = may_ask(*call.caller, "organizations.deactivate") && (*found)["type"] == "customer" &&
                        call.caller->across_organizations;
    content.add_json("closes", closes ? "true" : "false");
}

core::Result<Question> add_organization(Call const& /*call*/, FormFields const& fields) {
    return body_from(organization_add_form(), fields).map([](std::string body) {
        return Question{.operation = "organizations.create", .body = std::move(body)};
    });
}
core::Result<Question> change_organization(Call const& call, FormFields const& fields) {
    return body_from(organization_change_form(call), fields).map([&](std::string body) {
        return Question{.operation = "organizations.update", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> switch_organization(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{Choice{"close", "organizations.deactivate"},
                                         Choice{"open", "organizations.reactivate"}};
    return chosen_question(call, fields, kChoices);
}

}  // namespace

void add_admin_tabs(Call const& page, PageContent& content, std::string_view current) {
    static constexpr std::array kTabs{
        Tab{"/admin", "Organizations", "organizations.list"}, Tab{"/admin/facilities", "Facilities", "facilities.list"},
        Tab{"/admin/users", "Users", "users.list"}, Tab{"/admin/audit", "Audit log", "audit_log.list"},
        Tab{"/admin/billing", "Billing", "billing.outbox"}};
    std::span<Tab const> tabs(kTabs);
    // Operators alone see what is billed.
    if (!page.caller->across_organizations) tabs = tabs.first(tabs.size() - 1);
    add_tabs(page, content, tabs, current);
}

DashboardSection admin_section() {
    return {{.name = kAdminPage,
             .path = "/admin",
             .title = "Admin",
             .summary = "Organizations",
             .needs = "users.list",
             .text = templates::dashboard_admin,
             .parameters = list_parameters(organization_list()),
             .fill = fill_admin},
            {{.name = kAddOrganization,
              .path = "/admin/organizations",
              .summary = "Make an organization by the form",
              .page = kAdminPage,
              .done = "The organization is made.",
              .leads_to = kOrganizationPage,
              .made = "/id",
              .question = add_organization}}};
}

DashboardSection organization_section() {
    return {{.name = kOrganizationPage,
             .path = "/admin/organizations/{id:int}",
             .title = "Organization",
             .summary = "An organization and its settings",
             .needs = "users.list",
             .in_menu = false,
             .text = templates::dashboard_organization,
             .fill = fill_organization},
            {{.name = kChangeOrganization,
              .path = "/admin/organizations/{id:int}",
              .summary = "Change an organization by the form",
              .page = kOrganizationPage,
              .done = "The organization is changed.",
              .of_version = true,
              .question = change_organization},
             {.name = "pages.switch_organization",
              .path = "/admin/organizations/{id:int}/switch",
              .summary = "Deactivate or reactivate an organization by the form",
              .page = kOrganizationPage,
              .done = "It is done.",
              .question = switch_organization}}};
}

}  // namespace workforce::operations
