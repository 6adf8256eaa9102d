// The two eras of MCP, and which one a request is of (protocols.md; domain 6.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/mcp/json_rpc.hpp"
#include "net/http.hpp"

namespace workforce::api::mcp {

/// The revisions that are spoken, the newest first, and the newest of those that begin with `initialize`.
inline constexpr std::string_view kStateless = "2026-07-28";
inline constexpr std::string_view kHandshake = "2025-11-25";
inline constexpr std::string_view kOldest = "2025-06-18";

enum class Era : std::uint8_t {
    handshake,  ///< 2025-06-18 and 2025-11-25
    stateless,  ///< 2026-07-28
};

/// What a request says of its protocol.
struct Protocol {
    Era era = Era::handshake;
    /// Whether a stream may begin with an event without data: so since 2025-11-25.
    bool primed = false;
};

/// The request's era. Errors, in this order: header_mismatch where header and `_meta` differ, or where the header does
/// not name the method or the tool that the body does; unsupported_version; invalid_params for `_meta` without what it
/// must have. All of them are HTTP 400 and carry the request's id.
tl::expected<Protocol, RpcError> protocol_of(net::Request const& request, Message const& message);

/// The revision that `initialize` agrees on: the client's where it is spoken, else the newest.
std::string_view negotiate(std::string_view wanted);

}  // namespace workforce::api::mcp
