// The executor of models: what they are told, which call comes next, and how a run ends.
#include "operations/agents/llm_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/operations/agents/run_fixture.hpp"

namespace workforce::operations {
namespace {

using workers::LlmCall;
using workers::LlmTurn;

/// A run of a model.
tests::ScriptedRun model_run(std::int64_t most_turns = 50) {
    tests::ScriptedRun run("[]", R"({"why":"test"})", "", most_turns);
    run.in_hand.agent.instructions = std::string("Fill shifts.");
    return run;
}

void turn(tests::ScriptedRun& run, std::string text, std::vector<LlmCall> calls = {}) {
    run.fold(events::AgentRunTurnFinished{events::RunValue{core::to_json(LlmTurn{std::move(text), std::move(calls)})},
                                          100, 10});
}

NextInRun known(tests::ScriptedRun const& run) { return std::get<NextInRun>(next_of_model(run.in_hand)); }
workers::LlmRequest asked(tests::ScriptedRun const& run) {
    return std::get<AskModel>(next_of_model(run.in_hand)).request;
}
CallTool called(tests::ScriptedRun const& run) { return std::get<CallTool>(known(run)); }

TEST(LlmExecutor, FirstTellsTheTask) {
    auto const request = asked(model_run());
    EXPECT_EQ(request.system.find("Fill shifts."), 0U);
    EXPECT_NE(request.system.find("Europe/Berlin"), std::string::npos);
    EXPECT_EQ(request.user, R"(Input: {"why":"test"})");
    EXPECT_TRUE(request.exchanges.empty());
}

TEST(LlmExecutor, MakesTheCallsOfATurnInTheirOrder) {
    auto run = model_run();
    turn(run, "I look.", {{"a", "staff_list", R"({"q":"x"})"}, {"b", "staff_get", "{}"}});
    auto const first = called(run);
    EXPECT_EQ(first.place.step, "s1");
    EXPECT_EQ(first.place.tool, "staff_list");
    EXPECT_EQ(first.arguments, R"({"q":"x"})");
    EXPECT_FALSE(first.ends_on_error);
    run.answer(first, {R"({"data":[]})"});
    auto const second = called(run);
    EXPECT_EQ(second.place.step, "s2");
    run.answer(second, {"null", "NOT_FOUND"});
    auto const request = asked(run);
    ASSERT_EQ(request.exchanges.size(), 1U);
    auto const& results = request.exchanges.front().results;
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].id, "a");
    EXPECT_EQ(results[0].content, R"({"data":[]})");
    EXPECT_FALSE(results[0].is_error);
    EXPECT_EQ(results[1].content, R"({"error":{"code":"NOT_FOUND","message":"It failed."}})");
    EXPECT_TRUE(results[1].is_error);
    turn(run, "", {{"a", "staff_get", "{}"}});
    EXPECT_EQ(called(run).place.step, "s3") << "steps are counted over all turns";
}

TEST(LlmExecutor, EndsWithATurnOfNoCalls) {
    auto run = model_run();
    turn(run, "Nothing \"is\" open.");
    EXPECT_EQ(std::get<FinishRun>(known(run)).output, R"("Nothing \"is\" open.")");
}

TEST(LlmExecutor, TellsOfArgumentsThatAreNoObject) {
    for (std::string const arguments : {"", "{", "[1]", "5", "null", "\"a\""}) {
        auto run = model_run();
        turn(run, "", {{"a", "staff_list", arguments}});
        auto const next = known(run);
        auto const& event = std::get<events::AgentRunStepFinished>(std::get<RecordOnly>(next).event);
        EXPECT_EQ(event.step, "s1");
        EXPECT_EQ(event.error.value.value->code, "VALIDATION_ERROR");
        EXPECT_FALSE(event.startedAt.value);
        run.fold(event);
        EXPECT_TRUE(asked(run).exchanges.front().results.front().is_error) << arguments;
    }
    auto run = model_run();
    turn(run, "", {{"a", "staff_list", "{\"a\":\"" + std::string(40'000, 'x') + "\"}"}});
    EXPECT_TRUE(std::holds_alternative<RecordOnly>(known(run)));
}

TEST(LlmExecutor, RecordsNoNameThatAModelMadeUp) {
    auto run = model_run();
    turn(run, "", {{"a", "ask_mara_lind", "5"}, {"b", "staff_list", "5"}});
    for (std::string const tool : {"unknown", "staff_list"}) {
        auto const next = known(run);
        auto const& event = std::get<events::AgentRunStepFinished>(std::get<RecordOnly>(next).event);
        EXPECT_EQ(event.tool, tool);
        run.fold(event);
    }
    EXPECT_EQ(asked(run).exchanges.front().turn.calls.front().tool, "ask_mara_lind")
        << "the model is told as it said it";
}

TEST(LlmExecutor, TakesSoManyTurnsAtMost) {
    auto run = model_run(2);
    for (int i = 0; i < 2; ++i) {
        turn(run, "", {{"a", "staff_list", "{}"}});
        run.answer(called(run), {"{}"});
    }
    EXPECT_EQ(std::get<FailRun>(known(run)).code, "LIMIT_EXCEEDED");
}

TEST(LlmExecutor, TellsTheBeginningOfALongResult) {
    auto run = model_run();
    turn(run, "", {{"a", "staff_list", "{}"}});
    run.answer(called(run), {"\"" + std::string(100'000, 'x') + "\""});
    auto const content = asked(run).exchanges.front().results.front().content;
    EXPECT_LT(content.size(), 20'000U);
    EXPECT_NE(content.find("longer"), std::string::npos);
}

TEST(LlmExecutor, OffersWhatTheAgentAllowsAndRunsMayCall) {
    auto const offered = tools_for_model({"staff_*", "usage_*"});
    auto const has = [&](std::string_view name) {
        return std::ranges::count(offered, name, &workers::LlmTool::name) == 1;
    };
    EXPECT_TRUE(has("staff_get"));
    EXPECT_FALSE(has("shifts_list"));
    EXPECT_FALSE(has("usage_summary")) << "no run may call it";
    for (auto const& tool : offered) {
        EXPECT_FALSE(tool.description.empty()) << tool.name;
        EXPECT_TRUE(core::parse_json(tool.parameters).value().IsObject()) << tool.name;
    }
}

}  // namespace
}  // namespace workforce::operations
