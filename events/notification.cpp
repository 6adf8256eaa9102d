// How events of notifications fold: the one definition, for the write side's memory and for read models.
#include "events/notification.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(Notification& notification, NotificationEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](NotificationCreated const& e) { static_cast<NotificationDetails&>(notification) = e; },
                          [&](NotificationRead const&) {
                              notification.isRead = true;
                              notification.readAt = meta.time;
                          }},
               event);
    stamp(notification, meta);
}

template struct DataCodec<NotificationEvent>;

}  // namespace workforce::events
