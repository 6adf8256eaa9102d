// Notifications as those see them who are told.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "events/notification.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of notifications is narrowed to (domain 3.5).
struct NotificationFilter {
    std::optional<core::Timestamp> updatedSince{};
    std::optional<bool> unread{};  ///< false: those that were read
    std::optional<std::vector<events::NotificationType>> type{};
};
BOOST_DESCRIBE_STRUCT(NotificationFilter, (), (updatedSince, unread, type))

/// With the user who was told: no list goes without, and no caller says which.
struct OwnNotificationFilter : NotificationFilter {
    Id userId = 0;
};
BOOST_DESCRIBE_STRUCT(OwnNotificationFilter, (NotificationFilter), (userId))

using NotificationRows = ReadModel<events::Notification, OwnNotificationFilter>;

/// read.notification. Who is bound to facilities is told, too, of what is elsewhere.
NotificationRows const& notifications();

/// How many of the user's notifications are unread. Errors: as of all queries.
boost::asio::awaitable<std::int64_t> count_unread(core::Database& database, Scope scope, Id user);
/// The ids above `after` of those, ascending, at most `limit`. Errors: as of all queries.
boost::asio::awaitable<std::vector<Id>> unread_ids(core::Database& database, Scope scope, Id user, Id after,
                                                   std::int64_t limit);

}  // namespace workforce::projections
