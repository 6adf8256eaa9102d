// Commands on notifications.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/notification.hpp"

namespace workforce::commands {

/// Of the installation: a user is told something. Who was deactivated or erased meanwhile is told nothing.
struct CreateNotification : events::NotificationDetails {
    using Answer = Nothing;
};
BOOST_DESCRIBE_STRUCT(CreateNotification, (events::NotificationDetails), ())
Result<Decision> decide(View const& view, CreateNotification const& command, Context const& context);

/// POST /api/notifications/{id}/read. NOT_FOUND for what somebody else was told.
struct ReadNotification {
    using Answer = events::Notification;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReadNotification, (), ())
Result<Decision> decide(View const& view, ReadNotification const& command, Context const& context);
events::Notification answer(View const& view, ReadNotification const& command, Decision const& decision);

/// How many notifications.
struct NotificationCount {
    std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(NotificationCount, (), (count))

/// Of these notifications those are read that are the caller's and unread. The answer counts them, and `counted`
/// besides.
struct ReadNotifications {
    using Answer = NotificationCount;
    std::vector<Id> ids;
    std::int64_t counted = 0;
};
BOOST_DESCRIBE_STRUCT(ReadNotifications, (), ())
Result<Decision> decide(View const& view, ReadNotifications const& command, Context const& context);
NotificationCount answer(View const& view, ReadNotifications const& command, Decision const& decision);

}  // namespace workforce::commands
