#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "workers/llm/provider.hpp"

namespace workforce::workers {
namespace {

using nlohmann::json;

LlmRequest llm_request() {
    LlmRequest request;
    request.model = "model-1";
    request.system = "Fill shifts.";
    request.user = R"(Input: {"facilityId":3})";
    request.tools = {{"shifts_list", "Lists shifts", R"({"type":"object","properties":{"q":{"type":"string"}}})"}};
    request.exchanges.push_back(
        {{"Let me look.", {{"call_1", "shifts_list", R"({"q":"a \"b\""})"}, {"call_2", "no_such", "{not json"}}},
         {{"call_1", R"({"data":[]})", false}, {"call_2", "There is no such tool.", true}}});
    request.exchanges.push_back({{"", {{"call_3", "shifts_list", "{}"}}}, {{"call_3", "{}", false}}});
    request.max_output_tokens = 77;
    return request;
}

LlmWire const& openai() { return *find_llm_wire("openai"); }
LlmWire const& anthropic() { return *find_llm_wire("anthropic"); }

json sent(LlmWire const& wire) { return json::parse(wire.encode(llm_request())); }

TEST(LlmWire, OpenAiIsToldWhatWasSaidSoFar) {
    auto const body = sent(openai());
    EXPECT_EQ(body["model"], "model-1");
    EXPECT_EQ(body["max_completion_tokens"], 77);
    auto const& messages = body["messages"];
    ASSERT_EQ(messages.size(), 7U);
    EXPECT_EQ(messages[0], json({{"role", "system"}, {"content", "Fill shifts."}}));
    EXPECT_EQ(messages[1], json({{"role", "user"}, {"content", R"(Input: {"facilityId":3})"}}));
    EXPECT_EQ(messages[2]["role"], "assistant");
    EXPECT_EQ(messages[2]["content"], "Let me look.");
    EXPECT_EQ(messages[2]["tool_calls"][0],
              json({{"id", "call_1"},
                    {"type", "function"},
                    {"function", {{"name", "shifts_list"}, {"arguments", R"({"q":"a \"b\""})"}}}}));
    EXPECT_EQ(messages[2]["tool_calls"][1]["function"]["arguments"], "{not json");
    EXPECT_EQ(messages[3], json({{"role", "tool"}, {"tool_call_id", "call_1"}, {"content", R"({"data":[]})"}}));
    EXPECT_EQ(messages[4]["tool_call_id"], "call_2");
    EXPECT_TRUE(messages[5]["content"].is_null());
    EXPECT_EQ(body["tools"][0]["function"]["parameters"]["properties"]["q"]["type"], "string");
    EXPECT_EQ(body["tools"][0]["type"], "function");
}

TEST(LlmWire, AnthropicIsToldWhatWasSaidSoFar) {
    auto const body = sent(anthropic());
    EXPECT_EQ(body["max_tokens"], 77);
    EXPECT_EQ(body["system"], "Fill shifts.");
    auto const& messages = body["messages"];
    ASSERT_EQ(messages.size(), 5U);
    EXPECT_EQ(messages[0]["role"], "user");
    EXPECT_EQ(messages[0]["content"][0]["text"], R"(Input: {"facilityId":3})");
    auto const& said = messages[1]["content"];
    ASSERT_EQ(said.size(), 3U);
    EXPECT_EQ(said[0], json({{"type", "text"}, {"text", "Let me look."}}));
    EXPECT_EQ(said[1],
              json({{"type", "tool_use"}, {"id", "call_1"}, {"name", "shifts_list"}, {"input", {{"q", "a \"b\""}}}}));
    EXPECT_EQ(said[2]["input"], json::object()) << "what is no object is none";
    auto const& results = messages[2]["content"];
    EXPECT_EQ(messages[2]["role"], "user");
    EXPECT_EQ(results[0], json({{"type", "tool_result"}, {"tool_use_id", "call_1"}, {"content", R"({"data":[]})"}}));
    EXPECT_EQ(results[1]["is_error"], true);
    EXPECT_EQ(messages[3]["content"].size(), 1U) << "an empty text is refused there";
    EXPECT_EQ(body["tools"][0]["input_schema"]["type"], "object");
    EXPECT_EQ(body["tools"][0]["name"], "shifts_list");
}

TEST(LlmWire, AnInventedNameIsToldAsProvidersTakeIt) {
    auto request = llm_request();
    request.exchanges.front().turn.calls[0].tool = "staff.list all\u2026";
    request.exchanges.front().turn.calls[1].tool = std::string(100, 'n');
    request.exchanges.back().turn.calls[0].tool.clear();
    auto const told = json::parse(openai().encode(request))["messages"];
    EXPECT_EQ(told[2]["tool_calls"][0]["function"]["name"], "staff_list_all___");
    EXPECT_EQ(told[2]["tool_calls"][1]["function"]["name"], std::string(64, 'n'));
    EXPECT_EQ(told[5]["tool_calls"][0]["function"]["name"], "_");
    auto const also = json::parse(anthropic().encode(request))["messages"];
    EXPECT_EQ(also[1]["content"][1]["name"], "staff_list_all___");
    EXPECT_EQ(also[3]["content"][0]["name"], "_");
}

TEST(LlmWire, WithoutToolsNoneAreNamed) {
    for (auto const* wire : {&openai(), &anthropic()}) {
        LlmRequest bare;
        bare.user = "Go.";
        auto const body = json::parse(wire->encode(bare));
        EXPECT_FALSE(body.contains("tools")) << wire->name;
        EXPECT_FALSE(body.contains("system")) << wire->name;
    }
}

TEST(LlmWire, ReadsWhatOpenAiSays) {
    auto const answer = openai().decode(R"({"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant",
        "content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"whoami","arguments":"{\"a\":1}"}},
        {"id":"c1","function":{"name":"x","arguments":""}},{"function":{"name":"y","arguments":{"b":2}}},7]}}],
        "usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17}})");
    ASSERT_TRUE(answer) << answer.error();
    ASSERT_EQ(answer->turn.calls.size(), 4U);
    EXPECT_EQ(answer->turn.calls[0].arguments, R"({"a":1})");
    EXPECT_EQ(answer->turn.calls[1].arguments, "{}");
    EXPECT_NE(answer->turn.calls[1].id, "c1") << "no two results have one id";
    EXPECT_EQ(answer->turn.calls[2].arguments, R"({"b":2})");
    EXPECT_FALSE(answer->turn.calls[3].id.empty());
    EXPECT_EQ(answer->input_tokens, 12);
    EXPECT_EQ(answer->output_tokens, 5);
    EXPECT_EQ(openai().decode(R"({"choices":[{"message":{"content":"Done."}}]})")->turn.text, "Done.");
    EXPECT_EQ(openai().decode(R"({"choices":[{"message":{"content":null,"refusal":"No."}}]})")->turn.text, "No.");
    auto const parts =
        R"({"choices":[{"message":{"content":[{"type":"text","text":"I "},{"type":"x"},{"text":"look."}]}}]})";
    EXPECT_EQ(openai().decode(parts)->turn.text, "I look.");
}

TEST(LlmWire, ReadsWhatAnthropicSays) {
    auto const answer =
        anthropic().decode(R"({"content":[{"type":"text","text":"I "},{"type":"thinking","thinking":"…"},
        {"type":"text","text":"look."},{"type":"tool_use","id":"toolu_1","name":"whoami","input":{"a":1}},5],
        "stop_reason":"tool_use","usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":2}})");
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->turn.text, "I look.");
    ASSERT_EQ(answer->turn.calls.size(), 1U);
    EXPECT_EQ(answer->turn.calls[0].id, "toolu_1");
    EXPECT_EQ(answer->turn.calls[0].arguments, R"({"a":1})");
    EXPECT_EQ(answer->input_tokens, 10);
    EXPECT_EQ(answer->output_tokens, 2);
}

TEST(LlmWire, WhatIsNoAnswerIsNone) {
    for (auto const* garbage :
         {"", "data: {\"choices\":[]}\n\n", "[]", "{}", "null", R"({"choices":[]})", R"({"choices":{}})",
          R"({"choices":[{"message":5}]})", R"({"choices":["x"]})", R"({"choices":[{"message":{"content":5}}]})",
          R"({"choices":[{"message":{"content":"","tool_calls":{}}}]})"}) {
        EXPECT_FALSE(openai().decode(garbage)) << garbage;
    }
    for (auto const* garbage :
         {"", "event: message_start\n", "[]", "{}", R"({"content":"x"})", R"({"content":null})"}) {
        EXPECT_FALSE(anthropic().decode(garbage)) << garbage;
    }
    EXPECT_EQ(openai()
                  .decode(R"({"choices":[{"message":{}}],"usage":{"prompt_tokens":-1,"completion_tokens":"x"}})")
                  ->input_tokens,
              0);
}

TEST(LlmWire, ATurnHasBounds) {
    json calls = json::array();
    for (int i = 0; i < 100; ++i) {
        calls.push_back(
            {{"id", "c" + std::to_string(i)}, {"function", {{"name", std::string(5000, 'n')}, {"arguments", "{}"}}}});
    }
    json const body{{"choices", {{{"message", {{"content", std::string(100'000, 'x')}, {"tool_calls", calls}}}}}}};
    auto const answer = openai().decode(body.dump());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->turn.calls.size(), kMostCallsOfTurn);
    EXPECT_LE(answer->turn.calls[0].tool.size(), kMostToolName + 3);
    EXPECT_LE(answer->turn.text.size(), kMostTurnText + 3);
}

net::Reply llm_reply(unsigned status, std::string body, std::vector<net::Header> headers = {}) {
    net::Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    reply.headers = std::move(headers);
    return reply;
}

TEST(LlmJudgement, TellsWhatMayBeAskedAgain) {
    for (unsigned const status : {408U, 409U, 429U, 500U, 502U, 503U, 529U}) {
        EXPECT_TRUE(judge_llm(openai(), llm_reply(status, "")).again) << status;
    }
    for (unsigned const status : {201U, 302U, 400U, 401U, 403U, 404U, 413U, 422U}) {
        auto const judged =
            judge_llm(openai(), llm_reply(status, R"({"error":{"message":"sk-1234 has none","type":"no_credit"}})"));
        EXPECT_FALSE(judged.again) << status;
        EXPECT_FALSE(judged.answer);
        EXPECT_EQ(judged.why.find("sk-1234"), std::string::npos) << "a message may repeat keys";
        EXPECT_NE(judged.why.find("no_credit"), std::string::npos);
    }
    EXPECT_TRUE(judge_llm(openai(), llm_reply(200, "garbage")).again);
    auto cut = llm_reply(200, R"({"choices":[{"message":{}}]})");
    EXPECT_TRUE(judge_llm(openai(), cut).answer);
    cut.truncated = true;
    EXPECT_FALSE(judge_llm(openai(), cut).again);
}

TEST(LlmJudgement, HeedsRetryAfter) {
    EXPECT_EQ(judge_llm(openai(), llm_reply(429, "", {{"Retry-After", "2"}})).after, std::chrono::seconds(2));
    EXPECT_EQ(judge_llm(openai(), llm_reply(429, "", {{"retry-after", "99999999999"}})).after, kLongestPause);
    for (auto const* other : {"-1", "soon", "", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT"}) {
        EXPECT_FALSE(judge_llm(openai(), llm_reply(429, "", {{"Retry-After", other}})).after) << other;
    }
}

}  // namespace
}  // namespace workforce::workers
