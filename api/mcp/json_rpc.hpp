// JSON-RPC 2.0 messages, as MCP uses them: one a body, never a batch.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json_values.hpp"
#include "core/result.hpp"

namespace workforce::api::mcp {

/// Codes of JSON-RPC, of MCP, and of domain 6.
enum class RpcCode : std::int32_t {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    cancelled = -32800,
    refused = -32000,  ///< by a limit
    unauthenticated = -32001,
    denied = -32003,  ///< by scope, role, tier or policy
    header_mismatch = -32020,
    missing_capability = -32021,
    unsupported_version = -32022,
};

/// An error answer.
struct RpcError {
    RpcCode code = RpcCode::internal_error;
    std::string message;
    std::string data{};       ///< a JSON object, or empty
    unsigned status = 200;    ///< of HTTP
    std::string id = "null";  ///< JSON of the request's id
};

/// One message that came in. Its views live as long as it does.
struct Message {
    enum class Kind : std::uint8_t { request, notification, response };
    rapidjson::Document document;
    Kind kind = Kind::request;
    std::string id;           ///< JSON of a request's id; empty for a notification
    std::string_view method;  ///< empty for a response
    /// An object, or null where there are none.
    core::JsonValue const* params = nullptr;

    /// The member of that name of the params, or null.
    [[nodiscard]] core::JsonValue const* param(std::string_view name) const;
};

using core::as_text;
using core::find_member;
using core::json_of;

/// Reads a body. Errors: parse_error for what is no JSON, invalid_request for a batch, for what is no message, and for
/// an id or a progress token that is too long to be repeated; both with HTTP 400, and with the request's id where one
/// can be read.
tl::expected<Message, RpcError> read_message(std::string_view body);

/// The answer to a request; `id` and `result` are JSON.
std::string result_message(std::string_view id, std::string_view result);
/// The answer that refuses.
std::string error_message(RpcError const& error);
/// A notification; `params` is a JSON object.
std::string notification(std::string_view method, std::string_view params);

/// The problem as an error: its own code in `data.code`, with suggestion and request id, and `Suggestion:` in the
/// message (domain 6.1, 6.4). The HTTP status is the problem's.
RpcError rpc_error(core::Problem const& problem, std::string_view request_id);

}  // namespace workforce::api::mcp
