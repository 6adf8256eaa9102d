// How messages leave by e-mail.
#include "commands/message_mail.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace workforce::commands {
namespace {

using events::DeliveryStatus;
using events::MessageChannel;
using events::ParticipantType;

NewEvent settling_event(events::MessageRecord const& message, events::MessageEvent event) {
    return {{events::Kind::message, message.id}, message.facilityId.value.value_or(0), std::move(event)};
}

/// Those to whom the message waits to be sent.
std::vector<events::MessageDelivery> waiting_mails(events::Message const& message) {
    std::vector<events::MessageDelivery> waiting;
    std::ranges::copy_if(message.deliveries, std::back_inserter(waiting), [](auto const& each) {
        return each.channel == MessageChannel::email && each.status == DeliveryStatus::queued;
    });
    return waiting;
}

std::string address_of(View const& view, ParticipantType type, Id id) {
    if (type == ParticipantType::user) {
        auto const* user = active_user(view, id);
        return user ? user->email.value.value : std::string();
    }
    auto const* person = active_staff(view, id);
    return person ? person->email.value.value : std::string();
}

}  // namespace

MessageMails message_mails(View const& view, Id id) {
    MessageMails mails;
    auto const* message = view.get<events::MessageRecord>(id);
    if (!message || message->deleted) return mails;
    auto const waiting = waiting_mails(*message);
    std::vector<Id> staff;
    for (auto const& each : waiting) {
        if (each.recipientType == ParticipantType::staff) staff.push_back(each.recipientId);
    }
    Requirements(view)
        .rows<events::StaffRecord>(staff)
        .rows<events::ConversationRecord>(std::vector{message->conversationId})
        .require();
    mails.conversation = to_string(events::AggregateRef{events::Kind::conversation, message->conversationId});
    auto const* conversation = view.get<events::ConversationRecord>(message->conversationId);
    if (conversation) mails.subject = conversation->subject.value.value;
    mails.body = message->body.value.value;
    if (message->retractedAt.value) mails.withheld = "retracted";
    if (message->internals.holderErased) mails.withheld = "erased";
    for (auto const& [type, person, channel, status, error] : waiting) {
        mails.recipients.push_back({type, person, address_of(view, type, person)});
    }
    return mails;
}

Result<Decision> decide(View const& view, SettleDeliveries const& command, Context const& /*context*/) {
    auto const* message = view.get<events::MessageRecord>(command.id);
    if (!message || message->deleted) return Decision{};
    std::set<std::tuple<ParticipantType, Id, MessageChannel>> waiting;
    for (auto const& each : message->deliveries) {
        if (each.status == DeliveryStatus::queued) waiting.emplace(each.recipientType, each.recipientId, each.channel);
    }
    events::MessageDelivered delivered;
    events::MessageDeliveryFailed failed;
    for (auto const& each : command.deliveries) {
        if (waiting.erase({each.recipientType, each.recipientId, each.channel}) == 0) continue;
        (each.status == DeliveryStatus::failed ? failed.deliveries : delivered.deliveries).push_back(each);
    }
    Decision decision;
    if (!delivered.deliveries.empty()) decision.events.push_back(settling_event(*message, std::move(delivered)));
    if (!failed.deliveries.empty()) decision.events.push_back(settling_event(*message, std::move(failed)));
    return decision;
}

}  // namespace workforce::commands
