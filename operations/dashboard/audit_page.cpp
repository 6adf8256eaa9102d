// GET /admin/audit and /admin/billing: who did what, and what is billed.
#include "operations/dashboard/admin_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

ListShape const& audit_list() {
    static ListShape const shape{
        .operation = "audit_log.list",
        .path = "/admin/audit",
        .sort = "-createdAt",
        .filters = {{.name = "action", .label = "Action, such as API_KEY_ROTATED"},
                    {.name = "actorId", .label = "By", .kind = FieldKind::id, .blank = "any"},
                    {.name = "resource", .label = "Of, such as user:12 or api_key"},
                    {.name = "from", .label = "From", .kind = FieldKind::date},
                    {.name = "to", .label = "To", .kind = FieldKind::date}},
        .table = {.caption = "What was done, the newest first",
                  .none = "There are none.",
                  .columns = {{.member = "createdAt", .header = "When"},
                              {.member = "action", .header = "Action"},
                              {.member = "actor.name", .header = "By"},
                              {.member = "resource", .header = "Of"},
                              {.member = "facilityId", .header = "Facility", .shows = Shows::facility},
                              {.member = "changes", .header = "Changes", .shows = Shows::changes},
                              {.member = "ip", .header = "From where"}}}};
    return shape;
}

ListShape const& billing_list() {
    static ListShape const shape{
        .operation = "billing.outbox",
        .path = "/admin/billing",
        .filters = {{.name = "status",
                     .label = "Status",
                     .kind = FieldKind::choice,
                     .values = {"pending", "sent", "dead", "held", "no_subject"},
                     .blank = "any"}},
        .table = {.caption = "Outcomes that are billed, the newest first",
                  .none = "There are none.",
                  .columns = {{.member = "occurredAt", .header = "When"},
                              {.member = "organizationId", .header = "Organization", .shows = Shows::organization},
                              {.member = "eventName", .header = "Outcome", .shows = Shows::words},
                              {.member = "subject", .header = "Billed as"},
                              {.member = "status", .header = "Status", .shows = Shows::words},
                              {.member = "attempts", .header = "Attempts"},
                              {.member = "nextAttemptAt", .header = "Next attempt"},
                              {.member = "lastError", .header = "Last error"}}}};
    return shape;
}

boost::asio::awaitable<void> fill_audit(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/audit");
    RowNames names(call);
    InputOptions options;
    options.emplace("actorId", co_await user_choices(call));
    co_await add_list_page(call, content, names, audit_list(), {}, std::move(options));
}

boost::asio::awaitable<void> fill_billing(Call& call, PageContent& content) {
    add_admin_tabs(call, content, "/admin/billing");
    RowNames names(call);
    co_await add_list_page(call, content, names, billing_list());
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
             .parameters = list_parameters(audit_list()),
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
             .parameters = list_parameters(billing_list()),
             .fill = fill_billing}};
}

}  // namespace workforce::operations
