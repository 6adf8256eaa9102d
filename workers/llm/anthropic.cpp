// Messages with tools, as Anthropic has them.
#include "core/excerpt.hpp"
#include "workers/llm/wire.hpp"

namespace workforce::workers {

using core::as_text;
using core::find_member;
using core::JsonValue;
using core::JsonWriter;

namespace {

void write_text_block(JsonWriter& w, std::string_view text) {
    w.begin_object();
    w.member("type", "text");
    w.member("text", text);
    w.end_object();
}

template <class WriteBlocks>
void write_blocks(JsonWriter& w, std::string_view role, WriteBlocks blocks) {
    w.begin_object();
    w.member("role", role);
    w.key("content");
    w.begin_array();
    blocks();
    w.end_array();
    w.end_object();
}

/// Arguments that are no object are told as none: the result says what was wrong with them.
void write_tool_use(JsonWriter& w, LlmCall const& call) {
    auto const arguments = core::parse_json(call.arguments);
    w.begin_object();
    w.member("type", "tool_use");
    w.member("id", call.id);
    w.member("name", told_name(call.tool));
    w.key("input");
    w.raw(arguments && arguments->IsObject() ? call.arguments : "{}");
    w.end_object();
}

void write_tool_result(JsonWriter& w, LlmResult const& result) {
    w.begin_object();
    w.member("type", "tool_result");
    w.member("tool_use_id", result.id);
    w.member("content", result.content);
    if (result.is_error) w.member("is_error", true);
    w.end_object();
}

void write_exchange(JsonWriter& w, LlmExchange const& exchange) {
    write_blocks(w, "assistant", [&] {
        if (!exchange.turn.text.empty()) write_text_block(w, exchange.turn.text);  // an empty one is refused
        for (auto const& call : exchange.turn.calls) write_tool_use(w, call);
    });
    if (exchange.results.empty()) return;
    write_blocks(w, "user", [&] {
        for (auto const& result : exchange.results) write_tool_result(w, result);
    });
}

std::string encode_message(LlmRequest const& request) {
    JsonWriter w;
    w.begin_object();
    w.member("model", request.model);
    w.member("max_tokens", request.max_output_tokens);
    if (!request.system.empty()) w.member("system", request.system);
    w.key("messages");
    w.begin_array();
    write_blocks(w, "user", [&] { write_text_block(w, request.user); });
    for (auto const& exchange : request.exchanges) write_exchange(w, exchange);
    w.end_array();
    if (!request.tools.empty()) {
        w.key("tools");
        w.begin_array();
        for (auto const& tool : request.tools) {
            w.begin_object();
            w.member("name", tool.name);
            w.member("description", tool.description);
            w.key("input_schema");
            w.raw(tool.parameters);
            w.end_object();
        }
        w.end_array();
    }
    w.end_object();
    return w.take();
}

void read_block(JsonValue const& block, LlmTurn& turn) {
    auto const type = as_text(find_member(&block, "type")).value_or("");
    if (type == "text") turn.text += as_text(find_member(&block, "text")).value_or("");
    if (type != "tool_use") return;
    auto const* input = find_member(&block, "input");
    turn.calls.push_back({std::string(as_text(find_member(&block, "id")).value_or("")),
                          std::string(as_text(find_member(&block, "name")).value_or("")),
                          input != nullptr && !input->IsNull() ? core::json_of(*input) : "{}"});
}

tl::expected<LlmAnswer, std::string> decode_message(std::string_view body) {
    auto const document = core::parse_json(body);
    if (!document) return tl::unexpected(std::string("the answer is no JSON"));
    auto const* content = find_member(&*document, "content");
    if (content == nullptr || !content->IsArray()) return tl::unexpected(std::string("the answer has no content"));
    LlmAnswer answer;
    for (auto const& block : content->GetArray()) read_block(block, answer.turn);
    answer.turn.text = core::excerpt(answer.turn.text, kMostTurnText);
    settle_calls(answer.turn.calls);
    auto const* usage = find_member(&*document, "usage");
    answer.input_tokens = tokens_of(usage, "input_tokens") + tokens_of(usage, "cache_read_input_tokens") +
                          tokens_of(usage, "cache_creation_input_tokens");
    answer.output_tokens = tokens_of(usage, "output_tokens");
    return answer;
}

}  // namespace

LlmWire const kAnthropicWire{"anthropic", "/v1/messages", encode_message, decode_message, false};

}  // namespace workforce::workers
