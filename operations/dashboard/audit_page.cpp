// GET /admin/audit and /admin/billing: who did what, and what is billed.
#include "operations/dashboard/admin_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

ListView const& audit_list() {
    using Look = ListColumn::Look;
    static ListView const view{.path = "/admin/audit",
                               .operation = "audit_log.list",
                               .what = "What was done, the newest first",
                               .filters = {{.name = "action", .label = "Action, such as API_KEY_ROTATED"},
                                           {.name = "actorId", .label = "By", .look = ListFilter::Look::choice},
                                           {.name = "resource", .label = "Of, such as user:12 or api_key"},
                                           {.name = "from", .label = "From", .look = ListFilter::Look::day},
                                           {.name = "to", .label = "To", .look = ListFilter::Look::day}},
                               .columns = {{"When", "createdAt"},
                                           {"Action", "action"},
                                           {"By", "actor/name"},
                                           {"Of", "resource"},
                                           {"Facility", "facilityId", Look::facility},
                                           {"Changes", "changes", Look::changes},
                                           {"From where", "ip"}},
                               .sort = "-createdAt"};
    return view;
}

ListView const& billing_list() {
    using Look = ListColumn::Look;
    static ListView const view{.path = "/admin/billing",
                               .operation = "billing.outbox",
                               .what = "Outcomes that are billed, the newest first",
                               .filters = {{.name = "status",
                                            .label = "Status",
                                            .look = ListFilter::Look::choice,
                                            .values = {"pending", "sent", "dead", "held", "no_subject"}}},
                               .columns = {{"When", "occurredAt"},
                                           {"Organization", "organizationId", Look::organization},
                                           {"Outcome", "eventName", Look::words},
                                           {"Billed as", "subject"},
                                           {"Status", "status", Look::words},
                                           {"Attempts", "attempts"},
                                           {"Next attempt", "nextAttemptAt"},
                                           {"Last error", "lastError"}}};
    return view;
}

boost::asio::awaitable<void> fill_audit(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/audit");
    auto users = co_await user_choices(call);
    co_await add_list_view(call, content, audit_list(), {{"actorId", std::move(users)}});
}

boost::asio::awaitable<void> fill_billing(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/billing");
    co_await add_list_view(call, content, billing_list());
    if (!call.caller->across_organizations) content.remark("Only operators of the installation see what is billed.");
}

}  // namespace

DashboardSection audit_section() {
    return {{.name = "pages.audit_log",
             .path = "/admin/audit",
             .title = "Audit log",
             .summary = "Who did what",
             .needs = "audit_log.list",
             .in_menu = false,
             .text = templates::dashboard_audit,
             .parameters = parameters_of(audit_list()),
             .fill = fill_audit}};
}

DashboardSection billing_section() {
    return {{.name = "pages.billing",
             .path = "/admin/billing",
             .title = "Billing",
             .summary = "What the billing meter has heard of",
             .needs = "billing.outbox",
             .in_menu = false,
             .text = templates::dashboard_audit,
             .parameters = parameters_of(billing_list()),
             .fill = fill_billing}};
}

}  // namespace workforce::operations
