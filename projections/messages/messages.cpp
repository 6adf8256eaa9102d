// The declaration of read.message.
#include "projections/messages/messages.hpp"

namespace workforce::projections {

MessageRows const& messages() {
    static MessageRows const model =
        MessageRows::declare("message")
            .shown_if("NOT t.deleted")
            .column("conversation_id", [](auto const& message) { return message.conversationId; })
            .column("facility_id", [](auto const& message) { return message.facilityId; })
            .column("deleted", [](auto const& message) { return message.deleted; })
            .json("internals", [](auto const& message) -> auto const& { return message.internals; })
            .filter<&MessageFilter::conversationId>("t.conversation_id = $conversationId")
            .stamped()
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
