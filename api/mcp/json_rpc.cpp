// Reading and writing messages.
#include "api/mcp/json_rpc.hpp"

#include <utility>

#include "core/excerpt.hpp"
#include "core/json.hpp"
#include "core/json_duplicates.hpp"

namespace workforce::api::mcp {
namespace {

tl::unexpected<RpcError> invalid(std::string message, std::string id = "null") {
    return tl::unexpected(RpcError{RpcCode::invalid_request, std::move(message), {}, 400, std::move(id)});
}

constexpr std::size_t kMostMessageBytes = 2000;  // of an error's text, which may repeat what was sent

/// Whether the value may name a request, or what it tells of its progress: each answer and each notice repeats it.
bool is_id(core::JsonValue const& value) {
    constexpr std::size_t kMostIdBytes = 256;
    return value.IsNumber() || (value.IsString() && value.GetStringLength() <= kMostIdBytes);
}

/// Which code tells of a refusal before a message was looked at.
RpcCode code_of(core::Problem const& problem) {
    switch (core::info(problem.code).status) {
        case 401:
            return RpcCode::unauthenticated;
        case 403:
            return RpcCode::denied;
        case 429:
            return RpcCode::refused;
        case 500:
        case 503:
            return RpcCode::internal_error;
        default:
            return RpcCode::invalid_request;
    }
}

std::string data_of(core::Problem const& problem, std::string_view suggestion, std::string_view request_id) {
    auto const& row = core::info(problem.code);
    core::JsonWriter w;
    w.begin_object();
    w.member("code", row.name);
    if (!problem.details.empty()) {
        w.key("details");
        w.raw(problem.details);
    }
    w.member("suggestion", suggestion);
    w.member("retryable", row.retryable);
    w.member("requestId", request_id);
    w.end_object();
    return w.take();
}

}  // namespace

core::JsonValue const* Message::param(std::string_view name) const { return find_member(params, name); }

tl::expected<Message, RpcError> read_message(std::string_view body) {
    auto document = core::parse_json(body);
    if (!document) return tl::unexpected(RpcError{RpcCode::parse_error, document.error().message, {}, 400});
    Message message;
    message.document = *std::move(document);
    auto const& root = message.document;
    if (root.IsArray()) return invalid("A body is one message; batches are not taken.");
    if (!root.IsObject()) return invalid("A message is an object.");
    if (core::has_duplicate_members(root)) return invalid("A member of the message comes more than once.");
    auto const* const id = find_member(&root, "id");
    if (id != nullptr && !is_id(*id)) return invalid("id must be a number, or a string of at most 256 bytes.");
    if (id != nullptr) message.id = json_of(*id);
    auto const told = message.id.empty() ? "null" : message.id;
    if (as_text(find_member(&root, "jsonrpc")) != "2.0") return invalid("jsonrpc must be \"2.0\".", told);
    auto const* const method = find_member(&root, "method");
    bool const answers = find_member(&root, "result") != nullptr || find_member(&root, "error") != nullptr;
    if (method == nullptr && answers && id != nullptr) {
        message.kind = Message::Kind::response;
        return message;
    }
    auto const name = as_text(method);
    if (!name || name->empty()) return invalid("method must be a text.", told);
    message.method = *name;
    message.kind = id == nullptr ? Message::Kind::notification : Message::Kind::request;
    message.params = find_member(&root, "params");
    if (message.params != nullptr && !message.params->IsObject()) return invalid("params must be an object.", told);
    auto const* const meta = message.param("_meta");
    bool const repeated = (message.params != nullptr && core::has_duplicate_members(*message.params)) ||
                          (meta != nullptr && core::has_duplicate_members(*meta));
    if (repeated) return invalid("A member of params comes more than once.", told);
    auto const* const token = find_member(meta, "progressToken");
    if (token != nullptr && !is_id(*token)) {
        return invalid("_meta.progressToken must be a number, or a string of at most 256 bytes.", told);
    }
    return message;
}

std::string result_message(std::string_view id, std::string_view result) {
    std::string text;
    text.reserve(id.size() + result.size() + 40);
    text.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)").append(result).append("}");
    return text;
}

std::string error_message(RpcError const& error) {
    core::JsonWriter w;
    w.begin_object();
    w.member("jsonrpc", "2.0");
    w.key("id");
    w.raw(error.id);
    w.key("error");
    w.begin_object();
    w.member("code", static_cast<std::int32_t>(error.code));
    w.member("message", core::excerpt(error.message, kMostMessageBytes));
    if (!error.data.empty()) {
        w.key("data");
        w.raw(error.data);
    }
    w.end_object();
    w.end_object();
    return w.take();
}

std::string notification(std::string_view method, std::string_view params) {
    std::string text(R"({"jsonrpc":"2.0","method":")");
    text.append(method).append(R"(","params":)").append(params).append("}");
    return text;
}

RpcError rpc_error(core::Problem const& problem, std::string_view request_id) {
    auto const& row = core::info(problem.code);
    auto const suggestion = problem.suggestion.empty() ? row.suggestion : std::string_view(problem.suggestion);
    return {code_of(problem), problem.message + "\nSuggestion: " + std::string(suggestion),
            data_of(problem, suggestion, request_id), row.status};
}

}  // namespace workforce::api::mcp
