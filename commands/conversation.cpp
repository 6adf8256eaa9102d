// Rules of conversations (domain 1.9): those who take part, and they alone.
#include "commands/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/facility.hpp"
#include "commands/staff.hpp"

namespace workforce::commands {
namespace {

using events::ConversationType;

NewEvent conversation_event(Id id, core::Nullable<Id> const& facility, events::ConversationEvent event) {
    return {{events::Kind::conversation, id}, facility.value.value_or(0), std::move(event)};
}

bool is_among(Id id, std::vector<Id> const& ids) { return std::ranges::find(ids, id) != ids.end(); }

std::vector<Id> once_each(std::vector<Id> const& ids) {
    std::vector<Id> once;
    for (Id const id : ids) {
        if (!is_among(id, once)) once.push_back(id);
    }
    return once;
}

/// Whether the caller's facilities have the user, as lists of users show them; those of all facilities are everybody's.
bool reaches(events::User const& user, Context const& context) {
    return context.facilities.empty() || user.facilityIds.empty() || user.id == context.actor.user ||
           std::ranges::any_of(user.facilityIds, [&](Id id) { return context.reaches(id); });
}

/// Errors of the people who are to take part: users first, then staff.
std::vector<core::FieldError> faults_of(View const& view, std::vector<Id> const& users, std::vector<Id> const& staff,
                                        Context const& context) {
    std::vector<core::FieldError> faults;
    for (std::size_t i = 0; i < users.size(); ++i) {
        auto const* user = active_user(view, users[i]);
        if (user && reaches(*user, context)) continue;
        faults.push_back({fmt::format("participantUserIds[{}]", i), "known", "must be an active user"});
    }
    for (std::size_t i = 0; i < staff.size(); ++i) {
        auto const* person = active_staff(view, staff[i]);
        if (person && in_scope(*person, context)) continue;
        faults.push_back({fmt::format("participantStaffIds[{}]", i), "known", "must be somebody active of the staff"});
    }
    return faults;
}

/// The users, each once, with the caller's own; without those of staff.
struct Participants {
    std::vector<Id> users;
    std::vector<Id> staff;
};

Participants participants_of(View const& view, StartConversation const& command, Context const& context) {
    Participants all{once_each(command.participantUserIds), {}};
    if (context.actor.user != 0 && view.get<events::User>(context.actor.user) &&
        !is_among(context.actor.user, all.users)) {
        all.users.insert(all.users.begin(), context.actor.user);
    }
    std::vector<Id> of_users;
    for (Id const id : all.users) {
        auto const* user = view.get<events::User>(id);
        if (user && user->staffId.value) of_users.push_back(*user->staffId.value);
    }
    for (Id const id : once_each(command.participantStaffIds)) {
        if (!is_among(id, of_users)) all.staff.push_back(id);
    }
    return all;
}

tl::unexpected<core::Problem> too_many() {
    return invalid_field(
        "participantStaffIds", "max_items",
        fmt::format("and participantUserIds name more than {} people besides you", events::kMostOthers));
}

/// The type of a conversation that a caller begins with so many others.
ConversationType type_of(std::size_t others, Context const& context) {
    if (context.actor.type == events::ActorType::agent) return ConversationType::agent;
    return others == 1 ? ConversationType::direct : ConversationType::group;
}

/// Whether a person asks, by themselves or by a client that acts for them; else a key does or an agent, which reach no
/// farther than their facilities.
bool acts_in_person(events::ActorType actor) {
    return actor == events::ActorType::user || actor == events::ActorType::oauth;
}

}  // namespace

events::User const* active_user(View const& view, Id id) {
    auto const* user = view.get<events::User>(id);
    return user && user->status != events::UserStatus::deactivated ? user : nullptr;
}

events::StaffRecord const* active_staff(View const& view, Id id) {
    auto const* person = view.get<events::StaffRecord>(id);
    return person && !person->deleted && person->isActive ? person : nullptr;
}

bool takes_part(events::Conversation const& conversation, Participant const& participant) {
    auto const& [reader, facilities, sandbox] = participant;
    auto const& facility = conversation.facilityId.value;
    if (!facilities.empty() && !(facility && is_among(*facility, facilities))) return false;
    if (sandbox) return true;
    if (!reader.userId.value) return !conversation.createdBy.value;
    return is_among(*reader.userId.value, conversation.participantUserIds) ||
           (reader.staffId.value && is_among(*reader.staffId.value, conversation.participantStaffIds));
}

Participant participant_of(Context const& context) {
    Participant participant{.reader = {}, .facilities = context.facilities, .sandbox = context.sandbox};
    if (context.actor.user != 0) participant.reader.userId = context.actor.user;
    if (context.actor.user != 0 && context.staff != 0) participant.reader.staffId = context.staff;
    if (!context.sandbox && acts_in_person(context.actor.type)) participant.facilities.clear();
    return participant;
}

events::ConversationRecord const* visible_conversation(View const& view, Id id, Context const& context) {
    auto const* conversation = view.get<events::ConversationRecord>(id);
    return conversation && !conversation->deleted && takes_part(*conversation, participant_of(context)) ? conversation
                                                                                                        : nullptr;
}

Result<events::ConversationStarted> start_conversation(View const& view, StartConversation const& command,
                                                       Context const& context) {
    if (command.facilityId.value) {
        if (auto found = facility_in_scope(view, *command.facilityId.value, context); !found) {
            return tl::unexpected(found.error());
        }
    }
    Requirements(view).rows<events::StaffRecord>(command.participantStaffIds).require();
    auto const faults = faults_of(view, command.participantUserIds, command.participantStaffIds, context);
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    auto all = participants_of(view, command, context);
    auto const count = all.users.size() + all.staff.size();
    bool const has_own = context.actor.user != 0 && is_among(context.actor.user, all.users);
    auto const others = count - (has_own ? 1 : 0);
    if (others > events::kMostOthers) return too_many();
    if (others == 0)
        return invalid_field("participantUserIds", "required", "or participantStaffIds must name somebody else");
    events::ConversationStarted started;
    started.facilityId = command.facilityId;
    // A key or an agent sees no conversation but its facilities', and has to see its own.
    bool const bound = !participant_of(context).facilities.empty();
    if (!started.facilityId.value && (bound || context.facilities.size() == 1)) {
        started.facilityId = context.facilities.front();
    }
    started.subject = command.subject;
    started.type = command.type.value_or(type_of(others, context));
    started.participantUserIds = std::move(all.users);
    started.participantStaffIds = std::move(all.staff);
    return started;
}

Result<Decision> decide(View const& view, StartConversation const& command, Context const& context) {
    auto started = start_conversation(view, command, context);
    if (!started) return tl::unexpected(started.error());
    auto const facility = started->facilityId;
    return Decision{{conversation_event(context.new_ids.at(0), facility, *std::move(started))}, {}};
}
ShownConversation answer(View const& view, StartConversation const&, Decision const& decision) {
    return {*view.get<events::ConversationRecord>(decision.events.at(0).subject.id), 0};
}

Result<Decision> decide(View const& view, ReadConversation const& command, Context const& context) {
    auto const* conversation = visible_conversation(view, command.id, context);
    if (!conversation) return not_found("conversation", command.id);
    auto const reader = participant_of(context).reader;
    if (!reader.userId.value) {
        return refuse(Code::forbidden, "Only users read, and none stands behind this credential.", {},
                      "Use a key that is bound to a user, or sign in.");
    }
    if (events::unread_of(conversation->internals, reader) == 0) return Decision{};
    return Decision{{conversation_event(command.id, conversation->facilityId, events::ConversationRead{reader})}, {}};
}
ShownConversation answer(View const& view, ReadConversation const& command, Decision const&) {
    return {*view.get<events::ConversationRecord>(command.id), 0};
}

}  // namespace workforce::commands
