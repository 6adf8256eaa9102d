// MCP: any body and headers are a message or an error, and arguments that a tool's schema takes become the operation's
// input.
#include "api/mcp/protocol.hpp"
#include "api/mcp/stream.hpp"
#include "operations/tools/tool.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

namespace mcp = api::mcp;

std::string_view line_of(std::string_view& input) {
    auto const end = input.find('\n');
    auto const line = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
    return line;
}

void require_json(std::string const& text) { require(core::parse_json(text).has_value(), "an answer is JSON"); }

void read_arguments(operations::Tool const& tool, core::JsonValue const& arguments) {
    if (!operations::check_arguments(tool, arguments).empty()) return;
    auto const input = operations::input_of(tool, arguments);
    if (!input) return;
    for (auto const& argument : tool.arguments) {
        if (argument.place != operations::ToolArgument::Place::path) continue;
        require(input->path.id(argument.field) >= 0, "each parameter of the path is there");
    }
}

}  // namespace

/// Three lines of headers, then the body.
void fuzz(std::string_view input) {
    net::Request request;
    for (auto const* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
        auto const value = line_of(input);
        if (!value.empty()) request.headers.emplace_back(name, value);
    }
    if (auto const id = mcp::parse_event_id(input)) require(id->seq >= 0, "events are counted");
    auto const message = mcp::read_message(input);
    if (!message) return require_json(mcp::error_message(message.error()));
    if (message->kind == mcp::Message::Kind::request) {
        require_json(mcp::result_message(message->id, "{}"));
        auto const protocol = mcp::protocol_of(request, *message);
        if (!protocol) require_json(mcp::error_message(protocol.error()));
    }
    auto const name = mcp::as_text(message->param("name"));
    auto const* const tool = name ? operations::find_tool(*name) : nullptr;
    auto const* const arguments = message->param("arguments");
    if (tool != nullptr && arguments != nullptr && arguments->IsObject()) read_arguments(*tool, *arguments);
}

}  // namespace workforce::tests
