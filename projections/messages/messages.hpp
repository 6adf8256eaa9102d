// Messages as queries see them.
#pragma once

#include "events/message.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of messages is narrowed to: those of a conversation, which the path names.
struct MessageFilter : ChangeFilter {
    std::optional<Id> conversationId{};
};
BOOST_DESCRIBE_STRUCT(MessageFilter, (ChangeFilter), (conversationId))

using MessageRows = ReadModel<events::MessageRecord, MessageFilter>;

/// read.message.
MessageRows const& messages();

}  // namespace workforce::projections
