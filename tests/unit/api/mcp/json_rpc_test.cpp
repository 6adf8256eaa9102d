// Messages and eras: what is taken, and which error each fault gets.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/mcp/json_rpc.hpp"
#include "api/mcp/protocol.hpp"
#include "api/mcp/stream.hpp"

namespace workforce::api::mcp {
namespace {

using nlohmann::json;

std::string fault_of(std::string_view body) {
    auto const message = read_message(body);
    if (message) return "";
    return std::to_string(static_cast<int>(message.error().code)) + " " + message.error().id;
}

TEST(RpcMessage, IsARequestANotificationOrAResponse) {
    auto request = read_message(R"({"jsonrpc":"2.0","id":0,"method":"ping"})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->kind, Message::Kind::request);
    EXPECT_EQ(request->id, "0");
    EXPECT_EQ(request->method, "ping");
    EXPECT_EQ(request->params, nullptr);
    auto const moved = *std::move(request);
    EXPECT_EQ(moved.method, "ping");
    auto const notice =
        read_message(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})");
    ASSERT_TRUE(notice);
    EXPECT_EQ(notice->kind, Message::Kind::notification);
    EXPECT_EQ(as_text(notice->param("requestId")), "a");
    EXPECT_EQ(read_message(R"({"jsonrpc":"2.0","id":"x","result":{}})")->kind, Message::Kind::response);
    EXPECT_EQ(read_message(R"({"jsonrpc":"2.0","id":"a\"b","method":"m"})")->id, R"("a\"b")");
}

TEST(RpcMessage, TellsWhatIsNone) {
    EXPECT_EQ(fault_of("{"), "-32700 null");
    EXPECT_EQ(fault_of(""), "-32700 null");
    EXPECT_EQ(fault_of(std::string(40, '[') + std::string(40, ']')), "-32700 null");
    EXPECT_EQ(fault_of(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), "-32600 null");
    EXPECT_EQ(fault_of("7"), "-32600 null");
    EXPECT_EQ(fault_of(R"({"id":1,"method":"ping"})"), "-32600 1");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), "-32600 1");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), "-32600 null");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"), "-32600 null");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":2})"), "-32600 2");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":2,"method":7})"), "-32600 2");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":2,"method":"ping","params":[]})"), "-32600 2");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":2,"method":"ping","method":"ping"})"), "-32600 null");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"name":1,"name":2}})"), "-32600 2");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"_meta":{"a":1,"a":2}}})"), "-32600 2");
    EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"arguments":{"a":1,"a":2}}})"), "")
        << "the tool tells of its arguments";
}

TEST(RpcMessage, TakesNoLongTextThatEachAnswerRepeats) {
    auto const message = [](std::string const& id, std::string const& token) {
        return fault_of(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"m","params":{"_meta":{"progressToken":)" +
                        token + "}}}");
    };
    auto const text = [](std::size_t size) { return '"' + std::string(size, 'i') + '"'; };
    EXPECT_EQ(message(text(256), text(256)), "");
    EXPECT_EQ(message(text(257), "1"), "-32600 null");
    EXPECT_EQ(message("1", text(257)), "-32600 1");
    EXPECT_EQ(message("1", "{}"), "-32600 1");
}

TEST(RpcError, TellsCodeSuggestionAndRequest) {
    auto const error = rpc_error({core::Code::unauthenticated, "No credential."}, "req_1");
    EXPECT_EQ(error.status, 401U);
    auto const told = json::parse(error_message(error));
    EXPECT_EQ(told["id"], nullptr);
    EXPECT_EQ(told["error"]["code"], -32001);
    EXPECT_EQ(told["error"]["data"]["code"], "UNAUTHENTICATED");
    EXPECT_EQ(told["error"]["data"]["requestId"], "req_1");
    EXPECT_NE(told["error"]["message"].get<std::string>().find("\nSuggestion: "), std::string::npos);
}

constexpr std::string_view kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                   R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string era_of(std::vector<net::Header> headers, std::string_view method, std::string_view params) {
    net::Request request;
    request.headers = std::move(headers);
    auto const message = read_message(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                                      R"(","params":{)" + std::string(params) + "}}");
    auto const protocol = protocol_of(request, message.value());
    if (protocol) return protocol->era == Era::stateless ? "stateless" : protocol->primed ? "primed" : "handshake";
    EXPECT_EQ(protocol.error().status, 400U);
    EXPECT_EQ(protocol.error().id, "1");
    return std::to_string(static_cast<int>(protocol.error().code));
}

TEST(Protocol, GoesByHeaderAndMeta) {
    net::Header const now{"MCP-Protocol-Version", "2026-07-28"};
    net::Header const list{"mcp-method", "tools/list"};
    EXPECT_EQ(era_of({}, "tools/list", ""), "handshake");
    EXPECT_EQ(era_of({{"Mcp-Protocol-Version", "2025-06-18"}}, "tools/list", ""), "handshake");
    EXPECT_EQ(era_of({{"Mcp-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "x"}}, "initialize", ""), "primed");
    EXPECT_EQ(era_of({{"Mcp-Protocol-Version", "2024-11-05"}}, "tools/list", ""), "-32022");
    EXPECT_EQ(era_of({now, list}, "tools/list", kMeta), "stateless");
    EXPECT_EQ(era_of({now, list}, "tools/list", ""), "-32602");
    EXPECT_EQ(era_of({now, list}, "tools/list", R"("_meta":{})"), "-32602");
    EXPECT_EQ(era_of({now, list}, "tools/list", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})"),
              "-32602");
    EXPECT_EQ(era_of({list}, "tools/list", kMeta), "-32020") << "the header is missing";
    EXPECT_EQ(era_of({{"MCP-Protocol-Version", "v9"}, list}, "tools/list", kMeta), "-32020");
    EXPECT_EQ(era_of({{"MCP-Protocol-Version", "v9"}, list}, "tools/list",
                     R"("_meta":{"io.modelcontextprotocol/protocolVersion":"v9"})"),
              "-32022");
    EXPECT_EQ(era_of({now}, "tools/list", kMeta), "-32020");
    EXPECT_EQ(era_of({now, {"Mcp-Method", "Tools/list"}}, "tools/list", kMeta), "-32020");
}

TEST(Protocol, ComparesTheToolsName) {
    std::string const params = R"("name":"whoami",)" + std::string(kMeta);
    auto const of_name = [&](std::string_view name) {
        return era_of(
            {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", std::string(name)}},
            "tools/call", params);
    };
    EXPECT_EQ(of_name("whoami"), "stateless");
    EXPECT_EQ(of_name("=?base64?d2hvYW1p?="), "stateless");
    EXPECT_EQ(of_name("Whoami"), "-32020");
    EXPECT_EQ(of_name("=?base64?!!?="), "-32020");
    EXPECT_EQ(of_name(""), "-32020");
}

TEST(EventId, IsReadAsItWasSent) {
    auto const id = parse_event_id("st_abc:12");
    ASSERT_TRUE(id);
    EXPECT_EQ(id->stream, "st_abc");
    EXPECT_EQ(id->seq, 12);
    for (auto const* bad :
         {"", ":", "st_abc", "st_abc:", "st_abc:x", "st_abc:-1", "abc:1", "st_abc:99999999999999999999"}) {
        EXPECT_FALSE(parse_event_id(bad)) << bad;
    }
    EXPECT_NE(new_stream_id(), new_stream_id());
}

}  // namespace
}  // namespace workforce::api::mcp
