// GET /messages and /messages/{id}: conversations, and what was said in one.
#include "core/json_values.hpp"
#include "events/message.hpp"
#include "operations/dashboard/list_view.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kMessagesPage = "pages.messages";
constexpr std::string_view kConversationPage = "pages.conversation";
constexpr std::string_view kBeginConversation = "pages.begin_conversation";
constexpr std::string_view kSendMessage = "pages.send_message";
constexpr std::string_view kMessageCursor = "cursor";
constexpr std::size_t kMostParticipants = 30;  // people who take part

ListView const& conversation_list() {
    using Look = ListColumn::Look;
    static ListView const view{.path = "/messages",
                               .operation = "conversations.list",
                               .what = "Conversations, the latest first",
                               .row_path = "/messages",
                               .noun = "Conversation",
                               .filters = {{.name = "q", .label = "Subject"},
                                           {.name = "type",
                                            .label = "Type",
                                            .look = ListFilter::Look::choice,
                                            .values = {"direct", "group", "broadcast", "agent"}}},
                               .columns = {{"Subject", "subject"},
                                           {"Unread", "unreadCount"},
                                           {"Last message", "lastMessageAt"},
                                           {"Type", "type", Look::words},
                                           {"Begun by", "createdBy", Look::user}}};
    return view;
}

FormInput body_input() { return {.member = "body", .label = "Message", .kind = InputKind::area, .required = true}; }
FormInput channels_input() {
    return {.member = "channels",
            .label = "Send it also by",
            .kind = InputKind::boxes,
            .hint = "It is always shown here",
            .values = {"email", "sms"}};
}

std::vector<FormInput> const& begin_inputs() {
    using enum InputKind;
    static std::vector<FormInput> const inputs{
        {.member = "to/userIds", .label = "To users", .kind = boxes},
        {.member = "to/staffIds", .label = "To staff", .kind = boxes},
        {.member = "to/facilityId", .label = "To all active staff of a facility", .kind = id},
        {.member = "subject", .label = "Subject"},
        body_input(),
        channels_input()};
    return inputs;
}
std::vector<FormInput> const& send_inputs() {
    static std::vector<FormInput> const inputs{body_input(), channels_input()};
    return inputs;
}

boost::asio::awaitable<void> fill_messages(Call& call, PageContent& content) {
    co_await add_list_view(call, content, conversation_list());
    if (!may_ask(*call.caller, "messages.create")) co_return;
    FormContent form{.typed = sent_by(call, kBeginConversation)};
    form.choices.emplace("to/userIds", co_await user_choices(call));
    std::erase_if(form.choices["to/userIds"],
                  [own = std::to_string(call.caller->user.id)](auto const& each) { return each.value == own; });
    if (call.caller->permits(core::Permission("staff.view"))) {
        form.choices.emplace("to/staffIds", co_await staff_choices(call));
        form.choices.emplace("to/facilityId", co_await facility_choices(call));
    }
    // Whoever sees themselves alone can name nobody.
    std::vector<FormInput> inputs;
    for (auto const& input : begin_inputs()) {
        bool const names = input.member.starts_with("to/");
        if (!names || !form.choices[input.member].empty()) inputs.push_back(input);
    }
    bool const someone = inputs.front().member.starts_with("to/");
    if (someone) content.add_json("begin", form_json("/messages", "Send", inputs, form));
    content.add_json("nobody", someone ? "false" : "true");
    content.add_json("sent", form.typed ? "true" : "false");
}

boost::asio::awaitable<std::string> sender_of(Call const& call, RowNames& names, core::JsonValue const& message) {
    auto const sender = message["senderId"].GetInt64();
    if (message["senderType"] == "system") co_return "The system";
    if (message["senderType"] == "agent") co_return co_await names.name(NamedMember::What::agent, sender);
    if (sender == call.caller->user.id) co_return "You";
    co_return co_await names.name(NamedMember::What::user, sender);
}

/// "email: 2 sent, 1 failed" of how a message came to people besides this page.
std::string deliveries_text(core::JsonValue const& message) {
    std::map<std::string, std::map<std::string, int>> counts;
    for (auto const& delivery : message["deliveries"].GetArray()) {
        if (delivery["channel"] == "in_app") continue;
        ++counts[delivery["channel"].GetString()][in_words(delivery["status"].GetString())];
    }
    std::string text;
    for (auto const& [channel, states] : counts) {
        text += (text.empty() ? "" : "; ") + channel + ":";
        bool first = true;
        for (auto const& [state, count] : states) {
            text += fmt::format("{} {} {}", first ? "" : ",", count, state);
            first = false;
        }
    }
    return text;
}

boost::asio::awaitable<void> add_messages(Call& call, PageContent& content, RowNames& names) {
    QueryMap query{{"limit", "50"}};
    if (auto cursor = parameter_of(call, kMessageCursor); !cursor.empty())
        query.emplace(kMessageCursor, std::move(cursor));
    auto const outcome = co_await ask(
        call, {.operation = "messages.list", .path = path_of(call.input.path.id()), .parameters = std::move(query)});
    if (outcome.status >= 300) {
        content.remark("The messages can't be shown: " + problem_of(outcome));
        co_return;
    }
    auto const earliest = core::to_string(core::Timestamp{core::now().ms - events::kRetractableMs});
    bool const may_retract = may_ask(*call.caller, "messages.retract");
    auto document = core::parse_json(outcome.body);
    auto& allocator = document->GetAllocator();
    for (auto& row : (*document)["data"].GetArray()) {
        auto const sender = co_await sender_of(call, names, row);
        auto const deliveries = deliveries_text(row);
        bool const retracted = !row["retractedAt"].IsNull();
        bool const fresh = std::string_view(row["createdAt"].GetString()) > earliest;
        row.AddMember("sender", core::JsonValue(sender, allocator), allocator);
        row.AddMember("came", core::JsonValue(deliveries, allocator), allocator);
        row.AddMember("retractable", may_retract && !retracted && fresh && sender == "You", allocator);
    }
    content.add_json("messages", core::json_of(*document));
}

boost::asio::awaitable<std::string> people_of(RowNames& names, core::JsonValue const& conversation) {
    std::string all;
    std::size_t shown = 0;
    std::size_t total = 0;
    for (auto const& [member, what] : {std::pair("participantUserIds", NamedMember::What::user),
                                       std::pair("participantStaffIds", NamedMember::What::person)}) {
        for (auto const& id : conversation[member].GetArray()) {
            if (++total > kMostParticipants) continue;
            all += (shown++ == 0 ? "" : ", ") + co_await names.name(what, id.GetInt64());
        }
    }
    if (total > kMostParticipants) all += fmt::format(" and {} more", total - kMostParticipants);
    co_return all;
}

boost::asio::awaitable<void> fill_conversation(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    auto const found =
        co_await content.add_subject("conversation", {.operation = "conversations.get", .path = path_of(id)});
    if (!found) co_return;
    std::string const subject = (*found)["subject"].GetString();
    content.set_title(subject.empty() ? fmt::format("Conversation {}", id) : subject);
    RowNames names(call);
    content.add_text("people", co_await people_of(names, *found));
    content.add_json("unread", (*found)["unreadCount"].GetInt64() > 0 ? "true" : "false");
    co_await add_messages(call, content, names);
    if (!may_ask(*call.caller, "messages.send")) co_return;
    FormContent const form{.typed = sent_by(call, kSendMessage)};
    content.add_json("send", form_json(fmt::format("/messages/{}", id), "Send", send_inputs(), form));
}

core::Result<Question> begin_conversation(Call const& /*call*/, FormFields const& fields) {
    return body_of(begin_inputs(), fields, Emptied::left_out).map([](std::string body) {
        return Question{.operation = "messages.create", .body = std::move(body)};
    });
}
core::Result<Question> send_to_conversation(Call const& call, FormFields const& fields) {
    return body_of(send_inputs(), fields, Emptied::left_out).map([&](std::string body) {
        return Question{.operation = "messages.send", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> retract_message(Call const& call, FormFields const& /*fields*/) {
    return Question{.operation = "messages.retract", .path = path_of(call.input.path.id("messageId"))};
}

}  // namespace

DashboardSection messages_section() {
    return {{.name = kMessagesPage,
             .path = "/messages",
             .title = "Messages",
             .summary = "One's conversations",
             .needs = "conversations.list",
             .text = templates::dashboard_messages,
             .parameters = parameters_of(conversation_list()),
             .fill = fill_messages},
            {{.name = kBeginConversation,
              .path = "/messages",
              .summary = "Begin a conversation by the form",
              .page = kMessagesPage,
              .done = "The message is sent.",
              .leads_to = kConversationPage,
              .made = "/conversation/id",
              .question = begin_conversation}}};
}

DashboardSection conversation_section() {
    return {{.name = kConversationPage,
             .path = "/messages/{id:int}",
             .title = "Conversation",
             .summary = "What was said in a conversation",
             .needs = "conversations.get",
             .in_menu = false,
             .text = templates::dashboard_conversation,
             .parameters = {kMessageCursor},
             .fill = fill_conversation},
            {{.name = kSendMessage,
              .path = "/messages/{id:int}",
              .summary = "Send a message by the form",
              .page = kConversationPage,
              .done = "The message is sent.",
              .question = send_to_conversation},
             {.name = "pages.read_conversation",
              .path = "/messages/{id:int}/read",
              .summary = "Mark a conversation as read by the form",
              .page = kConversationPage,
              .done = "All of it is marked as read.",
              .operation = "conversations.read"},
             {.name = "pages.retract_message",
              .path = "/messages/{id:int}/retract/{messageId:int}",
              .summary = "Take a message back by the form",
              .page = kConversationPage,
              .done = "The message is taken back.",
              .question = retract_message}}};
}

}  // namespace workforce::operations
