// The declaration of read.conversation.
#include "projections/conversations/conversations.hpp"

namespace workforce::projections {
namespace {

std::vector<Id> participants_of(events::ConversationRecord const& conversation) {
    auto all = conversation.participantUserIds;
    for (Id const id : conversation.participantStaffIds) all.push_back(-id);
    if (!conversation.createdBy.value) all.push_back(kNoUser);
    return all;
}

}  // namespace

ConversationRows const& conversations() {
    static ConversationRows const model =
        ConversationRows::declare("conversation")
            .beside("('{\"internals\":' || t.internals || '}')")
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& conversation) { return conversation.facilityId; })
            .column("deleted", [](auto const& conversation) { return conversation.deleted; })
            .column("type", [](auto const& conversation) { return conversation.type; })
            .column("participants", [](auto const& conversation) { return participants_of(conversation); })
            .column("active_at",
                    [](auto const& conversation) {
                        return conversation.lastMessageAt.value.value_or(conversation.createdAt);
                    })
            .json("internals", [](auto const& conversation) -> auto const& { return conversation.internals; })
            .filter<&SeenConversationFilter::type>("t.type = ANY ($type)")
            .filter<&SeenConversationFilter::participants>("t.participants && $participants")
            .filter<&SeenConversationFilter::visibleAt>("t.facility_id = ANY ($visibleAt)")
            .search([](auto const& conversation) { return search_text(conversation.subject.value.value); })
            .stamped()
            .sort("lastMessageAt", "active_at")
            .sort("createdAt", "created_at");
    return model;
}

std::pair<events::Conversation, events::ConversationInternals> read_conversation(core::JsonValue const& doc) {
    std::pair<events::Conversation, events::ConversationInternals> read;
    core::JsonReader reader(core::JsonReader::Trust::stored);
    core::JsonType<events::Conversation>::read(doc, read.first, reader);
    core::JsonType<events::ConversationInternals>::read(doc["internals"], read.second, reader);
    return read;
}

}  // namespace workforce::projections
