// How events of conversations fold: the one definition, for the write side's memory and for read models.
#include "events/conversation.hpp"

#include <algorithm>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

std::int64_t read_by(ConversationInternals const& internals, ParticipantType type, core::Nullable<Id> const& id) {
    auto const is_theirs = [&](ReadMark const& mark) { return id.value && mark.type == type && mark.id == *id.value; };
    auto const mark = std::ranges::find_if(internals.marks, is_theirs);
    return mark == internals.marks.end() ? 0 : mark->messages;
}

void mark_read(ConversationInternals& internals, ParticipantType type, core::Nullable<Id> const& id) {
    if (!id.value) return;
    auto const is_theirs = [&](ReadMark const& mark) { return mark.type == type && mark.id == *id.value; };
    auto mark = std::ranges::find_if(internals.marks, is_theirs);
    if (mark == internals.marks.end()) mark = internals.marks.insert(mark, {type, *id.value, 0});
    mark->messages = internals.messages;
}

void mark_read(ConversationInternals& internals, ConversationReader const& reader) {
    mark_read(internals, ParticipantType::user, reader.userId);
    mark_read(internals, ParticipantType::staff, reader.staffId);
}

}  // namespace

std::int64_t unread_of(ConversationInternals const& internals, ConversationReader const& reader) {
    return internals.messages - std::max(read_by(internals, ParticipantType::user, reader.userId),
                                         read_by(internals, ParticipantType::staff, reader.staffId));
}

void evolve(ConversationRecord& conversation, ConversationEvent const& event, Envelope const& meta) {
    std::visit(
        Overloaded{[&](ConversationStarted const& e) {
                       static_cast<ConversationDetails&>(conversation) = e;
                       if (meta.actor.user != 0) conversation.createdBy = meta.actor.user;
                   },
                   [&](ConversationMessageAdded const& e) {
                       ++conversation.internals.messages;
                       conversation.lastMessageAt = meta.time;
                       mark_read(conversation.internals, e.sender);
                   },
                   [&](ConversationRead const& e) { mark_read(conversation.internals, e); },
                   [&](ConversationDeleted const&) { conversation.deleted = true; },
                   [&](ConversationErased const&) { erase_personal(static_cast<ConversationDetails&>(conversation)); }},
        event);
    stamp(conversation, meta);
}

template struct DataCodec<ConversationEvent>;

}  // namespace workforce::events
