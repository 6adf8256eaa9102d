// Turns of models.
#include "operations/agents/llm_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/excerpt.hpp"
#include "core/json_values.hpp"
#include "operations/agents/plan_check.hpp"
#include "operations/tools/tool.hpp"

namespace workforce::operations {
namespace {

using events::RunStepStatus;
using workers::LlmExchange;
using workers::LlmTurn;

constexpr std::string_view kLlmError = "LLM_ERROR";
constexpr std::string_view kTooManyTurns = "LIMIT_EXCEEDED";
constexpr std::size_t kLongestModelName = 190;
/// Of a result the model is told so many bytes.
constexpr std::size_t kShownOfResult = std::size_t{16} << 10;

std::string step_of_call(std::size_t number) { return fmt::format("s{}", number + 1); }

bool is_settled(events::RunStep const* step) {
    return step != nullptr && (step->status == RunStepStatus::ok || step->status == RunStepStatus::error ||
                               step->status == RunStepStatus::skipped);
}

/// What came of a call, as the model is told.
workers::LlmResult result_of(std::string const& id, events::RunStep const& step) {
    if (step.status != RunStepStatus::ok) {
        core::JsonWriter w;
        w.begin_object();
        w.key("error");
        core::write_json(w, step.error.value.value_or(events::RunError{"TOOL_FAILED", "The call failed."}));
        w.end_object();
        return {id, w.take(), true};
    }
    auto const& json = step.result.text;
    if (json.size() <= kShownOfResult) return {id, json, false};
    return {id, core::excerpt(json, kShownOfResult) + "\n[The result is longer; ask for less.]", false};
}

/// A call that can't be made: the step is over with that error.
RecordOnly refused_call(workers::LlmCall const& call, std::string step) {
    events::AgentRunStepFinished finished;
    finished.step = std::move(step);
    finished.tool = recorded_tool(call.tool);
    finished.status = RunStepStatus::error;
    finished.error =
        core::Nullable<events::RunError>(events::RunError{"VALIDATION_ERROR", "The arguments are no JSON object."});
    core::JsonWriter w;
    w.string(core::excerpt(call.arguments, workers::kMostCallArguments));
    finished.arguments = events::RunValue{w.take()};
    return {std::move(finished)};
}

bool is_object(std::string const& arguments) {
    if (arguments.size() > workers::kMostCallArguments) return false;
    auto const value = core::parse_json(arguments);
    return value && value->IsObject() && core::nesting_of(*value) <= core::kMostNesting;
}

NextInRun next_call_of(workers::LlmCall const& call, std::string step) {
    if (!is_object(call.arguments)) return refused_call(call, std::move(step));
    return CallTool{.place = {std::move(step), {}, call.tool}, .arguments = call.arguments};
}

std::string instructions_of(commands::RunInHand const& in_hand) {
    auto text = in_hand.agent.instructions.value;
    if (!text.empty()) text += "\n\n";
    return text +
           "You act by the tools alone, within what they allow. A tool that gives an error did nothing; read why, and "
           "go on or stop. When nothing is left to do, answer in a few words without calling a tool. Now it is " +
           core::to_string(core::now()) + "; the time zone is " + in_hand.timezone + ".";
}

std::string task_of(events::AgentRunRecord const& run) {
    auto text = "Input: " + run.input.text;
    if (run.internals.event.value) text += "\nEvent: " + run.internals.event.value->text;
    return text;
}

/// When the run has to be over, without the time in which it waited for people.
std::chrono::steady_clock::time_point end_of_run(events::AgentRunRecord const& run) {
    auto const now = core::now();
    auto const began = run.startedAt.value.value_or(now).ms + run.internals.waitedMs;
    auto const left = began + run.internals.limits.timeoutSeconds.value * 1000 - now.ms;
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(left);
}

}  // namespace

std::vector<workers::LlmTool> tools_for_model(std::vector<core::Name> const& patterns) {
    std::vector<workers::LlmTool> allowed;
    for (auto const& tool : tools()) {
        if (!tool.binding().headless || !is_allowed(patterns, tool.name)) continue;
        auto const definition = core::parse_json(tool.definition);
        if (!definition) continue;
        auto const* schema = core::find_member(&*definition, "inputSchema");
        allowed.push_back({std::string(tool.name),
                           std::string(core::as_text(core::find_member(&*definition, "description")).value_or("")),
                           schema != nullptr ? core::json_of(*schema) : R"({"type":"object"})"});
    }
    return allowed;
}

std::variant<NextInRun, AskModel> next_of_model(commands::RunInHand const& in_hand) {
    auto const& run = in_hand.run;
    AskModel ask;
    std::size_t number = 0;
    for (auto const& kept : run.internals.turns) {
        LlmExchange exchange{core::from_stored_json<LlmTurn>(kept.text), {}};
        for (auto const& call : exchange.turn.calls) {
            auto step = step_of_call(number++);
            auto const* const done = events::find_step(run, step);
            if (!is_settled(done)) return next_call_of(call, std::move(step));
            exchange.results.push_back(result_of(call.id, *done));
        }
        ask.request.exchanges.push_back(std::move(exchange));
    }
    auto const& said = ask.request.exchanges;
    if (!said.empty() && said.back().turn.calls.empty()) {
        core::JsonWriter w;
        w.string(said.back().turn.text);
        return FinishRun{w.take()};
    }
    if (std::ssize(said) >= run.internals.limits.maxSteps.value) {
        return FailRun{std::string(kTooManyTurns),
                       fmt::format("The model took {} turns, which are the most.", said.size())};
    }
    ask.request.system = instructions_of(in_hand);
    ask.request.user = task_of(run);
    return ask;
}

boost::asio::awaitable<NextInRun> LlmExecutor::next(commands::RunInHand const& in_hand) {
    auto next = next_of_model(in_hand);
    if (auto* const known = std::get_if<NextInRun>(&next)) co_return std::move(*known);
    auto const* const model = provider_.model_of(in_hand.agent.modelTier);
    if (model == nullptr) {
        co_return FailRun{std::string(kLlmError), fmt::format("No model of the tier {} is configured.",
                                                              core::enum_name(in_hand.agent.modelTier))};
    }
    auto request = std::get<AskModel>(std::move(next)).request;
    request.model = *model;
    request.max_output_tokens = provider_.max_output_tokens();
    request.tools = tools_for_model(in_hand.agent.allowedTools);
    auto answer = co_await provider_.complete(std::move(request), end_of_run(in_hand.run));
    if (!answer) co_return FailRun{std::string(kLlmError), answer.error()};
    co_return RecordOnly{events::AgentRunTurnFinished{
        .turn = events::RunValue{core::to_json(answer->turn)},
        .inputTokens = answer->input_tokens,
        .outputTokens = answer->output_tokens,
        .model = core::Nullable<core::ShortText>(core::ShortText(core::excerpt(*model, kLongestModelName))),
        .agentVersion = core::Nullable<std::int64_t>(in_hand.agentVersion)}};
}

}  // namespace workforce::operations
