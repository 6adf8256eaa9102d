// Notifications on /me.
#include "core/json_values.hpp"
#include "operations/dashboard/own_parts.hpp"

namespace workforce::operations {

boost::asio::awaitable<void> add_own_notifications(Call& call, PageContent& content) {
    auto const listed = co_await ask(call, {.operation = "notifications.list", .parameters = {{"limit", "10"}}});
    auto const counted = co_await ask(call, {.operation = "notifications.unread_count"});
    if (listed.status >= 300 || counted.status >= 300) co_return;
    auto document = core::parse_json(listed.body);
    bool const may_read = may_ask(*call.caller, "notifications.read");
    for (auto& row : (*document)["data"].GetArray()) {
        bool const unread = !row["isRead"].GetBool();
        row.AddMember("unread_one", unread && may_read, document->GetAllocator());
    }
    auto const count = core::parse_json(counted.body);
    auto const unread = (*count)["count"].GetInt64();
    core::JsonWriter w;
    w.begin_object();
    w.member("unread", unread);
    w.member("any_unread", unread > 0 && may_ask(*call.caller, "notifications.read_all"));
    w.key("notifications");
    w.raw(core::json_of((*document)["data"]));
    w.end_object();
    content.add_json("told", w.text());
}

std::vector<DashboardForm> notification_forms() {
    return {{.name = "pages.read_own_notification",
             .path = "/me/notifications/{id:int}",
             .summary = "Mark a notification as read by the form of one's own page",
             .page = kOwnPage,
             .done = "It is marked as read.",
             .operation = "notifications.read"},
            {.name = "pages.read_all_notifications",
             .path = "/me/notifications",
             .summary = "Mark all of one's own notifications as read by the form",
             .page = kOwnPage,
             .done = "All are marked as read.",
             .operation = "notifications.read_all"}};
}

}  // namespace workforce::operations
