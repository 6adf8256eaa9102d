// Chat completions with tools, as OpenAI has them and many gateways and local servers.
#include "core/excerpt.hpp"
#include "workers/llm/wire.hpp"

namespace workforce::workers {

using core::as_text;
using core::find_member;
using core::JsonValue;
using core::JsonWriter;

namespace {

void write_message(JsonWriter& w, std::string_view role, std::string_view content) {
    w.begin_object();
    w.member("role", role);
    w.member("content", content);
    w.end_object();
}

void write_turn(JsonWriter& w, LlmTurn const& turn) {
    w.begin_object();
    w.member("role", "assistant");
    w.key("content");
    turn.text.empty() && !turn.calls.empty() ? w.null() : w.string(turn.text);
    if (!turn.calls.empty()) {
        w.key("tool_calls");
        w.begin_array();
        for (auto const& call : turn.calls) {
            w.begin_object();
            w.member("id", call.id);
            w.member("type", "function");
            w.key("function");
            w.begin_object();
            w.member("name", told_name(call.tool));
            w.member("arguments", call.arguments);
            w.end_object();
            w.end_object();
        }
        w.end_array();
    }
    w.end_object();
}

/// There is no member that says that a result is an error: its text does.
void write_result(JsonWriter& w, LlmResult const& result) {
    w.begin_object();
    w.member("role", "tool");
    w.member("tool_call_id", result.id);
    w.member("content", result.content);
    w.end_object();
}

void write_tools(JsonWriter& w, std::vector<LlmTool> const& tools) {
    w.key("tools");
    w.begin_array();
    for (auto const& tool : tools) {
        w.begin_object();
        w.member("type", "function");
        w.key("function");
        w.begin_object();
        w.member("name", tool.name);
        w.member("description", tool.description);
        w.key("parameters");
        w.raw(tool.parameters);
        w.end_object();
        w.end_object();
    }
    w.end_array();
}

std::string encode_completion(LlmRequest const& request) {
    JsonWriter w;
    w.begin_object();
    w.member("model", request.model);
    w.member("max_completion_tokens", request.max_output_tokens);
    w.key("messages");
    w.begin_array();
    if (!request.system.empty()) write_message(w, "system", request.system);
    write_message(w, "user", request.user);
    for (auto const& exchange : request.exchanges) {
        write_turn(w, exchange.turn);
        for (auto const& result : exchange.results) write_result(w, result);
    }
    w.end_array();
    if (!request.tools.empty()) write_tools(w, request.tools);
    w.end_object();
    return w.take();
}

LlmCall read_function_call(JsonValue const& value) {
    auto const* function = find_member(&value, "function");
    LlmCall call;
    call.id = as_text(find_member(&value, "id")).value_or("");
    call.tool = as_text(find_member(function, "name")).value_or("");
    auto const* arguments = find_member(function, "arguments");
    // Some servers give the object itself, and nothing where there are no arguments.
    if (auto const text = as_text(arguments)) {
        call.arguments = text->empty() ? "{}" : std::string(*text);
    } else {
        call.arguments = arguments != nullptr && !arguments->IsNull() ? core::json_of(*arguments) : "{}";
    }
    return call;
}

/// The model's text: the content itself, or the texts among its parts, as gateways have it. Nothing where it is
/// neither.
std::optional<std::string> read_content(JsonValue const& message) {
    auto const* content = find_member(&message, "content");
    if (content == nullptr || content->IsNull()) content = find_member(&message, "refusal");
    if (content == nullptr || content->IsNull()) return "";
    if (auto const text = as_text(content)) return std::string(*text);
    if (!content->IsArray()) return std::nullopt;
    std::string all;
    for (auto const& part : content->GetArray()) all += as_text(find_member(&part, "text")).value_or("");
    return all;
}

tl::expected<LlmAnswer, std::string> decode_completion(std::string_view body) {
    auto const document = core::parse_json(body);
    if (!document) return tl::unexpected(std::string("the answer is no JSON"));
    auto const* choices = find_member(&*document, "choices");
    bool const chosen = choices != nullptr && choices->IsArray() && !choices->Empty();
    auto const* message = chosen ? find_member(&(*choices)[0], "message") : nullptr;
    if (message == nullptr || !message->IsObject()) return tl::unexpected(std::string("the answer has no message"));
    LlmAnswer answer;
    auto const text = read_content(*message);
    if (!text) return tl::unexpected(std::string("the answer's content is no text"));
    answer.turn.text = core::excerpt(*text, kMostTurnText);
    if (auto const* calls = find_member(message, "tool_calls"); calls != nullptr && !calls->IsNull()) {
        if (!calls->IsArray()) return tl::unexpected(std::string("the answer's tool_calls are no list"));
        for (auto const& call : calls->GetArray()) answer.turn.calls.push_back(read_function_call(call));
    }
    settle_calls(answer.turn.calls);
    auto const* usage = find_member(&*document, "usage");
    answer.input_tokens = tokens_of(usage, "prompt_tokens");
    answer.output_tokens = tokens_of(usage, "completion_tokens");
    return answer;
}

}  // namespace

LlmWire const kOpenAiWire{"openai", "/chat/completions", encode_completion, decode_completion, true};

}  // namespace workforce::workers
