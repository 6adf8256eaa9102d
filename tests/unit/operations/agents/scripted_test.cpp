// The scripted executor: order, templates, conditions, items, failures, and that nothing finished comes again.
#include "operations/agents/scripted.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/operations/agents/run_fixture.hpp"

namespace workforce::operations {
namespace {

using tests::ScriptedRun;

/// A plan of one step that echoes these arguments.
std::string echo(std::string const& arguments) { return R"([{"tool":"echo","arguments":)" + arguments + "}]"; }

TEST(ScriptedRun, DoesItsStepsInOrderAndGivesTheLastResult) {
    ScriptedRun run(R"([{"tool":"a","arguments":{"x":1}},{"tool":"b"}])");
    EXPECT_EQ(run.carry_out({{"1"}, {"[2]"}}), "a {\"x\":1}\nb {}\n= [2]");
    EXPECT_EQ(run.in_hand.run.steps.at(1).id, "s2");
    EXPECT_EQ(run.in_hand.run.usage.toolCalls, 2);
}

TEST(ScriptedRun, KeepsTheTypeOfATextThatIsOneTemplate) {
    ScriptedRun run(echo(R"({"n":"{{input.n}}","o":"{{ input.o }}","t":"{{input.t}}"})"),
                    R"({"n":7,"o":{"a":[true]},"t":"x"})");
    EXPECT_EQ(run.carry_out(), "echo {\"n\":7,\"o\":{\"a\":[true]},\"t\":\"x\"}\n= null");
}

TEST(ScriptedRun, PutsTextsAndOtherValuesIntoTexts) {
    ScriptedRun run(echo(R"({"t":"{{input.a}} and {{input.b}}!","l":["<{{input.c[1].d}}>"]})"),
                    R"({"a":"one","b":2,"c":[0,{"d":null}]})");
    EXPECT_EQ(run.carry_out(), "echo {\"t\":\"one and 2!\",\"l\":[\"<null>\"]}\n= null");
}

TEST(ScriptedRun, NamesResultsOfStepsBefore) {
    ScriptedRun run(R"([{"id":"open","tool":"list"},
                        {"tool":"take","arguments":{"first":"{{steps.open.result.data[0].id}}",
                                                    "all":"{{steps.open.result.data[*].id}}"}}])");
    EXPECT_EQ(run.carry_out({{R"({"data":[{"id":4},{"id":5}]})"}}),
              "list {}\ntake {\"first\":4,\"all\":[4,5]}\n= null");
}

TEST(ScriptedRun, TellsTheTimeOfItsLastEventWhereItIs) {
    ScriptedRun run(echo(R"({"d":"{{now.date}}","t":"{{now.time}}"})"));
    EXPECT_EQ(run.carry_out(), "echo {\"d\":\"2026-07-25\",\"t\":\"00:30\"}\n= null");
}

TEST(ScriptedRun, FailsWhereATemplateNamesNothing) {
    for (auto const* const path : {"input.none", "event.a", "item", "steps.s1.result", "input.a[0]", "input.t.x"}) {
        ScriptedRun run(echo(std::string(R"({"x":"{{)") + path + R"(}}"})"), R"({"a":[],"t":"text"})");
        EXPECT_EQ(run.carry_out().substr(0, 13), "PLAN_INVALID:") << path;
        EXPECT_EQ(run.in_hand.run.usage.toolCalls, 0) << path;
        EXPECT_EQ(run.in_hand.run.steps.at(0).status, events::RunStepStatus::error) << path;
    }
}

TEST(ScriptedRun, SkipsStepsWhoseConditionDoesNotHold) {
    std::string const plan = R"([{"id":"a","tool":"a","when":{"path":"input.n","op":"gt","value":3}},
                                 {"tool":"b","when":{"path":"steps.a.result","op":"exists","value":true}}])";
    EXPECT_EQ(ScriptedRun(plan, R"({"n":4})").carry_out({{"1"}, {"2"}}), "a {}\nb {}\n= 2");
    ScriptedRun skipping(plan, R"({"n":3})");
    EXPECT_EQ(skipping.carry_out(), "= null");
    EXPECT_EQ(skipping.in_hand.run.steps.at(0).status, events::RunStepStatus::skipped);
    EXPECT_EQ(skipping.in_hand.run.steps.at(1).status, events::RunStepStatus::skipped);
}

TEST(ScriptedRun, DoesAStepForEachItem) {
    ScriptedRun run(R"([{"id":"each","tool":"a","forEach":"input.l","arguments":{"v":"{{item.n}}","i":"{{index}}"}},
                        {"tool":"b","arguments":{"all":"{{steps.each.result}}"}}])",
                    R"({"l":[{"n":"x"},{"n":"y"}]})");
    EXPECT_EQ(run.carry_out({{"10"}, {"11"}, {"12"}}),
              "a {\"v\":\"x\",\"i\":0}\na {\"v\":\"y\",\"i\":1}\nb {\"all\":[10,11]}\n= 12");
    auto const& step = run.in_hand.run.steps.at(0);
    EXPECT_EQ(step.status, events::RunStepStatus::ok);
    ASSERT_TRUE(step.items);
    EXPECT_EQ((*step.items).size(), 2U);
}

TEST(ScriptedRun, DoesNothingForNoItems) {
    ScriptedRun run(R"([{"id":"each","tool":"a","forEach":"input.l"}])", R"({"l":[]})");
    EXPECT_EQ(run.carry_out(), "= []");
    EXPECT_EQ(run.in_hand.run.steps.at(0).status, events::RunStepStatus::ok);
}

TEST(ScriptedRun, EndsWhereAnArrayIsTooLongOrNone) {
    std::string list = "[0";
    for (int item = 1; item < 10'000; ++item) list += ",0";
    std::string const plan = R"([{"tool":"a","forEach":"input.l"}])";
    EXPECT_EQ(ScriptedRun(plan, R"({"l":)" + list + "]}").carry_out().substr(0, 15), "LIMIT_EXCEEDED:");
    EXPECT_EQ(ScriptedRun(plan, R"({"l":7})").carry_out().substr(0, 13), "PLAN_INVALID:");
    EXPECT_EQ(ScriptedRun(plan).carry_out().substr(0, 13), "PLAN_INVALID:");
}

TEST(ScriptedRun, StopsAtAFailureUnlessItIsToGoOn) {
    ScriptedRun stopping(R"([{"id":"x","tool":"a"},{"tool":"b"}])");
    EXPECT_EQ(stopping.carry_out({{"", "SHIFT_FULL"}}), "a {}\nTOOL_FAILED: Step x (a): SHIFT_FULL: It failed.");
    ScriptedRun going_on(R"([{"tool":"a","onError":"continue"},{"tool":"b"}])");
    EXPECT_EQ(going_on.carry_out({{"", "SHIFT_FULL"}, {"2"}}), "a {}\nb {}\n= 2");
}

TEST(ScriptedRun, StopsAtAFailureOfAnItemUnlessItIsToGoOn) {
    std::string const each = R"([{"tool":"a","forEach":"input.l","onError":)";
    std::string const input = R"({"l":[1,2,3]})";
    EXPECT_EQ(ScriptedRun(each + R"("stop"}])", input).carry_out({{"1"}, {"", "NOT_FOUND"}}),
              "a {}\na {}\nTOOL_FAILED: Step s1 (a): NOT_FOUND: It failed.");
    ScriptedRun going_on(each + R"("continue"}])", input);
    EXPECT_EQ(going_on.carry_out({{"1"}, {"", "NOT_FOUND"}, {"3"}}), "a {}\na {}\na {}\n= null");
    EXPECT_EQ(going_on.in_hand.run.steps.at(0).status, events::RunStepStatus::error);
    EXPECT_EQ(going_on.in_hand.run.steps.at(0).result.text, "[1,null,3]");
}

TEST(ScriptedRun, GoesOnFromTheNextItemAfterAnApproval) {
    ScriptedRun run(R"([{"tool":"a","forEach":"input.l","arguments":{"n":"{{item}}"}}])", R"({"l":[1,2,3]})");
    for (std::int64_t item = 0; item < 3; ++item) {
        auto const call = run.next_call();
        EXPECT_EQ(call.place.item.value, item);
        EXPECT_EQ(call.last, item == 2);
        events::AgentRunPendingApproval pending;
        static_cast<events::RunPlace&>(pending) = call.place;
        pending.approvalId = 40 + item;
        pending.arguments = events::RunValue{call.arguments};
        pending.last = call.last;
        run.fold(pending);
        EXPECT_EQ(run.in_hand.run.status, events::AgentRunStatus::pending_approval);
        EXPECT_EQ(run.in_hand.run.steps.at(0).status, events::RunStepStatus::deferred);
        events::AgentRunResumed resumed;
        resumed.approvalId = 40 + item;
        resumed.result = events::RunValue{std::to_string(item)};
        run.fold(resumed);
    }
    EXPECT_EQ(run.carry_out(), "= [0,1,2]");
    EXPECT_EQ(run.in_hand.run.steps.at(0).status, events::RunStepStatus::ok);
}

TEST(ScriptedRun, FailsWhereAnApprovedCallFailed) {
    ScriptedRun run(R"([{"id":"pay","tool":"a"},{"tool":"b"}])");
    events::AgentRunPendingApproval pending;
    static_cast<events::RunPlace&>(pending) = run.next_call().place;
    pending.approvalId = 40;
    run.fold(pending);
    events::AgentRunResumed resumed;
    resumed.approvalId = 40;
    resumed.status = events::RunStepStatus::error;
    resumed.error = core::Nullable<events::RunError>(events::RunError{"PAYROLL_EMPTY", "Nothing to pay."});
    run.fold(resumed);
    EXPECT_EQ(run.carry_out(), "TOOL_FAILED: Step pay (a): PAYROLL_EMPTY: Nothing to pay.");
}

TEST(ScriptedRun, GivesWhatItsOutputSays) {
    ScriptedRun run(R"([{"id":"a","tool":"a"}])", R"({"n":1})", R"({"got":"{{steps.a.result.x}}","n":"{{input.n}}"})");
    EXPECT_EQ(run.carry_out({{R"({"x":[7]})"}}), "a {}\n= {\"got\":[7],\"n\":1}");
    EXPECT_EQ(ScriptedRun(R"([{"tool":"a"}])", "{}", R"("{{steps.b.result}}")").carry_out().substr(5, 13),
              "PLAN_INVALID:");
}

TEST(ScriptedRun, TakesNoMoreStepsThanItsLimit) {
    ScriptedRun run(R"([{"tool":"a"},{"tool":"b"}])", "{}", "", 1);
    EXPECT_EQ(run.carry_out(), "a {}\nLIMIT_EXCEEDED: The plan has more than 1 steps.");
}

TEST(ScriptedRun, EndsWhereTemplatesComeToTooMuch) {
    std::string arguments = R"({"l":[)";
    for (int part = 0; part < 2'000; ++part) arguments += part == 0 ? R"("{{input.t}}")" : R"(,"{{input.t}}")";
    ScriptedRun run(echo(arguments + "]}"), R"({"t":")" + std::string(60'000, 'x') + "\"}");
    EXPECT_EQ(run.carry_out().substr(0, 15), "LIMIT_EXCEEDED:");
}

TEST(ScriptedRun, FailsWhereATemplateWithinArraysAndObjectsNamesNothing) {
    for (auto const* const output : {R"([{"a":"{{input.none}}","b":1}])",
                                     R"({"a":[[{"b":["x {{input.none}}"]}],[]],"c":2})", R"([[{"a":"{{input"}]])"}) {
        ScriptedRun const run("[]", "{}", output);
        EXPECT_EQ(std::get<FailRun>(run.next()).code, "PLAN_INVALID") << output;
    }
}

TEST(ScriptedRun, EndsWhereTemplatesMakeWhatIsTooDeep) {
    auto const nested = [](std::size_t levels, std::string const& value) {
        return std::string(levels, '[') + value + std::string(levels, ']');
    };
    auto const output = nested(20, R"("{{input.a}}")");
    EXPECT_EQ(std::get<FinishRun>(ScriptedRun("[]", R"({"a":)" + nested(4, "1") + "}", output).next()).output,
              nested(24, "1"));
    EXPECT_EQ(std::get<FailRun>(ScriptedRun("[]", R"({"a":)" + nested(5, "1") + "}", output).next()).code,
              "LIMIT_EXCEEDED");
}

TEST(ScriptedRun, EndsWhereTemplatesLeadThroughTooManyValues) {
    std::string numbers = "0", paths = R"("{{input.a[*].b0}}")";
    for (int i = 1; i < 50'000; ++i) numbers += ",0";
    for (int i = 1; i < 5'000; ++i) paths += fmt::format(R"(,"{{{{input.a[*].b{}}}}}")", i);
    ScriptedRun const run(R"([{"tool":"whoami","arguments":{"all":[)" + paths + "]}}]", R"({"a":[)" + numbers + "]}");
    EXPECT_EQ(std::get<operations::FailRun>(run.next()).code, "LIMIT_EXCEEDED");
}

TEST(RunRecord, IsEmptiedByAnErasure) {
    ScriptedRun run(R"([{"tool":"a","arguments":{"name":"Ada"}}])", R"({"name":"Ada"})");
    run.answer(run.next_call(), {R"("Ada")"});
    EXPECT_NE(core::to_json(run.in_hand.run).find("Ada"), std::string::npos);
    run.fold(events::AgentRunErased{});
    EXPECT_EQ(core::to_json(run.in_hand.run).find("Ada"), std::string::npos);
    EXPECT_EQ(run.in_hand.run.status, events::AgentRunStatus::cancelled);
}

}  // namespace
}  // namespace workforce::operations
