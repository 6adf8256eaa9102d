// The MCP host without a process: hosts, refusals, results, and what is told of each call.
#include <string>
#include <vector>

#include "tests/unit/api/dispatch_fixture.hpp"

namespace workforce::api {
namespace {

using nlohmann::json;

constexpr char const* kHandshakeCall = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}})";

class McpTest : public DispatchTest {
   protected:
    net::Reply send(std::string body, std::vector<net::Header> headers = {}, net::Header credential = reader()) {
        headers.emplace_back("Host", "mcp.test");
        headers.emplace_back("Content-Type", "application/json");
        headers.push_back(std::move(credential));
        auto reply = ask(request(post, "/mcp", std::move(headers), std::move(body)));
        if (reply.on_sent) reply.on_sent();
        return reply;
    }
    net::Reply call(std::string_view tool, std::string_view arguments = "{}", int id = 1) {
        return send(json{{"jsonrpc", "2.0"},
                         {"id", id},
                         {"method", "tools/call"},
                         {"params", {{"name", tool}, {"arguments", json::parse(arguments)}}}}
                        .dump());
    }
    static json body_of(net::Reply const& reply) { return json::parse(reply.body); }
};

TEST_F(McpTest, GoesByTheHostField) {
    for (auto const* host : {"mcp.test", "MCP.test", "mcp.test:443"}) {
        EXPECT_EQ(ask(request(get, "/mcp/health", {{"Host", host}})).status, 200U) << host;
        EXPECT_EQ(ask(request(get, "/api/things/7", {{"Host", host}, reader()})).status, 404U) << host;
    }
    for (auto const* host : {"api.test", "mcp.test:80", "localhost", ""}) {
        EXPECT_EQ(code_of(ask(request(get, "/mcp/health", {{"Host", host}}))), "MCP_HOST_NOT_ALLOWED") << host;
        EXPECT_EQ(ask(request(get, "/api/things/7", {{"Host", host}, reader()})).status, 200U) << host;
    }
}

TEST_F(McpTest, RefusesInJsonRpc) {
    auto const stranger = ask(request(post, "/mcp", {{"Host", "mcp.test"}}, kHandshakeCall));
    EXPECT_EQ(stranger.status, 401U);
    EXPECT_EQ(body_of(stranger)["error"]["code"], -32001);
    EXPECT_NE(text(stranger, "WWW-Authenticate").find("https://mcp.test/.well-known/oauth-protected-resource/mcp"),
              std::string::npos);
    auto const text_body = ask(request(post, "/mcp", {{"Host", "mcp.test"}, reader()}, kHandshakeCall));
    EXPECT_EQ(text_body.status, 415U);
    EXPECT_EQ(body_of(text_body)["error"]["data"]["code"], "UNSUPPORTED_MEDIA_TYPE");
    auto const foreign = send(kHandshakeCall, {{"Origin", "https://evil.test"}});
    EXPECT_EQ(foreign.status, 403U);
    EXPECT_EQ(body_of(foreign)["id"], nullptr);
    EXPECT_TRUE(facts_.empty()) << "no call, no facts";
}

TEST_F(McpTest, AVersionOfAnyBytesIsRefusedInJson) {
    auto const refused = body_of(send(kHandshakeCall, {{"MCP-Protocol-Version", "20\xac"}}))["error"];
    EXPECT_EQ(refused["code"], -32022);
    EXPECT_EQ(refused["data"]["requested"], "20\xef\xbf\xbd");
}

TEST_F(McpTest, AnswersACallAndTellsOfIt) {
    auto const reply = call("whoami");
    auto const result = body_of(reply)["result"];
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(json::parse(result["content"][0]["text"].get<std::string>()), result["structuredContent"]);
    EXPECT_EQ(result["structuredContent"]["credential"]["id"], 4);
    ASSERT_EQ(facts_.size(), 1U);
    auto const& facts = facts_.front();
    EXPECT_EQ(facts.verb, "auth.me");
    EXPECT_EQ(facts.tool, "whoami");
    EXPECT_EQ(facts.channel, "mcp");
    EXPECT_EQ(facts.status, 200);
    EXPECT_EQ(facts.credential, 4);
    EXPECT_EQ(facts.organization, 1);
    EXPECT_EQ(facts.correlation.text(), text(reply, "X-Request-Id"));
    send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    EXPECT_EQ(facts_.size(), 1U) << "lists are not metered";
}

TEST_F(McpTest, TellsOneCallFromTheNext) {
    auto const digest_of = [&](std::string_view arguments, int id) {
        call("shifts_get", arguments, id);
        return facts_.back().dedupe;
    };
    auto const first = digest_of(R"({"shiftId":1,"orgUnitId":1})", 1);
    ASSERT_TRUE(first);
    EXPECT_EQ(first, digest_of(R"({"orgUnitId":1,"shiftId":1})", 1));
    EXPECT_NE(first, digest_of(R"({"shiftId":2,"orgUnitId":1})", 1));
    EXPECT_NE(first, digest_of(R"({"shiftId":1,"orgUnitId":1})", 2));
    config_.mcp_dedupe = "id_tool";
    restart();
    EXPECT_EQ(digest_of(R"({"shiftId":1})", 1), digest_of(R"({"shiftId":2})", 1));
}

TEST_F(McpTest, TellsOfDenialsAsErrors) {
    auto const denied = body_of(call("staff_get", R"({"staffId":1})"));
    EXPECT_EQ(denied["error"]["code"], -32003);
    EXPECT_EQ(denied["error"]["data"]["permission"], "staff.view");
    EXPECT_EQ(denied["error"]["data"]["tool"], "staff_get");
    EXPECT_EQ(facts_.back().status, 403);
    EXPECT_EQ(facts_.back().refused, core::Code::insufficient_scope);
    EXPECT_EQ(body_of(call("shifts_get", R"({"id":1})"))["error"]["code"], -32602);
    EXPECT_EQ(facts_.back().status, 400);
}

TEST_F(McpTest, AResultTellsOfTroubleInside) {
    auto const reply = call("shifts_get", R"({"shiftId":1})");  // there is no database
    auto const result = body_of(reply)["result"];
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(result["structuredContent"]["error"]["code"], "SERVICE_UNAVAILABLE");
    EXPECT_NE(result["content"][0]["text"].get<std::string>().find("\nSuggestion: "), std::string::npos);
    EXPECT_EQ(result["structuredContent"]["requestId"], text(reply, "X-Request-Id"));
    EXPECT_NE(result["content"][0]["text"].get<std::string>().find("\nRequest: " + text(reply, "X-Request-Id")),
              std::string::npos);
    EXPECT_EQ(result["_meta"]["svc/retryAfter"], 1);
    EXPECT_EQ(facts_.back().status, 503);
}

TEST_F(McpTest, ARefusalDoesNotGrowWithWhatWasSent) {
    json arguments;
    for (int i = 0; i < 5000; ++i) arguments["m" + std::to_string(i)] = 0;
    arguments[std::string(50'000, 'n')] = 0;
    auto const refused = call("whoami", arguments.dump());
    EXPECT_EQ(body_of(refused)["error"]["data"]["details"]["fields"].size(), 100U);
    EXPECT_EQ(body_of(refused)["error"]["data"]["details"]["total"], 5001);
    EXPECT_LT(refused.body.size(), 20'000U);
    auto const unknown = call(std::string(50'000, 't'));
    EXPECT_EQ(body_of(unknown)["error"]["code"], -32602);
    EXPECT_LT(unknown.body.size(), 3'000U);
    auto const method = send(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(50'000, 'm') + "\"}");
    EXPECT_EQ(body_of(method)["error"]["code"], -32601);
    EXPECT_LT(method.body.size(), 3'000U);
}

TEST_F(McpTest, AnswersThatNobodyReadsCountForTheirCredential) {
    constexpr char const* kList = R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})";
    net::Header const many{"Authorization", "Bearer 4 shifts:read staff:read crm:read"};
    std::vector<net::Reply> unread;
    unread.push_back(send(kList, {}, many));
    ASSERT_GT(unread.back().body.size(), 8U << 10) << "else it counts for nobody";
    EXPECT_EQ(replies_.used(), unread.back().body.size());
    while (unread.back().status == 200) {
        unread.push_back(send(kList, {}, many));
        ASSERT_LT(unread.size(), 200U);
    }
    EXPECT_EQ(unread.back().status, 503U);
    EXPECT_EQ(body_of(unread.back())["error"]["data"]["code"], "SERVICE_UNAVAILABLE");
    EXPECT_LE(replies_.used(), kReplyBytes / 4);
    EXPECT_EQ(call("whoami").status, 200U) << "what is small has room";
    unread.clear();
    EXPECT_EQ(replies_.used(), 0U);
}

TEST_F(McpTest, ListsWhatTheCallerMayCall) {
    auto const tools = body_of(send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"))["result"]["tools"];
    std::vector<std::string> names;
    for (auto const& tool : tools) names.push_back(tool["name"]);
    EXPECT_EQ(names, (std::vector<std::string>{"whoami", "approvals_get", "shifts_list", "shifts_get"}));
    EXPECT_EQ(
        body_of(
            send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"d2hvYW1p"}})"))["result"]["tools"]
            .size(),
        3U);
}

}  // namespace
}  // namespace workforce::api
