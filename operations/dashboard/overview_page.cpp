// GET /dashboard: figures, what is unread, and what happened last.
#include "operations/dashboard/pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

boost::asio::awaitable<void> fill_overview(Call& /*call*/, PageContent& content) {
    co_await content.add("stats", {.operation = "dashboard.stats"});
    co_await content.add("notifications",
                         {.operation = "notifications.list", .parameters = {{"unread", "true"}, {"limit", "20"}}});
    bool const shown =
        co_await content.add("activity", {.operation = "dashboard.activity", .parameters = {{"limit", "20"}}});
    content.add_json("activity_shown", shown ? "true" : "false");
}

}  // namespace

DashboardSection overview_section() {
    return {{.name = "pages.overview",
             .path = "/dashboard",
             .title = "Overview",
             .summary = "Figures, what is unread, and what happened last",
             .text = templates::dashboard_overview,
             .fill = fill_overview},
            {{.name = "pages.read_notification",
              .path = "/dashboard/notifications/{id:int}",
              .summary = "Mark a notification as read by the form",
              .page = "pages.overview",
              .done = "It is marked as read.",
              .operation = "notifications.read"}}};
}

}  // namespace workforce::operations
