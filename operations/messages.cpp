// Messages of conversations: in one that there is, or with a new one; and how they leave by e-mail.
#include <memory>
#include <utility>

#include "commands/message_mail.hpp"
#include "core/json_values.hpp"
#include "operations/conversations.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"
#include "projections/conversations/conversations.hpp"
#include "projections/messages/messages.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::operations {

template <>
inline constexpr core::Id kLeastId<events::MessageDetails> = 0;

/// Of GET /api/conversations/{id}/messages, which names the conversation in its path.
using MessagesOfQuery = ListQuery<projections::ChangeFilter>;

namespace {

using boost::asio::awaitable;
using events::Kind;

using MessageQuery = ListQuery<projections::MessageFilter>;

/// People to whom an agent writes without a person's approval (domain 6.3).
constexpr std::size_t kMostUnasked = 10;

awaitable<Outcome> list_messages(Call& call) {
    auto const asked = read_query<MessagesOfQuery>(call.input.parameters);
    if (!asked) co_return refuse(call, asked.error());
    auto const conversation = call.input.path.id();
    if (auto const found = co_await find_conversation(call, conversation); !found) {
        co_return refuse(call, found.error());
    }
    MessageQuery query;
    static_cast<PageQuery&>(query) = *asked;
    static_cast<projections::ChangeFilter&>(query) = *asked;
    if (!query.sort) query.sort = core::Text<1, 100>("-createdAt");
    query.conversationId = conversation;
    co_return co_await get_list(call, projections::messages().lists(),
                                ListInput{query, projections::messages().filters(query)});
}

/// Seen by those who see its conversation.
awaitable<Outcome> get_message(Call& call) {
    auto scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    scope->facilities.clear();  // people take part wherever it is
    co_await await_own_writes(call);
    auto const id = call.input.path.id();
    if (auto document = co_await projections::messages().find(call.services.database_of(*scope), *scope, id)) {
        auto const message = core::from_stored_json<events::Message>(document->doc);
        if (co_await find_conversation(call, message.conversationId)) {
            Outcome outcome;
            outcome.facility = message.facilityId.value.value_or(0);
            outcome.version = document->version;
            outcome.body = std::move(document->doc);
            co_return outcome;
        }
    }
    co_return refuse(call, commands::not_found("message", id).value());
}

awaitable<Outcome> send_message(Call& call) {
    auto command = read_command<commands::SendMessage>(call).map([&](commands::SendMessage message) {
        message.conversation = call.input.path.id();
        return message;
    });
    return submit(call, submission_of(call, std::move(command)), 1);
}

/// The active staff of the facility; of more than may take part so many that they are too many without the caller.
awaitable<std::vector<Id>> staff_at(Call& call, projections::Scope const& scope, Id facility) {
    co_await await_own_writes(call);
    co_return co_await projections::active_staff_at(call.services.database_of(scope), scope, facility,
                                                    events::kMostOthers + 2);
}

/// What the caller lacks to write to whoever works at a facility or on a shift: the answer names them.
std::optional<core::Problem> unseen_recipients(Caller const& caller, commands::CreateMessage const& command) {
    for (auto const& [named, needed] : {std::pair{command.to.facilityId.has_value(), core::Permission("staff.view")},
                                        std::pair{command.to.shiftId.has_value(), core::Permission("shifts.view")}}) {
        if (named && !caller.permits(needed)) return without(caller, needed);
    }
    return std::nullopt;
}

awaitable<Outcome> create_message(Call& call) {
    auto command = read_command<commands::CreateMessage>(call);
    if (command) {
        if (auto lack = unseen_recipients(*call.caller, *command)) co_return refuse(call, *lack);
    }
    if (command && command->to.facilityId) {
        if (auto const scope = read_scope(call)) {
            command->at_facility = co_await staff_at(call, *scope, *command->to.facilityId);
        } else {
            command = tl::unexpected(scope.error());
        }
    }
    bool const is_command = command.has_value();
    auto submission = submission_of(call, std::move(command));
    if (is_command) {
        submission.render = [render = std::move(submission.render)](commands::View const& view,
                                                                    commands::Decision const& decision) {
            auto rendered = render(view, decision);
            rendered.created = decision.events.at(0).subject;  // the answer has it within
            return rendered;
        };
        auto& ids = call.services.processor.ids();
        submission.context.new_ids = co_await ids.take(Kind::conversation, 1);
        submission.context.new_ids.push_back((co_await ids.take(Kind::message, 1)).front());
    }
    co_return co_await submit(call, std::move(submission), 0);
}

Operation message_list() {
    auto row = query_with<events::Message, MessagesOfQuery>("messages.list", "List the messages of a conversation",
                                                            list_messages);
    row.answer = &page_of<events::Message>;
    row.answer_example = &page_example<events::Message>;
    row.reads = {projections::messages().spec().name, projections::conversations().spec().name,
                 core::enum_name(Kind::facility)};
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = latest_first(projections::messages().sort_names());
    }
    return std::move(row)
        .says("Returns a page of a conversation's messages, the latest first, with how each came to its recipients.")
        .needs("communications.view")
        .reaches_own_rows(OwnBy::user)
        .at(net::Method::get, "/api/conversations/{id:int}/messages");
}

Operation message_reading() {
    auto row = query_with<events::Message, TargetQuery>("messages.get", "Read a message", get_message);
    row.reads = {projections::messages().spec().name, projections::conversations().spec().name};
    row.versioned = true;
    return std::move(row)
        .says("Returns one message, with how it came to its recipients.")
        .needs("communications.view")
        .reaches_own_rows(OwnBy::user)
        .at(net::Method::get, "/api/messages/{id:int}");
}

Operation message_sending() {
    auto row = command<commands::SendMessage>("messages.send", "Send a message in a conversation");
    row.handler = send_message;
    row.versioned = false;
    return std::move(row)
        .says(
            "Sends a message to all others who take part, and returns it. Where email is among its channels, it also "
            "goes to their addresses.")
        .refuses({core::Code::limit_reached, core::Code::invalid_state_transition})
        .needs("communications.create")
        .reaches_own_rows(OwnBy::user)
        .on(Kind::conversation)
        .creates(Kind::message, "/api/messages")
        .at(net::Method::post, "/api/conversations/{id:int}/messages");
}

/// Whether a message goes to more people than an agent writes to by itself, or nobody knows to how many.
bool reaches_many(core::JsonValue const& arguments) {
    auto const* const to = core::find_member(&arguments, "to");
    if (core::find_member(to, "facilityId") != nullptr || core::find_member(to, "shiftId") != nullptr) return true;
    std::size_t people = 0;
    for (auto const* const name : {"userIds", "staffIds"}) {
        auto const* const ids = core::find_member(to, name);
        if (ids != nullptr && ids->IsArray()) people += ids->Size();
    }
    return people > kMostUnasked;
}

Operation message_to() {
    auto row = command<commands::CreateMessage>("messages.create", "Begin a conversation with a message");
    row.handler = create_message;
    row.versioned = false;
    return std::move(row)
        .says(
            "Begins a conversation with a message to people, to all active staff of a facility, or to those on a "
            "shift, and returns both. At most 500 people. To a facility takes staff.view too, to a shift shifts.view.")
        .needs("communications.create")
        .reaches_own_rows(OwnBy::user)
        .creates(Kind::conversation, "/api/conversations")
        .at(net::Method::post, "/api/messages")
        .as_tool({.name = "messages_send",
                  .tier = events::ModelTier::standard,
                  .approval = Approval::headless,
                  .waits_if = &reaches_many});
}

/// Asked of the partition's writer, who knows the message before any read model does. It leaves no answer behind.
awaitable<Outcome> find_mails(Call& call) {
    call.meta.idempotency.reset();
    auto mails = std::make_shared<commands::MessageMails>();
    auto look = [mails, id = call.input.path.id()](commands::View const& view, commands::Context const& /*context*/) {
        *mails = commands::message_mails(view, id);
        return true;
    };
    auto answered = co_await look_ahead(call, std::move(look));
    if (answered) co_return *std::move(answered);
    co_return Outcome{.body = core::to_json(*mails)};
}

Operation mails_of_message() {
    Operation row;
    row.name = "messages.mails";
    row.summary = "To whom a message waits to be sent";
    row.effect = Effect::write;  // of its partition's writer
    row.handler = find_mails;
    return std::move(row).by_installation().on(Kind::message);
}

}  // namespace

std::vector<Operation> message_operations() {
    using enum net::Method;
    return {
        message_list(),
        message_reading(),
        message_sending(),
        message_to(),
        command<commands::RetractMessage>("messages.retract", "Take a message back")
            .says(
                "Takes your message back, within 15 minutes: its text is gone, and it is shown as taken back. What has "
                "left by e-mail stays there.")
            .refuses({core::Code::invalid_state_transition})
            .needs("communications.create")
            .reaches_own_rows(OwnBy::user)
            .on(Kind::message)
            .destroys()
            .at(del, "/api/messages/{id:int}"),
        mails_of_message(),
        command<commands::SettleDeliveries>("messages.settle_deliveries", "How a message came to its recipients")
            .by_installation()
            .on(Kind::message),
    };
}

std::vector<StructWords> message_words() {
    return {
        {{"messages/"}, {{"id", "The message's id, from {messages.list}"}}},
        {{"MessageDetails"},
         {{"conversationId", "The conversation, from {conversations.list}"},
          {"facilityId", "The conversation's facility; null: of the organization as a whole"},
          {"senderType", "Whether a user wrote it, an agent, or the system"},
          {"senderId", "The user or the agent; 0: the system"},
          {"deliveries", "How it came to each recipient, by each channel"}}},
        {{"MessageDetails", "MessageContent"},
         {{"body", "The text"},
          {"channels", "Ways by which it comes besides the conversation: email, sms; in_app alone by default"}}},
        {{"MessageFlags"}, {{"retractedAt", "When its sender took it back, and the text went; null: it stands"}}},
        {{"MessageDelivery"},
         {{"recipientType", "Whether the recipient is a user or staff"},
          {"recipientId", "The user's or staff member's id"},
          {"channel", "By which way"},
          {"status", "How far it is"},
          {"error",
           "Why it failed: no_address, not_configured, inactive, retracted or erased before it left; else empty"}}},
        {{"CreateMessage"}, {{"to", "To whom; at least one of its members"}}},
        {{"MessageRecipients"},
         {{"userIds", "Users, from {users.list}"},
          {"staffIds", "Staff, from {staff.list}"},
          {"facilityId", "All active staff of this facility and of none, from {facilities.list}"},
          {"shiftId", "Those who are on this shift, from {shifts.list}"}}},
        {{"StartedConversation"}, {{"conversation", "What was begun"}, {"message", "What was sent"}}},
        {{"SenderType"}, {{"", "Who wrote a message"}}},
        {{"MessageChannel"}, {{"", "By which way a message comes"}}},
        {{"DeliveryStatus"}, {{"", "How far a message is on its way to somebody"}}},
    };
}

}  // namespace workforce::operations
