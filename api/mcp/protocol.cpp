// Headers against bodies.
#include "api/mcp/protocol.hpp"

#include <optional>
#include <utility>

#include "core/crypto.hpp"
#include "core/utf8.hpp"

namespace workforce::api::mcp {
namespace {

constexpr char const* kVersionMember = "io.modelcontextprotocol/protocolVersion";
constexpr char const* kCapabilitiesMember = "io.modelcontextprotocol/clientCapabilities";

RpcError bad_request(Message const& message, RpcCode code, std::string text, std::string data = {}) {
    return {code, std::move(text), std::move(data), 400, message.id.empty() ? "null" : message.id};
}

bool is_handshake(std::string_view version) { return version == kHandshake || version == kOldest; }

/// `requested` may come from a header, whose bytes need not be UTF-8.
RpcError unsupported(Message const& message, std::string_view requested) {
    auto const version = core::to_valid_utf8(requested);
    core::JsonWriter w;
    w.begin_object();
    w.key("supported");
    w.begin_array();
    for (auto const spoken : {kStateless, kHandshake, kOldest}) w.string(spoken);
    w.end_array();
    w.member("requested", version);
    w.end_object();
    return bad_request(message, RpcCode::unsupported_version,
                       "The protocol version " + version + " is not spoken here.", w.take());
}

/// A header's text: `=?base64?…?=` is text that HTTP can't carry.
std::string header_text(std::string_view value) {
    constexpr std::string_view kOpen = "=?base64?";
    constexpr std::string_view kClose = "?=";
    bool const encoded =
        value.size() >= kOpen.size() + kClose.size() && value.starts_with(kOpen) && value.ends_with(kClose);
    if (!encoded) return std::string(value);
    value.remove_prefix(kOpen.size());
    value.remove_suffix(kClose.size());
    return core::base64_decode(value).value_or("");
}

/// The parameter that Mcp-Name repeats, by the method; empty: none is repeated.
char const* named_parameter(std::string_view method) {
    if (method == "tools/call" || method == "prompts/get") return "name";
    return method == "resources/read" ? "uri" : "";
}

std::optional<RpcError> check_headers(net::Request const& request, Message const& message) {
    auto const method = request.header("Mcp-Method");
    if (!method || *method != message.method) {
        return bad_request(message, RpcCode::header_mismatch, "Mcp-Method must be the method of the body.");
    }
    std::string_view const parameter = named_parameter(message.method);
    if (parameter.empty()) return std::nullopt;
    auto const name = request.header("Mcp-Name");
    auto const told = as_text(message.param(parameter.data()));
    if (!name || !told || header_text(*name) != *told) {
        return bad_request(message, RpcCode::header_mismatch,
                           "Mcp-Name must be the " + std::string(parameter) + " of the body.");
    }
    return std::nullopt;
}

}  // namespace

tl::expected<Protocol, RpcError> protocol_of(net::Request const& request, Message const& message) {
    auto const header = request.header("MCP-Protocol-Version");
    auto const* const meta = message.param("_meta");
    auto const told = as_text(find_member(meta, kVersionMember));
    if (!told && !header) return Protocol{};
    bool const agree = !told || !header || *told == *header;
    auto const version = header ? *header : *told;
    if (agree && is_handshake(version)) return Protocol{.primed = version == kHandshake};
    if (!told && version != kStateless) return tl::unexpected(unsupported(message, version));
    bool const asks = message.kind == Message::Kind::request;
    if (told && (!header || *header != *told)) {
        return tl::unexpected(bad_request(message, RpcCode::header_mismatch,
                                          "MCP-Protocol-Version must be the version that _meta names."));
    }
    if (*header != kStateless) return tl::unexpected(unsupported(message, *header));
    auto const* const capabilities = find_member(meta, kCapabilitiesMember);
    if (asks && (!told || capabilities == nullptr || !capabilities->IsObject())) {
        return tl::unexpected(
            bad_request(message, RpcCode::invalid_params, "_meta must name protocolVersion and clientCapabilities."));
    }
    if (auto mismatch = check_headers(request, message)) return tl::unexpected(*std::move(mismatch));
    return Protocol{.era = Era::stateless};
}

std::string_view negotiate(std::string_view wanted) { return wanted == kOldest ? kOldest : kHandshake; }

}  // namespace workforce::api::mcp
