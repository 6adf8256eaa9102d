// What the suite's scenarios ask for.
#include "api/mcp/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <vector>

namespace workforce::api::mcp {
namespace {

using Result = tl::expected<std::string, RpcError>;
using boost::asio::awaitable;

constexpr std::string_view kImage =
    R"({"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==","mimeType":"image/png"})";
constexpr std::string_view kAudio =
    R"({"type":"audio","data":"UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==","mimeType":"audio/wav"})";
constexpr std::string_view kConditionalSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})";

awaitable<void> pause(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
}

std::string text_content(std::string_view text) {
    core::JsonWriter w;
    w.begin_object();
    w.member("type", "text");
    w.member("text", text);
    w.end_object();
    return w.take();
}

Result of_content(Exchange const& exchange, std::string_view content, bool is_error = false) {
    return content_result(fmt::format("[{}]", content), is_error, exchange.protocol.era);
}

awaitable<Result> simple_text(Exchange& exchange) {
    co_return of_content(exchange, text_content("This is a simple text response for testing."));
}
awaitable<Result> image_content(Exchange& exchange) { co_return of_content(exchange, kImage); }
awaitable<Result> audio_content(Exchange& exchange) { co_return of_content(exchange, kAudio); }
awaitable<Result> embedded_resource(Exchange& exchange) {
    co_return of_content(
        exchange,
        R"({"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}})");
}
awaitable<Result> multiple_content_types(Exchange& exchange) {
    co_return of_content(
        exchange,
        text_content("Multiple content types test:") + "," + std::string(kImage) +
            R"(,{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}})");
}
awaitable<Result> error_handling(Exchange& exchange) {
    co_return of_content(exchange, text_content("This tool intentionally returns an error for testing"), true);
}

/// How long a step lasts: `pauseMs` of the arguments, at most half a minute.
std::chrono::milliseconds pause_of(Exchange const& exchange) {
    auto const* const asked = find_member(exchange.message.param("arguments"), "pauseMs");
    bool const known = asked != nullptr && asked->IsInt() && asked->GetInt() >= 0;
    return std::min(std::chrono::milliseconds(known ? asked->GetInt() : 50), std::chrono::milliseconds(30'000));
}

/// Some steps with pauses, which a cancellation ends.
awaitable<Result> with_progress(Exchange& exchange) {
    constexpr std::chrono::milliseconds kLook{20};
    for (int const done : {0, 50, 100}) {
        if (exchange.progress) co_await exchange.progress(done, 100);
        auto left = done < 100 ? pause_of(exchange) : std::chrono::milliseconds(0);
        for (; left.count() > 0 && !exchange.cancellation->requested(); left -= kLook)
            co_await pause(std::min(left, kLook));
        if (exchange.cancellation->requested()) {
            co_return tl::unexpected(
                RpcError{RpcCode::cancelled, "The request was cancelled.", {}, 200, exchange.message.id});
        }
    }
    co_return of_content(exchange, text_content("Done."));
}

awaitable<Result> missing_capability(Exchange& exchange) {
    auto const* const capabilities =
        find_member(exchange.message.param("_meta"), "io.modelcontextprotocol/clientCapabilities");
    bool const lacks = exchange.protocol.era == Era::stateless && find_member(capabilities, "sampling") == nullptr;
    if (!lacks) co_return of_content(exchange, text_content("The client can sample."));
    co_return tl::unexpected(RpcError{RpcCode::missing_capability, "The tool needs a client that can sample.",
                                      R"({"requiredCapabilities":{"sampling":{}}})", 400, exchange.message.id});
}

DiagnosticTool tool(std::string_view name, awaitable<Result> (*call)(Exchange&),
                    std::string_view schema = R"({"type":"object"})") {
    return {name,
            fmt::format(R"({{"name":"{}","description":"For the conformance suite alone.","inputSchema":{}}})", name,
                        schema),
            call};
}

}  // namespace

std::span<DiagnosticTool const> diagnostic_tools() {
    static std::vector<DiagnosticTool> const tools{
        tool("test_simple_text", simple_text),
        tool("test_image_content", image_content),
        tool("test_audio_content", audio_content),
        tool("test_embedded_resource", embedded_resource),
        tool("test_multiple_content_types", multiple_content_types),
        tool("test_error_handling", error_handling),
        tool("test_tool_with_progress", with_progress),
        tool("json_schema_2020_12_tool", simple_text, kConditionalSchema),
        tool("test_reconnection", with_progress),
        tool("test_missing_capability", missing_capability),
        tool("test_streaming_elicitation", simple_text),
        tool("test_logging_tool", simple_text),
    };
    return tools;
}

DiagnosticTool const* find_diagnostic(std::string_view name) {
    auto const all = diagnostic_tools();
    auto const found = std::ranges::find(all, name, &DiagnosticTool::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace workforce::api::mcp
