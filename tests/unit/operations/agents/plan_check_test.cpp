// What is wrong with plans before they are carried out, by field.
#include "operations/agents/plan_check.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::operations {
namespace {

std::string told(std::vector<core::FieldError> const& faults) {
    std::string text;
    for (auto const& fault : faults) text += (text.empty() ? "" : ", ") + fault.field + " " + fault.rule;
    return text;
}

std::string faults_in_plan(std::string const& plan, std::vector<core::Name> const* tools = nullptr) {
    return told(faults_of_plan(core::from_stored_json<events::Plan>(plan), "plan", tools));
}

TEST(FaultsOfPlan, NamesToolsThatRunsMayNotCall) {
    EXPECT_EQ(faults_in_plan(R"([{"tool":"shifts_list"},{"tool":"shifts_lists"},{"tool":"usage_summary"}])"),
              "plan[1].tool known, plan[2].tool known");
    std::vector<core::Name> const tools{"staff_*"};
    EXPECT_EQ(faults_in_plan(R"([{"tool":"shifts_list"},{"tool":"staff_get"}])", &tools), "plan[0].tool known");
}

TEST(FaultsOfPlan, NamesTemplatesThatNameNothing) {
    auto const with = [](std::string const& text) {
        return faults_in_plan(R"([{"id":"a","tool":"whoami"},{"tool":"whoami","arguments":{"x":[{"y":")" + text +
                              R"("}]}}])");
    };
    for (auto const* const good : {"{{input}}", "{{event.data.id}}", "{{steps.a.result}}", "{{steps.a.result[0].b}}",
                                   "{{now.date}}", "x {{ now.time }} y", "no template", "}} {"}) {
        EXPECT_EQ(with(good), "") << good;
    }
    for (auto const* const bad :
         {"{{}}", "{{ }}", "{{inputs.a}}", "{{steps.b.result}}", "{{steps.a}}", "{{steps.a.results}}",
          "{{steps.s2.result}}", "{{now.year}}", "{{input.a[}}", "{{input..a}}", "{{input", "a {{item", "{{item}}",
          "{{index}}", "{{item.id}}", "{{input.{{input.a}}}}"}) {
        EXPECT_EQ(with(bad), "plan[1].arguments template") << bad;
    }
}

TEST(FaultsOfPlan, KnowsItemsInArgumentsOfForEachAlone) {
    EXPECT_EQ(faults_in_plan(R"([{"tool":"whoami","forEach":"input.list","arguments":{"x":"{{item.id}} {{index}}"}}])"),
              "");
    EXPECT_EQ(faults_in_plan(R"([{"tool":"whoami","forEach":"item.list"}])"), "plan[0].forEach path");
    EXPECT_EQ(faults_in_plan(R"([{"tool":"whoami","forEach":"input.list",
                                  "when":{"path":"item.a","op":"eq","value":1}}])"),
              "plan[0].when.path path");
    EXPECT_EQ(
        faults_in_plan(R"([{"tool":"whoami","forEach":"input.list"},{"tool":"whoami","arguments":{"x":"{{item}}"}}])"),
        "plan[1].arguments template");
}

TEST(FaultsOfPlan, NamesPathsThatAreNone) {
    EXPECT_EQ(faults_in_plan(R"([{"tool":"whoami","when":{"path":"output.a","op":"eq","value":1}}])"),
              "plan[0].when.path path");
    EXPECT_EQ(faults_in_plan(R"([{"tool":"whoami","forEach":"steps.s1.result"}])"), "plan[0].forEach path");
    EXPECT_EQ(faults_in_plan(R"([{"tool":"whoami","forEach":"input.list"}])"), "");
}

TEST(FaultsOfArguments, NamesWhatToolsNeverTake) {
    auto const of = [](std::string const& arguments) {
        return told(faults_of_arguments(
            core::from_stored_json<events::Plan>(R"([{"tool":"whoami"},{"tool":"shifts_get","arguments":)" + arguments +
                                                 R"(},{"tool":"none"}])"),
            "plan"));
    };
    EXPECT_EQ(of(R"({"shiftId":7})"), "");
    EXPECT_EQ(of(R"({"shiftId":"{{input.shift}}"})"), "") << "it may become a number";
    EXPECT_EQ(of(R"({"shiftId":"7"})"), "plan[1].arguments.shiftId type");
    EXPECT_EQ(of("{}"), "plan[1].arguments.shiftId required");
    EXPECT_EQ(of(R"({"shiftId":7,"shift":"{{input.shift}}"})"), "plan[1].arguments.shift unknown");
}

TEST(FaultsOfTools, NamesPatternsThatAllowNothing) {
    EXPECT_EQ(told(faults_of_tools({"shifts_*", "*", "whoami", "unknown_*", "usage_summary"})),
              "allowedTools[3] known, allowedTools[4] known");
    EXPECT_EQ(told(faults_of_tools({})), "allowedTools min_items");
}

TEST(FaultsOfOutput, KnowsTheStepsOfThePlan) {
    auto const plan = core::from_stored_json<events::Plan>(R"([{"tool":"whoami"}])");
    auto const output = [](std::string json) {
        return core::Nullable<events::RunValue>(events::RunValue{std::move(json)});
    };
    EXPECT_EQ(told(faults_of_output(output(R"({"a":"{{steps.s1.result}}"})"), &plan)), "");
    EXPECT_EQ(told(faults_of_output(output(R"({"a":"{{steps.s2.result}}"})"), &plan)), "output template");
    EXPECT_EQ(told(faults_of_output({}, &plan)), "");
}

TEST(FaultsOfOutput, OfAPlanThatIsNotKnownAreThoseOfTheTemplates) {
    auto const faults = [](std::string json) {
        return told(faults_of_output(core::Nullable<events::RunValue>(events::RunValue{std::move(json)}), nullptr));
    };
    EXPECT_EQ(faults(R"({"a":"{{steps.s2.result}}"})"), "");
    for (auto const* const bad : {R"("{{steps.s2}}")", R"("{{inputs}}")", R"("{{item}}")", R"("{{input")"}) {
        EXPECT_EQ(faults(bad), "output template") << bad;
    }
}

TEST(PlanStep, HasRulesOfItsOwn) {
    using tests::faults_in;
    EXPECT_EQ(faults_in<events::PlanStep>(R"({"tool":"a"})"), "");
    EXPECT_EQ(faults_in<events::PlanStep>(R"({})"), "tool required");
    EXPECT_EQ(faults_in<events::PlanStep>(R"({"tool":"a","id":"1a"})"), "id step_id");
    EXPECT_EQ(faults_in<events::PlanStep>(R"({"tool":"a","id":"a b"})"), "id step_id");
    EXPECT_EQ(faults_in<events::PlanStep>(R"({"tool":"a","arguments":[]})"), "arguments type");
    EXPECT_EQ(faults_in<events::PlanStep>(R"({"tool":"a","onError":"retry"})"), "onError enum");
    EXPECT_EQ(faults_in<events::PlanStep>(R"({"tool":"a","when":{"path":"x","op":"like","value":1}})"), "when.op enum");
    EXPECT_EQ(faults_in<events::PlanStep>(R"({"tool":"a","when":null,"forEach":null,"id":null})"), "");
}

}  // namespace
}  // namespace workforce::operations
