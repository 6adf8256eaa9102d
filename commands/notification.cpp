// Rules of notifications (domain 1.9): each is one user's alone, whatever their rights.
#include "commands/notification.hpp"

namespace workforce::commands {
namespace {

using events::Notification;

NewEvent notification_event(Id id, events::NotificationEvent event) {
    return {{events::Kind::notification, id}, 0, std::move(event)};
}

Notification const* own_notification(View const& view, Id id, Context const& context) {
    auto const* notification = view.get<Notification>(id);
    bool const own = notification && context.actor.user != 0 && notification->userId == context.actor.user;
    return own ? notification : nullptr;
}

}  // namespace

Result<Decision> decide(View const& view, CreateNotification const& command, Context const& context) {
    auto const* user = view.get<events::User>(command.userId);
    if (!user || user->status == events::UserStatus::deactivated) return Decision{};
    return Decision{{notification_event(context.new_ids.at(0), events::NotificationCreated{command})}, {}};
}

Result<Decision> decide(View const& view, ReadNotification const& command, Context const& context) {
    auto const* notification = own_notification(view, command.id, context);
    if (!notification) return not_found("notification", command.id);
    if (notification->isRead) return Decision{};
    return Decision{{notification_event(command.id, events::NotificationRead{})}, {}};
}
Notification answer(View const& view, ReadNotification const& command, Decision const&) {
    return *view.get<Notification>(command.id);
}

Result<Decision> decide(View const& view, ReadNotifications const& command, Context const& context) {
    Requirements(view).rows<Notification>(command.ids).require();
    Decision decision;
    for (Id const id : command.ids) {
        auto const* notification = own_notification(view, id, context);
        if (!notification || notification->isRead) continue;
        decision.events.push_back(notification_event(id, events::NotificationRead{}));
    }
    return decision;
}
NotificationCount answer(View const&, ReadNotifications const& command, Decision const& decision) {
    return {command.counted + static_cast<std::int64_t>(decision.events.size())};
}

}  // namespace workforce::commands
