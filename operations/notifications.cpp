// What the caller is told of. Nobody sees or changes what somebody else is told, whatever their rights.
#include "projections/notifications/notifications.hpp"

#include "commands/notification.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;
using commands::NotificationCount;
using events::Kind;

using NotificationQuery = ListQuery<projections::NotificationFilter>;

constexpr std::int64_t kReadAtOnce = 200;  // notifications a command

/// The user behind the credential. Errors: FORBIDDEN.
core::Result<Id> told_user(Call const& call) {
    auto const user = call.caller->user.id;
    if (user > 0) return user;
    return core::refuse(core::Code::forbidden, "Notifications are a user's own, and this key is bound to no user.", {},
                        "Use a key that is bound to a user, or sign in.");
}

awaitable<Outcome> list_notifications(Call& call) {
    auto const user = told_user(call);
    if (!user) co_return refuse(call, user.error());
    auto input = read_query<NotificationQuery>(call.input.parameters).map([&](NotificationQuery query) {
        if (!query.sort) query.sort = core::Text<1, 100>("-createdAt");
        return ListInput{query, projections::notifications().filters({query, *user})};
    });
    co_return co_await get_list(call, projections::notifications().lists(), std::move(input));
}

awaitable<Outcome> count_unread_notifications(Call& call) {
    auto const user = told_user(call);
    if (!user) co_return refuse(call, user.error());
    auto const scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const count = co_await projections::count_unread(call.services.database_of(*scope), *scope, *user);
    co_return Outcome{.body = core::to_json(NotificationCount{count})};
}

awaitable<Outcome> read_notification(Call& call) {
    if (auto const user = told_user(call); !user) co_return refuse(call, user.error());
    co_return co_await run_command<commands::ReadNotification>(call);
}

/// One command after the other reads what is unread. The last has the request's idempotency key and tells of all; those
/// before it need none, for what was read is not read again.
awaitable<Outcome> read_all_notifications(Call& call) {
    auto const user = told_user(call);
    if (!user) co_return refuse(call, user.error());
    auto const scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto idempotency = std::exchange(call.meta.idempotency, std::nullopt);
    commands::ReadNotifications command;
    Id after = 0;
    for (;;) {
        command.ids =
            co_await projections::unread_ids(call.services.database_of(*scope), *scope, *user, after, kReadAtOnce);
        bool const last = static_cast<std::int64_t>(command.ids.size()) < kReadAtOnce;
        if (last) call.meta.idempotency = std::move(idempotency);
        auto outcome = co_await submit(call, submission_of<commands::ReadNotifications>(call, command), 0);
        if (last || outcome.status >= 300) co_return outcome;
        after = command.ids.back();
        command.counted = core::from_stored_json<NotificationCount>(outcome.body).count;
    }
}

Operation listed_row() {
    auto row = query_with<events::Notification, NotificationQuery>(
        "notifications.list", "List what you are told, newest first", list_notifications);
    row.description =
        "Returns a page of what you are told in the application, newest first. Nobody sees what others are told.";
    row.answer = &page_of<events::Notification>;
    row.answer_example = &page_example<events::Notification>;
    row.reads = {core::enum_name(Kind::notification), core::enum_name(Kind::facility)};
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = {"-createdAt", "createdAt"};
    }
    return row;
}

}  // namespace

std::vector<Operation> notification_operations() {
    using enum net::Method;
    auto counted = query_with<NotificationCount, TargetQuery>(
        "notifications.unread_count", "How many of your notifications are unread", count_unread_notifications);
    counted.description = "Returns how many of your notifications are unread.";
    counted.reads = {core::enum_name(Kind::notification)};
    auto read = command<commands::ReadNotification>("notifications.read", "Mark a notification as read");
    read.description = "Marks one of your notifications as read, and returns it. Said again it changes nothing.";
    read.handler = read_notification;
    auto all_read = command<commands::ReadNotifications>(
        "notifications.read_all", "Mark all of your notifications as read; answers how many were unread");
    all_read.description = "Marks all your notifications as read, and returns how many were unread.";
    all_read.reads = {core::enum_name(Kind::notification)};
    all_read.versioned = false;
    all_read.handler = read_all_notifications;
    auto created = command<commands::CreateNotification>("notifications.create", "A user is told something");
    created.makes = Kind::notification;
    return {
        listed_row()
            .needs("notifications.view")
            .reaches_own_rows(OwnBy::user)
            .else_at_home()
            .at(get, "/api/notifications")
            .as_tool({.name = "notifications_list", .headless = false}),
        std::move(counted)
            .needs("notifications.view")
            .reaches_own_rows(OwnBy::user)
            .else_at_home()
            .at(get, "/api/notifications/unread-count"),
        std::move(read)
            .needs("notifications.edit")
            .reaches_own_rows(OwnBy::user)
            .on(Kind::notification)
            .at(post, "/api/notifications/{id:int}/read"),
        std::move(all_read)
            .needs("notifications.edit")
            .reaches_own_rows(OwnBy::user)
            .else_at_home()
            .at(post, "/api/notifications/read-all"),
        std::move(created).by_installation(),
    };
}

std::vector<StructWords> notification_words() {
    return {
        {{"notifications/"}, {{"id", "The notification's id, from {notifications.list}"}}},
        {{"NotificationDetails"},
         {{"userId", "Who is told"},
          {"type", "What it is about"},
          {"title", "The matter in a line"},
          {"body", "More of it"},
          {"resource", "What it is about, as kind:id"}}},
        {{"NotificationFlags"}, {{"isRead", "Whether it was marked as read"}, {"readAt", "When; null: it is unread"}}},
        {{"NotificationFilter"},
         {{"unread", "true: only unread ones; false: only those that were read"}, {"type", "Only of these matters"}}},
        {{"NotificationCount"}, {{"count", "How many were unread"}}},
    };
}

}  // namespace workforce::operations
