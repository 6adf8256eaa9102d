// GET /messages and /messages/{id}: conversations, and what was said in one.
#include "core/json_values.hpp"
#include "events/message.hpp"
#include "operations/dashboard/page_options.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_table.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kMessagesPage = "pages.messages";
constexpr std::string_view kConversationPage = "pages.conversation";
constexpr std::string_view kBeginConversation = "pages.begin_conversation";
constexpr std::string_view kSendMessage = "pages.send_message";
constexpr std::string_view kMessageCursor = "cursor";
constexpr std::size_t kMostParticipants = 30;  // people who take part

ListShape const& conversation_list() {
    static ListShape const shape{
        .operation = "conversations.list",
        .path = "/messages",
        .filters = {{.name = "q", .label = "Subject"},
                    {.name = "type",
                     .label = "Type",
                     .kind = FieldKind::choice,
                     .values = {"direct", "group", "broadcast", "agent"},
                     .blank = "any"}},
        .table = {.caption = "Conversations, the latest first",
                  .none = "There are none.",
                  .columns = {{.member = "subject", .header = "Subject", .link = "/messages/", .noun = "Conversation"},
                              {.member = "unreadCount", .header = "Unread"},
                              {.member = "lastMessageAt", .header = "Last message"},
                              {.member = "type", .header = "Type", .shows = Shows::words},
                              {.member = "createdBy", .header = "Begun by", .shows = Shows::user}}}};
    return shape;
}

FormField body_input() { return {.name = "body", .label = "Message", .kind = FieldKind::area, .required = true}; }
FormField channels_input() {
    return {.name = "channels",
            .label = "Send it also by",
            .kind = FieldKind::ids,
            .values = {"email", "sms"},
            .hint = "It is always shown here"};
}

FormShape begin_conversation_form() {
    return {.form = kBeginConversation,
            .inputs = {{.name = "to.userIds", .label = "To users", .kind = FieldKind::ids},
                       {.name = "to.staffIds", .label = "To staff", .kind = FieldKind::ids},
                       {.name = "to.facilityId",
                        .label = "To all active staff of a facility",
                        .kind = FieldKind::id,
                        .nullable = true,
                        .blank = "–"},
                       {.name = "subject", .label = "Subject"},
                       body_input(),
                       channels_input()}};
}
FormShape send_message_form() { return {.form = kSendMessage, .inputs = {body_input(), channels_input()}}; }

boost::asio::awaitable<void> fill_messages(Call& call, PageContent& content) {
    RowNames rows(call);
    co_await add_list_page(call, content, rows, conversation_list());
    if (!may_ask(*call.caller, "messages.create")) co_return;
    InputOptions options;
    options.emplace("to.userIds", co_await user_choices(call));
    std::erase_if(options["to.userIds"],
                  [own = std::to_string(call.caller->user.id)](auto const& each) { return each.value == own; });
    if (call.caller->permits(core::Permission("staff.view"))) {
        options.emplace("to.staffIds", co_await staff_choices(call));
        options.emplace("to.facilityId", co_await facility_choices(call));
    }
    // A caller who sees nobody else can name nobody.
    auto form = begin_conversation_form();
    std::erase_if(form.inputs, [&](FormField const& input) {
        return input.name.starts_with("to.") && options[std::string(input.name)].empty();
    });
    bool const someone = form.inputs.front().name.starts_with("to.");
    if (someone) content.add_json("begin", shown_form(call, form, {}, options));
    content.add_json("nobody", someone ? "false" : "true");
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
        ++counts[delivery["channel"].GetString()][spoken(delivery["status"].GetString())];
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
    content.add_json("send", shown_form(call, send_message_form(), {}));
}

core::Result<Question> begin_conversation(Call const& /*call*/, FormFields const& fields) {
    return body_from(begin_conversation_form(), fields).map([](std::string body) {
        return Question{.operation = "messages.create", .body = std::move(body)};
    });
}
core::Result<Question> send_to_conversation(Call const& call, FormFields const& fields) {
    return body_from(send_message_form(), fields).map([&](std::string body) {
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
             .parameters = list_parameters(conversation_list()),
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
