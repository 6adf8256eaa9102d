// Conversations as queries see them.
#pragma once

#include <utility>
#include <vector>

#include "events/conversation.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// A participant in conversations that no user began.
inline constexpr Id kNoUser = 0;

/// What a list of conversations is narrowed to (domain 3.5).
struct ConversationFilter : ListFilter {
    std::optional<std::vector<events::ConversationType>> type{};
};
BOOST_DESCRIBE_STRUCT(ConversationFilter, (ListFilter), (type))

/// With who asks, whom no caller names: people see those in which they take part.
struct SeenConversationFilter : ConversationFilter {
    std::optional<std::vector<Id>>
        participants{};                          ///< the user or kNoUser, and their staff record as a negative number
    std::optional<std::vector<Id>> visibleAt{};  ///< facilities that bind who is no person
};
BOOST_DESCRIBE_STRUCT(SeenConversationFilter, (ConversationFilter), (participants, visibleAt))

using ConversationRows = ReadModel<events::ConversationRecord, SeenConversationFilter, events::Conversation>;

/// read.conversation. Its documents have the internals besides.
ConversationRows const& conversations();

/// A conversation as queries give it, and who has read how much of it. `doc` is of read.conversation.
std::pair<events::Conversation, events::ConversationInternals> read_conversation(core::JsonValue const& doc);

}  // namespace workforce::projections
