// Commands on conversations.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "core/long_list.hpp"
#include "events/conversation.hpp"
#include "events/staff.hpp"
#include "events/user.hpp"

namespace workforce::commands {

/// A conversation as one of those who take part is shown it.
struct ShownConversation : events::Conversation {
    std::int64_t unreadCount = 0;  ///< the caller's; 0 of a credential that no user stands behind
};
BOOST_DESCRIBE_STRUCT(ShownConversation, (events::Conversation), (unreadCount))

/// People whom a command names.
using NamedPeople = core::LongList<Id, events::kMostOthers>;

/// POST /api/conversations: begins one among users and staff of the organization; the caller's user is always one of
/// them. Somebody who is named as a user and as staff takes part once, as a user. Errors: VALIDATION_ERROR of nobody
/// else, of too many, and of people whom the organization or the caller's facilities lack.
struct StartConversation {
    using Answer = ShownConversation;
    core::Nullable<Id> facilityId;
    core::ShortText subject;
    NamedPeople participantUserIds;
    NamedPeople participantStaffIds;
    std::optional<events::ConversationType> type{};  ///< nothing: it follows from the number of others

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(StartConversation, (), (facilityId, subject, participantUserIds, participantStaffIds))
Result<Decision> decide(View const& view, StartConversation const& command, Context const& context);
ShownConversation answer(View const& view, StartConversation const& command, Decision const& decision);

/// POST /api/conversations/{id}/read: the caller has read all that is in it. Again it changes nothing. Errors:
/// NOT_FOUND; FORBIDDEN where no user stands behind the credential.
struct ReadConversation {
    using Answer = ShownConversation;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReadConversation, (), ())
Result<Decision> decide(View const& view, ReadConversation const& command, Context const& context);
ShownConversation answer(View const& view, ReadConversation const& command, Decision const& decision);

/// The user, where the organization has them and they were not deactivated; else null.
events::User const* active_user(View const& view, Id id);

/// The person, where they are active and of the staff; else null. The row has to be resident.
events::StaffRecord const* active_staff(View const& view, Id id);

/// The event that begins a conversation, and so with whom. Errors: as StartConversation.
Result<events::ConversationStarted> start_conversation(View const& view, StartConversation const& command,
                                                       Context const& context);

/// Somebody who looks for conversations in which they take part.
struct Participant {
    events::ConversationReader reader;  ///< nobody: no user stands behind the credential
    std::vector<Id> facilities;         ///< that bound what the credential reaches; empty: all of the organization
    bool sandbox = false;
};

/// Whether the participant takes part in the conversation. A person does as a user or as staff, wherever the
/// conversation is. A key or an agent does so within its facilities. A credential without a user takes part in what no
/// user began. In a sandbox everybody takes part, for nothing is meant for anybody there.
bool takes_part(events::Conversation const& conversation, Participant const& participant);

/// The caller as a participant.
Participant participant_of(Context const& context);

/// The conversation, where the caller takes part; else null.
events::ConversationRecord const* visible_conversation(View const& view, Id id, Context const& context);

}  // namespace workforce::commands
