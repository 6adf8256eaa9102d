// Conversations: who writes to whom (domain 1.9), their events, and how they fold. The subject is Personal, under the
// conversation's own key, which the bodies of its messages are sealed under as well.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

/// Between two, among several, from one to many, or of an agent.
enum class ConversationType : std::uint8_t { direct, group, broadcast, agent };
BOOST_DESCRIBE_ENUM(ConversationType, direct, group, broadcast, agent)

/// A participant is a user of the organization, or somebody of its staff, who need not be able to sign in.
enum class ParticipantType : std::uint8_t { user, staff };
BOOST_DESCRIBE_ENUM(ParticipantType, user, staff)

/// So many take part at most besides who begins.
inline constexpr std::size_t kMostOthers = 500;

/// Fixed from its beginning on.
struct ConversationDetails {
    core::Nullable<Id> facilityId;  ///< null: of the organization as a whole
    core::Personal<core::ShortText> subject;
    ConversationType type = ConversationType::group;
    std::vector<Id> participantUserIds;
    std::vector<Id> participantStaffIds;
};
BOOST_DESCRIBE_STRUCT(ConversationDetails, (), (facilityId, subject, type, participantUserIds, participantStaffIds))

struct ConversationFlags {
    core::Nullable<Id> createdBy;  ///< user; null: a credential that no user stands behind
    core::Nullable<Timestamp> lastMessageAt;
};
BOOST_DESCRIBE_STRUCT(ConversationFlags, (), (createdBy, lastMessageAt))

struct Conversation : Identified, ConversationDetails, ConversationFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(Conversation, (Identified, ConversationDetails, ConversationFlags, Stamped), ())

struct ConversationStarted : ConversationDetails {
    static constexpr std::string_view kType = "conversation.started";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ConversationStarted, (ConversationDetails), ())

/// A reader of a conversation: a user, their staff record, or both.
struct ConversationReader {
    core::Nullable<Id> userId;
    core::Nullable<Id> staffId;
};
BOOST_DESCRIBE_STRUCT(ConversationReader, (), (userId, staffId))

/// A message was sent in it. Whoever sends has read what came before.
struct ConversationMessageAdded {
    static constexpr std::string_view kType = "conversation.message_added";
    static constexpr std::int32_t kVersion = 1;
    Id messageId = 0;
    ConversationReader sender;
};
BOOST_DESCRIBE_STRUCT(ConversationMessageAdded, (), (messageId, sender))

/// Somebody has read all that was in it then.
struct ConversationRead : ConversationReader {
    static constexpr std::string_view kType = "conversation.read";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ConversationRead, (ConversationReader), ())

/// A reset of its sandbox removed it.
struct ConversationDeleted {
    static constexpr std::string_view kType = "conversation.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(ConversationDeleted, (), ())

/// As StaffErased: the subject and all bodies are gone.
struct ConversationErased : ErasureDetails {
    static constexpr std::string_view kType = "conversation.erased";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kErases = true;
};
BOOST_DESCRIBE_STRUCT(ConversationErased, (ErasureDetails), ())

using ConversationEvent = std::variant<ConversationStarted, ConversationMessageAdded, ConversationRead,
                                       ConversationDeleted, ConversationErased>;

/// How many of the messages a participant has read, or sent.
struct ReadMark {
    ParticipantType type = ParticipantType::user;
    Id id = 0;
    std::int64_t messages = 0;
};
BOOST_DESCRIBE_STRUCT(ReadMark, (), (type, id, messages))

/// What callers see of in another form: `unreadCount` is of each by themselves.
struct ConversationInternals {
    std::int64_t messages = 0;
    std::vector<ReadMark> marks;  ///< of those who read or sent any
};
BOOST_DESCRIBE_STRUCT(ConversationInternals, (), (messages, marks))

/// How many messages the reader has not read: of what they are twice, as a user and by their staff record, the lesser.
std::int64_t unread_of(ConversationInternals const& internals, ConversationReader const& reader);

struct ConversationRecord : Conversation {
    static constexpr Kind kKind = Kind::conversation;
    ConversationInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(ConversationRecord, (Conversation), (internals, deleted))
inline Conversation const& resource_of(ConversationRecord const& record) { return record; }

/// Those of a facility in its sandbox.
struct ConversationsOfFacility : OfFacility<Kind::conversation, Value<&Conversation::facilityId>> {};

/// Folds one event into the conversation.
void evolve(ConversationRecord& conversation, ConversationEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::conversation> : Declared<ConversationRecord, ConversationEvent> {
    static constexpr bool kInActivity = false;
    using Deleted = ConversationDeleted;
    using Indexes = boost::mp11::mp_list<ConversationsOfFacility>;
};

}  // namespace workforce::events
