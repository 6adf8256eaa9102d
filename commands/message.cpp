// Rules of messages (domain 1.9).
#include "commands/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "commands/facility.hpp"
#include "commands/shift_staffing.hpp"

namespace workforce::commands {
namespace {

using events::DeliveryStatus;
using events::MessageChannel;
using events::MessageDelivery;
using events::ParticipantType;

NewEvent message_event(Id id, core::Nullable<Id> const& facility, events::MessageEvent event) {
    return {{events::Kind::message, id}, facility.value.value_or(0), std::move(event)};
}

/// A recipient, as far as deliveries depend on them.
struct Recipient {
    ParticipantType type = ParticipantType::user;
    Id id = 0;
    bool active = false;
    bool has_address = false;
};

std::vector<Recipient> recipients_of(View const& view, events::ConversationDetails const& conversation,
                                     Context const& context) {
    Requirements(view).rows<events::StaffRecord>(conversation.participantStaffIds).require();
    auto const sender = participant_of(context).reader;
    std::vector<Recipient> all;
    for (Id const id : conversation.participantUserIds) {
        if (sender.userId.value && *sender.userId.value == id) continue;
        auto const* user = active_user(view, id);
        all.push_back({ParticipantType::user, id, user != nullptr, user && !user->email.value.value.empty()});
    }
    for (Id const id : conversation.participantStaffIds) {
        if (sender.staffId.value && *sender.staffId.value == id) continue;
        auto const* person = active_staff(view, id);
        all.push_back({ParticipantType::staff, id, person != nullptr, person && !person->email.value.value.empty()});
    }
    return all;
}

/// How a message begins its way to a recipient.
MessageDelivery delivery_to(Recipient const& recipient, MessageChannel channel, bool sandbox) {
    MessageDelivery delivery{recipient.type, recipient.id, channel, DeliveryStatus::sent, {}};
    auto const fail = [&](std::string_view why) {
        delivery.status = DeliveryStatus::failed;
        delivery.error = why;
        return delivery;
    };
    if (!recipient.active) return fail("inactive");
    if (channel == MessageChannel::in_app) return delivery;
    delivery.status = sandbox ? DeliveryStatus::skipped_sandbox : DeliveryStatus::queued;
    if (sandbox) return delivery;
    if (channel == MessageChannel::sms) return fail("not_configured");
    return recipient.has_address ? delivery : fail("no_address");
}

/// Each once, with the conversation itself first.
std::vector<MessageChannel> channels_of(MessageContent const& content) {
    std::vector<MessageChannel> channels{MessageChannel::in_app};
    for (auto const channel : content.channels) {
        if (std::ranges::find(channels, channel) == channels.end()) channels.push_back(channel);
    }
    return channels;
}

/// The sender of messages that the caller sends.
std::pair<events::SenderType, Id> sender_of(Context const& context) {
    if (context.actor.type == events::ActorType::agent) return {events::SenderType::agent, context.actor.id};
    if (context.actor.user != 0) return {events::SenderType::user, context.actor.user};
    return {events::SenderType::system, 0};
}

/// The message in a conversation with these details, and what the conversation notes of it.
std::vector<NewEvent> send(View const& view, Id conversation, events::ConversationDetails const& details, Id id,
                           MessageContent const& content, Context const& context) {
    events::MessageSent sent;
    sent.conversationId = conversation;
    sent.facilityId = details.facilityId;
    std::tie(sent.senderType, sent.senderId) = sender_of(context);
    sent.body = core::LongText(content.body.value);
    sent.channels = channels_of(content);
    for (auto const& recipient : recipients_of(view, details, context)) {
        for (auto const channel : sent.channels) {
            sent.deliveries.push_back(delivery_to(recipient, channel, context.sandbox));
        }
    }
    events::AggregateRef const holder{events::Kind::conversation, conversation};
    sent.sealedFor = to_string(holder);
    auto const facility = details.facilityId;
    return {message_event(id, facility, std::move(sent)),
            {holder, facility.value.value_or(0),
             events::ConversationEvent(events::ConversationMessageAdded{id, participant_of(context).reader})}};
}

/// Those who are still there and active: whoever left since is not written to, and is no reason to refuse.
std::vector<Id> active_among(View const& view, std::vector<Id> const& staff) {
    Requirements(view).rows<events::StaffRecord>(staff).require();
    std::vector<Id> active;
    std::ranges::copy_if(staff, std::back_inserter(active), [&](Id id) { return active_staff(view, id) != nullptr; });
    return active;
}

/// The conversation that begins with the people whom the recipients name.
Result<StartConversation> named_by(View const& view, CreateMessage const& command, Context const& context) {
    StartConversation start;
    start.subject = command.subject;
    start.participantUserIds = command.to.userIds.value_or(NamedPeople{});
    start.participantStaffIds = command.to.staffIds.value_or(NamedPeople{});
    auto const add = [&](std::vector<Id> const& ids) {
        std::ranges::copy(active_among(view, ids), std::back_inserter(start.participantStaffIds));
        start.type = events::ConversationType::broadcast;
    };
    if (command.to.facilityId) {
        if (auto found = facility_in_scope(view, *command.to.facilityId, context); !found) {
            return tl::unexpected(found.error());
        }
        start.facilityId = *command.to.facilityId;
        add(command.at_facility);
    }
    if (command.to.shiftId) {
        auto const* shift = visible_shift(view, *command.to.shiftId, context);
        if (!shift) return not_found("shift", *command.to.shiftId);
        start.facilityId = shift->shift.facilityId;
        add(shift->shift.assignedStaffIds);
    }
    if (context.actor.type == events::ActorType::agent) start.type.reset();  // an agent's is of its own type
    return start;
}

/// Errors of a conversation's participants as those of the recipients that name them.
core::Problem below_to(core::Problem problem) {
    for (auto const& [own, theirs] :
         {std::pair{"participantUserIds", "to.userIds"}, std::pair{"participantStaffIds", "to.staffIds"}}) {
        for (auto* text : {&problem.details, &problem.message}) {
            std::string_view const name(own);
            for (auto at = text->find(name); at != std::string::npos; at = text->find(name, at)) {
                text->replace(at, name.size(), theirs);
            }
        }
    }
    return problem;
}

}  // namespace

std::int64_t most_messages(events::ConversationDetails const& conversation) {
    auto const people = conversation.participantUserIds.size() + conversation.participantStaffIds.size();
    return std::min(kMostMessages, kMostToldOf / static_cast<std::int64_t>(std::max<std::size_t>(people, 1)));
}

Result<Decision> decide(View const& view, SendMessage const& command, Context const& context) {
    auto const* conversation = visible_conversation(view, command.conversation, context);
    if (!conversation) return not_found("conversation", command.conversation);
    if (view.erased({events::Kind::conversation, command.conversation})) {
        return refuse(Code::invalid_state_transition, "The conversation was erased.", R"({"reason":"erased"})",
                      "Begin another one.");
    }
    auto const most = most_messages(*conversation);
    if (conversation->internals.messages >= most) {
        return refuse(Code::limit_reached, fmt::format("The conversation has {} messages.", most),
                      fmt::format(R"({{"limit":{}}})", most), "Begin another one.");
    }
    return Decision{send(view, command.conversation, *conversation, context.new_ids.at(0), command, context), {}};
}
events::Message answer(View const& view, SendMessage const&, Decision const& decision) {
    return *view.get<events::MessageRecord>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, CreateMessage const& command, Context const& context) {
    auto const named = named_by(view, command, context);
    if (!named) return tl::unexpected(named.error());
    auto started = start_conversation(view, *named, context);
    if (!started) return tl::unexpected(below_to(started.error()));
    Id const conversation = context.new_ids.at(0);
    events::ConversationDetails const details = *started;
    Decision decision{{{{events::Kind::conversation, conversation},
                        details.facilityId.value.value_or(0),
                        events::ConversationEvent(*std::move(started))}},
                      {}};
    for (auto& event : send(view, conversation, details, context.new_ids.at(1), command, context)) {
        decision.events.push_back(std::move(event));
    }
    return decision;
}
StartedConversation answer(View const& view, CreateMessage const&, Decision const& decision) {
    return {{*view.get<events::ConversationRecord>(decision.events.at(0).subject.id), 0},
            *view.get<events::MessageRecord>(decision.events.at(1).subject.id)};
}

Result<Decision> decide(View const& view, RetractMessage const& command, Context const& context) {
    auto const* message = view.get<events::MessageRecord>(command.id);
    auto const* conversation =
        message && !message->deleted ? visible_conversation(view, message->conversationId, context) : nullptr;
    if (!conversation) return not_found("message", command.id);
    if (sender_of(context) != std::pair(message->senderType, message->senderId))
        return refuse(Code::forbidden, "Only its sender takes a message back.");
    if (message->retractedAt.value) return Decision{};
    if (context.now.ms > message->createdAt.ms + events::kRetractableMs) {
        return refuse(Code::invalid_state_transition, "A message can be taken back for 15 minutes.",
                      R"({"reason":"too_late"})", "Send another one that sets it right.");
    }
    return Decision{{message_event(command.id, conversation->facilityId, events::MessageRetracted{})}, {}};
}
events::Message answer(View const& view, RetractMessage const& command, Decision const&) {
    return *view.get<events::MessageRecord>(command.id);
}

}  // namespace workforce::commands
