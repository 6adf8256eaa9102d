// Messages of conversations (domain 1.9), their events, and how they fold. The body is Personal, and sealed under the
// conversation's key.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "events/conversation.hpp"

namespace workforce::events {

enum class SenderType : std::uint8_t { user, agent, system };
BOOST_DESCRIBE_ENUM(SenderType, user, agent, system)

/// By which way a message comes to somebody: it is always shown in its conversation.
enum class MessageChannel : std::uint8_t { in_app, email, sms };
BOOST_DESCRIBE_ENUM(MessageChannel, in_app, email, sms)

enum class DeliveryStatus : std::uint8_t { queued, sent, failed, skipped_sandbox };
BOOST_DESCRIBE_ENUM(DeliveryStatus, queued, sent, failed, skipped_sandbox)

/// A message on its way to a participant, by a channel.
struct MessageDelivery {
    ParticipantType recipientType = ParticipantType::user;
    Id recipientId = 0;
    MessageChannel channel = MessageChannel::in_app;
    DeliveryStatus status = DeliveryStatus::queued;
    std::string error;  ///< why it failed, as a code: no_address, not_configured, inactive, retracted, erased
};
BOOST_DESCRIBE_STRUCT(MessageDelivery, (), (recipientType, recipientId, channel, status, error))

using MessageBody = core::Text<1, 4000, core::TextForm::paragraph>;

struct MessageDetails {
    Id conversationId = 0;
    core::Nullable<Id> facilityId;  ///< the conversation's
    SenderType senderType = SenderType::user;
    Id senderId = 0;  ///< a user's, or an agent's; 0: the system
    core::Personal<core::LongText> body;
    std::vector<MessageChannel> channels;
    std::vector<MessageDelivery> deliveries;
};
BOOST_DESCRIBE_STRUCT(MessageDetails, (),
                      (conversationId, facilityId, senderType, senderId, body, channels, deliveries))

struct MessageFlags {
    core::Nullable<Timestamp> retractedAt;
};
BOOST_DESCRIBE_STRUCT(MessageFlags, (), (retractedAt))

struct Message : Identified, MessageDetails, MessageFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(Message, (Identified, MessageDetails, MessageFlags, Stamped), ())

/// Since its beginning with how it stands with each recipient.
struct MessageSent : MessageDetails {
    static constexpr std::string_view kType = "message.sent";
    static constexpr std::int32_t kVersion = 1;
    core::Internal<std::string> sealedFor;  ///< whose key seals the body: "conversation/42"
};
BOOST_DESCRIBE_STRUCT(MessageSent, (MessageDetails), (sealedFor))

/// It left for recipients who waited for it.
struct MessageDelivered {
    static constexpr std::string_view kType = "message.delivered";
    static constexpr std::int32_t kVersion = 1;
    std::vector<MessageDelivery> deliveries;
};
BOOST_DESCRIBE_STRUCT(MessageDelivered, (), (deliveries))

/// It will not come to recipients who waited for it.
struct MessageDeliveryFailed {
    static constexpr std::string_view kType = "message.delivery_failed";
    static constexpr std::int32_t kVersion = 1;
    std::vector<MessageDelivery> deliveries;
};
BOOST_DESCRIBE_STRUCT(MessageDeliveryFailed, (), (deliveries))

/// The sender took it back: its body is shown to nobody any more.
struct MessageRetracted {
    static constexpr std::string_view kType = "message.retracted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(MessageRetracted, (), ())

/// The conversation was erased, and its messages' bodies with it.
struct MessageHolderErased {
    static constexpr std::string_view kType = "message.holder_erased";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(MessageHolderErased, (), ())

/// A reset of its sandbox removed it.
struct MessageDeleted {
    static constexpr std::string_view kType = "message.deleted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(MessageDeleted, (), ())

using MessageEvent = std::variant<MessageSent, MessageDelivered, MessageDeliveryFailed, MessageRetracted,
                                  MessageHolderErased, MessageDeleted>;

struct MessageInternals {
    bool holderErased = false;
};
BOOST_DESCRIBE_STRUCT(MessageInternals, (), (holderErased))

/// A message with what callers don't see of it.
struct MessageRecord : Message {
    static constexpr Kind kKind = Kind::message;
    MessageInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(MessageRecord, (Message), (internals, deleted))
inline Message const& resource_of(MessageRecord const& record) { return record; }

/// All messages of a conversation.
struct MessagesOfConversation : Index<Kind::message, Value<&Message::conversationId>> {};
/// Those of a facility in its sandbox.
struct MessagesOfFacility : OfFacility<Kind::message, Value<&Message::facilityId>> {};

/// How long its sender may take a message back.
inline constexpr std::int64_t kRetractableMs = 15 * 60'000;

/// Folds one event into the message.
void evolve(MessageRecord& message, MessageEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::message> : Declared<MessageRecord, MessageEvent> {
    static constexpr bool kInActivity = false;
    using Deleted = MessageDeleted;
    using Indexes = boost::mp11::mp_list<MessagesOfConversation, MessagesOfFacility>;
    using Holder = HeldBy<Kind::conversation, &Message::conversationId, MessageHolderErased>;
};

}  // namespace workforce::events
