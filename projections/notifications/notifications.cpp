// The declaration of read.notification, and what is unread.
#include "projections/notifications/notifications.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {

NotificationRows const& notifications() {
    static NotificationRows const model =
        NotificationRows::declare("notification")
            .column("user_id", [](auto const& notification) { return notification.userId; })
            .column("type", [](auto const& notification) { return notification.type; })
            .column("is_read", [](auto const& notification) { return notification.isRead; })
            .filter<&OwnNotificationFilter::userId>("t.user_id = $userId")
            .filter<&OwnNotificationFilter::unread>("t.is_read <> $unread")
            .filter<&OwnNotificationFilter::type>("t.type = ANY ($type)")
            .stamped()
            .sort("createdAt", "created_at");
    return model;
}

boost::asio::awaitable<std::int64_t> count_unread(core::Database& database, Scope scope, Id user) {
    static ScopedStatement const statement("notifications_count_unread", sql::notifications_count_unread);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, user](core::Connection& connection) {
            auto const rows = connection.execute(chosen, context.organization, context.sandbox, user);
            return core::read<std::int64_t>(rows.at(0)[0]);
        },
        context);
}

boost::asio::awaitable<std::vector<Id>> unread_ids(core::Database& database, Scope scope, Id user, Id after,
                                                   std::int64_t limit) {
    static ScopedStatement const statement("notifications_unread_ids", sql::notifications_unread_ids);
    auto const chosen = statement.of(scope);
    auto const context = tenant(scope);
    co_return co_await database.run(
        [chosen, context, user, after, limit](core::Connection& connection) {
            std::vector<Id> ids;
            auto const rows = connection.execute(chosen, context.organization, context.sandbox, user, after, limit);
            for (auto const& row : rows) ids.push_back(core::read<Id>(row[0]));
            return ids;
        },
        context);
}

}  // namespace workforce::projections
