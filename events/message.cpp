// How events of messages fold: the one definition, for the write side's memory and for read models.
#include "events/message.hpp"

#include <algorithm>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

/// How it stands with those recipients by now.
void settle(MessageRecord& message, std::vector<MessageDelivery> const& settled) {
    for (auto const& delivery : settled) {
        auto const is_same = [&](MessageDelivery const& each) {
            return each.recipientType == delivery.recipientType && each.recipientId == delivery.recipientId &&
                   each.channel == delivery.channel;
        };
        auto const own = std::ranges::find_if(message.deliveries, is_same);
        if (own != message.deliveries.end()) *own = delivery;
    }
}

}  // namespace

void evolve(MessageRecord& message, MessageEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](MessageSent const& e) {
                              static_cast<MessageDetails&>(message) = e;
                              message.internals.holderErased = e.body.erased;
                          },
                          [&](MessageDelivered const& e) { settle(message, e.deliveries); },
                          [&](MessageDeliveryFailed const& e) { settle(message, e.deliveries); },
                          [&](MessageRetracted const&) {
                              message.body = {};
                              message.retractedAt = meta.time;
                          },
                          [&](MessageHolderErased const&) {
                              erase_personal(static_cast<MessageDetails&>(message));
                              message.internals.holderErased = true;
                          },
                          [&](MessageDeleted const&) { message.deleted = true; }},
               event);
    stamp(message, meta);
}

template struct DataCodec<MessageEvent>;

}  // namespace workforce::events
