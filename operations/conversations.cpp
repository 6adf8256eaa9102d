// Conversations. Everybody reads and writes in those in which they take part; operators read all.
#include "operations/conversations.hpp"

#include <utility>

#include "core/json_values.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/conversations/conversations.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;
using commands::ShownConversation;
using events::Kind;
using projections::conversations;

using ConversationQuery = ListQuery<projections::ConversationFilter>;

/// Operators read what others write, as they act on any organization.
bool sees(Call const& call, events::Conversation const& conversation) {
    return call.caller->is_operator() ||
           commands::takes_part(conversation, commands::participant_of(command_context(call)));
}

/// As `sees`, for a list.
projections::SeenConversationFilter seen_by(Call const& call, projections::ConversationFilter const& asked) {
    projections::SeenConversationFilter filter{asked, {}, {}};
    if (call.caller->is_operator()) return filter;
    auto const participant = commands::participant_of(command_context(call));
    if (!participant.facilities.empty()) filter.visibleAt = participant.facilities;
    if (participant.sandbox) return filter;
    auto const& [user, staff] = participant.reader;
    filter.participants = {user.value.value_or(projections::kNoUser)};
    if (staff.value) filter.participants->push_back(-*staff.value);
    return filter;
}

/// A document of the read model as the participant is shown it: whoever takes no part has nothing to read.
ShownConversation shown_to(commands::Participant const& participant, core::JsonValue const& document) {
    auto [conversation, internals] = projections::read_conversation(document);
    bool const reads = participant.reader.userId.value && commands::takes_part(conversation, participant);
    auto const unread = reads ? events::unread_of(internals, participant.reader) : 0;
    return {std::move(conversation), unread};
}

awaitable<core::Result<projections::Page>> conversation_page(core::Database& database, projections::Scope scope,
                                                             projections::PageRequest request,
                                                             std::vector<core::Parameter> filters,
                                                             commands::Participant participant, bool one_facility) {
    if (!one_facility) scope.facilities.clear();  // people take part wherever it is
    auto page =
        co_await conversations().lists().run(database, std::move(scope), std::move(request), std::move(filters));
    if (!page) co_return page;
    auto const documents = core::parse_json(page->rows);
    core::JsonWriter w;
    w.begin_array();
    for (auto const& document : documents->GetArray()) core::write_json(w, shown_to(participant, document));
    w.end_array();
    page->rows = w.take();
    co_return page;
}

awaitable<Outcome> list_conversations(Call& call) {
    bool one_facility = false;
    auto input = read_query<ConversationQuery>(call.input.parameters).map([&](ConversationQuery query) {
        if (!query.sort) query.sort = core::Text<1, 100>("-lastMessageAt");
        one_facility = query.facilityId.has_value();
        return ListInput{query, conversations().filters(seen_by(call, query))};
    });
    auto const participant = commands::participant_of(command_context(call));
    auto page = [participant, one_facility](core::Database& database, projections::Scope scope,
                                            projections::PageRequest request, std::vector<core::Parameter> filters) {
        return conversation_page(database, std::move(scope), std::move(request), std::move(filters), participant,
                                 one_facility);
    };
    co_return co_await get_list(call, PageSource(page), std::move(input));
}

}  // namespace

awaitable<core::Result<FoundConversation>> find_conversation(Call& call, Id id) {
    auto scope = read_scope(call);
    if (!scope) co_return tl::unexpected(scope.error());
    scope->facilities.clear();  // people take part wherever it is
    co_await await_own_writes(call);
    auto const document = co_await conversations().find(call.services.database_of(*scope), *scope, id);
    if (!document) co_return commands::not_found("conversation", id);
    auto shown = shown_to(commands::participant_of(command_context(call)), *core::parse_json(document->doc));
    if (!sees(call, shown)) co_return commands::not_found("conversation", id);
    co_return FoundConversation{std::move(shown), document->version};
}

std::vector<std::string> latest_first(std::vector<std::string> names) {
    std::swap(names.at(0), names.at(1));
    return names;
}

namespace {

awaitable<Outcome> get_conversation(Call& call) {
    auto const found = co_await find_conversation(call, call.input.path.id());
    if (!found) co_return refuse(call, found.error());
    Outcome outcome;
    outcome.version = found->version;
    outcome.body = core::to_json(found->conversation);
    co_return outcome;
}

Operation conversation_list() {
    auto row = query_with<ShownConversation, ConversationQuery>("conversations.list", "List conversations",
                                                                list_conversations);
    row.answer = &page_of<ShownConversation>;
    row.answer_example = &page_example<ShownConversation>;
    row.reads = {conversations().spec().name, core::enum_name(Kind::facility)};
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = latest_first(conversations().sort_names());
    }
    return std::move(row)
        .says(
            "Returns a page of the conversations in which you take part, the one with the latest message first, each "
            "with how many of its messages you have not read.")
        .needs("communications.view")
        .reaches_own_rows(OwnBy::user)
        .at(net::Method::get, "/api/conversations")
        .as_tool({.name = "conversations_list"});
}

Operation conversation_read() {
    auto row = query_with<ShownConversation, TargetQuery>("conversations.get", "Read a conversation", get_conversation);
    row.reads = {conversations().spec().name};
    row.versioned = true;
    return std::move(row)
        .says("Returns one conversation in which you take part.")
        .needs("communications.view")
        .reaches_own_rows(OwnBy::user)
        .at(net::Method::get, "/api/conversations/{id:int}");
}

}  // namespace

std::vector<Operation> conversation_operations() {
    using enum net::Method;
    return {
        conversation_list(),
        conversation_read(),
        command<commands::StartConversation>("conversations.create", "Begin a conversation")
            .says("Begins a conversation with users and staff, and returns it. You always take part.")
            .needs("communications.create")
            .reaches_own_rows(OwnBy::user)
            .creates(Kind::conversation)
            .at(post, "/api/conversations"),
        command<commands::ReadConversation>("conversations.read", "Mark a conversation as read")
            .says("Notes that you have read all messages of a conversation, and returns it.")
            .needs("communications.view")
            .reaches_own_rows(OwnBy::user)
            .on(Kind::conversation)
            .at(post, "/api/conversations/{id:int}/read"),
    };
}

std::vector<StructWords> conversation_words() {
    return {
        {{"conversations/"}, {{"id", "The conversation's id, from {conversations.list}"}}},
        {{"ConversationDetails", "StartConversation", "CreateMessage"}, {{"subject", "What it is about"}}},
        {{"ConversationDetails"},
         {{"type", "direct between two, group, broadcast to a facility or a shift, agent of an agent's run"}}},
        {{"ConversationDetails", "StartConversation"},
         {{"facilityId", "Facility that it is about, from {facilities.list}; null: the organization as a whole"},
          {"participantUserIds", "Users who take part, from {users.list}"},
          {"participantStaffIds", "Staff who take part, from {staff.list}, but for those who do as users"}}},
        {{"ConversationFlags"},
         {{"createdBy", "User who began it; null: a key without one"},
          {"lastMessageAt", "When the latest message was sent; null: there is none"}}},
        {{"ShownConversation"}, {{"unreadCount", "Messages that you have not read"}}},
        {{"ConversationFilter"}, {{"type", "Only those of these sorts"}}},
        {{"ConversationType"}, {{"", "Who writes to whom"}}},
        {{"ParticipantType"}, {{"", "Whether somebody takes part as a user or as staff"}}},
    };
}

}  // namespace workforce::operations
