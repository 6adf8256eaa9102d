// Commands on messages.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "commands/conversation.hpp"
#include "events/message.hpp"

namespace workforce::commands {

/// Messages of one conversation, and people whom all of them tell of together: what ends with it ends in one command.
inline constexpr std::int64_t kMostMessages = 5'000;
inline constexpr std::int64_t kMostToldOf = 100'000;

/// How many messages the conversation takes.
std::int64_t most_messages(events::ConversationDetails const& conversation);

/// The text, and the channels that it takes besides the conversation, which always shows it.
struct MessageContent {
    events::MessageBody body;
    std::vector<events::MessageChannel> channels{events::MessageChannel::in_app};

    static constexpr std::array<std::string_view, 1> kRequired{"body"};
};
BOOST_DESCRIBE_STRUCT(MessageContent, (), (body, channels))

/// POST /api/conversations/{id}/messages. Errors: NOT_FOUND where the caller takes no part; LIMIT_REACHED of a
/// conversation that is full; INVALID_STATE_TRANSITION of one that was erased.
struct SendMessage : MessageContent {
    using Answer = events::Message;
    Id conversation = 0;
};
BOOST_DESCRIBE_STRUCT(SendMessage, (MessageContent), ())
Result<Decision> decide(View const& view, SendMessage const& command, Context const& context);
events::Message answer(View const& view, SendMessage const& command, Decision const& decision);

/// To whom a first message goes: people, all active staff of a facility, those who are on a shift.
struct MessageRecipients {
    std::optional<NamedPeople> userIds;
    std::optional<NamedPeople> staffIds;
    std::optional<Id> facilityId;
    std::optional<Id> shiftId;
};
BOOST_DESCRIBE_STRUCT(MessageRecipients, (), (userIds, staffIds, facilityId, shiftId))

/// A conversation that was begun with a message.
struct StartedConversation {
    ShownConversation conversation;
    events::Message message;
};
BOOST_DESCRIBE_STRUCT(StartedConversation, (), (conversation, message))

/// POST /api/messages: begins a conversation with a message, of which the ids are the first and the second new one.
/// Errors: as StartConversation, below `to`; NOT_FOUND of the shift.
struct CreateMessage : MessageContent {
    using Answer = StartedConversation;
    MessageRecipients to;
    core::ShortText subject;
    std::vector<Id> at_facility{};  ///< the active staff of the facility, as it was looked up

    static constexpr std::array<std::string_view, 2> kRequired{"to", "body"};
};
BOOST_DESCRIBE_STRUCT(CreateMessage, (MessageContent), (to, subject))
Result<Decision> decide(View const& view, CreateMessage const& command, Context const& context);
StartedConversation answer(View const& view, CreateMessage const& command, Decision const& decision);

/// DELETE /api/messages/{id}: its sender takes it back, within 15 minutes. What has left by e-mail is not undone. Again
/// it changes nothing. Errors: NOT_FOUND; FORBIDDEN of others; INVALID_STATE_TRANSITION later.
struct RetractMessage {
    using Answer = events::Message;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(RetractMessage, (), ())
Result<Decision> decide(View const& view, RetractMessage const& command, Context const& context);
events::Message answer(View const& view, RetractMessage const& command, Decision const& decision);

}  // namespace workforce::commands
