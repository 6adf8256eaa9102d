// GET /admin, /admin/audit and /admin/billing: organizations, who did what, and what is billed.
#include "operations/dashboard/admin_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kAdminPage = "pages.admin";
constexpr std::string_view kOrganizationPage = "pages.organization";
constexpr std::string_view kAddOrganization = "pages.add_organization";
constexpr std::string_view kChangeOrganization = "pages.change_organization";

ListView const& organization_list() {
    using Look = ListColumn::Look;
    static ListView const view{.path = "/admin",
                               .operation = "organizations.list",
                               .what = "Organizations",
                               .row_path = "/admin/organizations",
                               .noun = "Organization",
                               .filters = {{.name = "q", .label = "Name"},
                                           {.name = "isActive",
                                            .label = "Active",
                                            .look = ListFilter::Look::choice,
                                            .values = {"false", "any"},
                                            .unset = "yes"}},
                               .columns = {{"Name", "name"},
                                           {"Type", "type", Look::words},
                                           {"Industry", "industry"},
                                           {"Time zone", "timezone"},
                                           {"Active", "isActive", Look::yes_no}},
                               .sort = "name"};
    return view;
}

std::vector<FormInput> const& organization_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "name", .label = "Name", .required = true},
        {.member = "industry", .label = "Industry"},
        {.member = "timezone", .label = "Time zone", .hint = "Such as Europe/Berlin"},
        {.member = "currency", .label = "Currency", .hint = "Such as EUR", .longest = 3}};
    return inputs;
}

std::vector<FormInput> const& organization_change_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs = [] {
        auto all = organization_inputs();
        std::vector<FormInput> const settings{
            {.member = "settings/approvalTtlHours", .label = "Hours until an approval expires", .kind = number},
            {.member = "settings/overtimeWeeklyMinutes", .label = "Minutes a week until overtime", .kind = number},
            {.member = "settings/overtimeMultiplier", .label = "Pay in overtime, times", .kind = number},
            {.member = "settings/minRestMinutes", .label = "Minutes of rest between shifts", .kind = number},
            {.member = "settings/forbidSameCredentialApproval",
             .label = "Who asked may not approve by the same credential",
             .kind = flag,
             .required = true},
            {.member = "settings/triggerFailureLimit", .label = "Failures that disable a trigger", .kind = number},
            {.member = "settings/usageRetentionDays", .label = "Days that usage is kept", .kind = number}};
        all.insert(all.end(), settings.begin(), settings.end());
        return all;
    }();
    return inputs;
}

/// For operators alone.
FormInput billing_input() {
    return {.member = "billingCustomerRef", .label = "Billed as", .kind = InputKind::name, .hint = "Nothing: nobody"};
}

boost::asio::awaitable<void> fill_admin(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin");
    co_await add_list_view(call, content, organization_list());
    if (!call.caller->across_organizations || !may_ask(*call.caller, "organizations.create")) co_return;
    FormContent const form{.typed = sent_by(call, kAddOrganization)};
    content.add_json("add", form_json("/admin/organizations", "Make the organization", organization_inputs(), form));
    content.add_json("sent", form.typed ? "true" : "false");
}

std::vector<ListColumn> const& organization_facts() {
    using Look = ListColumn::Look;
    static std::vector<ListColumn> const facts{{"Type", "type", Look::words},
                                               {"Industry", "industry"},
                                               {"Time zone", "timezone"},
                                               {"Currency", "currency"},
                                               {"Active", "isActive", Look::yes_no},
                                               {"Billed as", "billingCustomerRef"},
                                               {"Made", "createdAt"}};
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
    content.add_json("facts", co_await facts_json(names, *found, organization_facts()));
    if (!may_ask(*call.caller, "organizations.update")) co_return;
    FormContent const form{.record = &*found, .typed = sent_by(call, kChangeOrganization)};
    auto inputs = organization_change_inputs();
    if (call.caller->across_organizations) inputs.push_back(billing_input());
    content.add_json("change", form_json(fmt::format("/admin/organizations/{}", id), "Save", inputs, form));
    bool const closes = may_ask(*call.caller, "organizations.deactivate") && (*found)["type"] == "customer" &&
                        call.caller->across_organizations;
    content.add_json("closes", closes ? "true" : "false");
}

core::Result<Question> add_organization(Call const& /*call*/, FormFields const& fields) {
    return body_of(organization_inputs(), fields, Emptied::left_out).map([](std::string body) {
        return Question{.operation = "organizations.create", .body = std::move(body)};
    });
}
core::Result<Question> change_organization(Call const& call, FormFields const& fields) {
    auto inputs = organization_change_inputs();
    if (call.caller->across_organizations) inputs.push_back(billing_input());
    return body_of(inputs, fields, Emptied::cleared).map([&](std::string body) {
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
    // What is billed operators see alone.
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
             .parameters = parameters_of(organization_list()),
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
              .question = change_organization},
             {.name = "pages.switch_organization",
              .path = "/admin/organizations/{id:int}/switch",
              .summary = "Deactivate or reactivate an organization by the form",
              .page = kOrganizationPage,
              .done = "It is done.",
              .question = switch_organization}}};
}

}  // namespace workforce::operations
