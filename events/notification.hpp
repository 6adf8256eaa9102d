// Notifications: what a user is told of in the application (domain 1.9), its events, and how they fold.
//
// Nothing in them is personal, so that they need no person's key: they name resources, and people by ids alone.
#pragma once

#include <string>
#include <variant>

#include "events/resource.hpp"

namespace workforce::events {

enum class NotificationType : std::uint8_t {
    webhook_disabled,
    trigger_disabled,
    approval_requested,
    approval_resolved,
    shift_assigned,
    shift_cancelled,
    credential_expiring,
    payroll_failed,
    message
};
BOOST_DESCRIBE_ENUM(NotificationType, webhook_disabled, trigger_disabled, approval_requested, approval_resolved,
                    shift_assigned, shift_cancelled, credential_expiring, payroll_failed, message)

struct NotificationDetails {
    Id userId = 0;  ///< who is told
    NotificationType type = NotificationType::message;
    core::ShortText title;
    core::LongText body;
    std::string resource;  ///< what it is about: "shift:12"
};
BOOST_DESCRIBE_STRUCT(NotificationDetails, (), (userId, type, title, body, resource))

struct NotificationFlags {
    bool isRead = false;
    core::Nullable<Timestamp> readAt;
};
BOOST_DESCRIBE_STRUCT(NotificationFlags, (), (isRead, readAt))

struct Notification : Identified, NotificationDetails, NotificationFlags, Stamped {
    static constexpr Kind kKind = Kind::notification;
};
BOOST_DESCRIBE_STRUCT(Notification, (Identified, NotificationDetails, NotificationFlags, Stamped), ())

struct NotificationCreated : NotificationDetails {
    static constexpr std::string_view kType = "notification.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(NotificationCreated, (NotificationDetails), ())

/// The user has read it.
struct NotificationRead {
    static constexpr std::string_view kType = "notification.read";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(NotificationRead, (), ())

using NotificationEvent = std::variant<NotificationCreated, NotificationRead>;

/// Folds one event into the notification.
void evolve(Notification& notification, NotificationEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::notification> : Declared<Notification, NotificationEvent> {
    static constexpr bool kInActivity = false;
};

}  // namespace workforce::events
