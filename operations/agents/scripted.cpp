// The first step of a plan that is not over, and what it comes to.
#include "operations/agents/scripted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_values.hpp"
#include "operations/agents/templates.hpp"

namespace workforce::operations {
namespace {

using core::JsonValue;
using events::PlanStep;
using events::RunStepStatus;

constexpr std::string_view kPlanInvalid = "PLAN_INVALID";
constexpr std::string_view kLimitExceeded = "LIMIT_EXCEEDED";
constexpr std::string_view kToolFailed = "TOOL_FAILED";

/// A step of a plan, and what is known of it.
struct StepInHand {
    PlanStep const& plan;
    events::RunStep const& done;
    core::JsonValue const* items = nullptr;  ///< of `forEach`; null: it has none

    [[nodiscard]] std::size_t begun() const { return done.items ? (*done.items).size() : 0; }
    [[nodiscard]] bool stops() const { return plan.onError == events::OnStepError::stop; }
};

FailRun failed_step(events::RunStep const& step, events::RunError const& error) {
    return {std::string(error.code == kPlanInvalid ? kPlanInvalid : kToolFailed),
            fmt::format("Step {} ({}): {}: {}", step.id, step.tool, error.code, error.message)};
}

/// The step, or one of its calls, is over without a call.
RecordOnly settled(StepInHand const& step, std::optional<std::size_t> item, RunStepStatus status,
                   core::Nullable<events::RunError> error, std::string result = "null") {
    events::AgentRunStepFinished finished;
    finished.step = step.done.id;
    finished.tool = step.done.tool;
    if (item) finished.item = static_cast<std::int64_t>(*item);
    finished.status = status;
    finished.error = std::move(error);
    finished.result = events::RunValue{std::move(result)};
    finished.arguments = events::RunValue{"{}"};
    finished.last = !item || step.stops() || *item + 1 == step.items->Size();
    return {std::move(finished)};
}

events::RunError invalid_plan(std::string message) { return {std::string(kPlanInvalid), std::move(message)}; }

/// Whether the step's condition holds.
bool is_met(events::Condition const& when, TemplateScope& scope) {
    auto const value = core::parse_json(when.value.text);
    auto const found = scope.find(when.path.value);
    if (!value || !found) return false;
    return events::meets(when.op, *value, *found);
}

/// The next call of the step.
NextInRun next_call(StepInHand const& step, TemplateScope& scope) {
    std::optional<std::size_t> item;
    if (step.items != nullptr) {
        item = step.begun();
        scope.set_item(&(*step.items)[static_cast<rapidjson::SizeType>(*item)], *item);
    }
    auto arguments = fill_templates(step.plan.arguments.text, scope);
    if (!arguments && arguments.error().too_large)
        return FailRun{std::string(kLimitExceeded), arguments.error().message};
    if (!arguments) return settled(step, item, RunStepStatus::error, invalid_plan(arguments.error().message));
    CallTool call{
        .place = {step.done.id, {}, step.done.tool}, .arguments = *std::move(arguments), .ends_on_error = step.stops()};
    if (item) {
        call.place.item = static_cast<std::int64_t>(*item);
        call.last = *item + 1 == step.items->Size();
    }
    return call;
}

/// What comes next in a step that is not over.
NextInRun next_of_step(StepInHand step, TemplateScope& scope) {
    scope.set_item(nullptr, 0);
    bool const begun = step.begun() > 0;
    if (!begun && step.plan.when && !is_met(*step.plan.when, scope)) {
        return settled(step, {}, RunStepStatus::skipped, {});
    }
    if (step.plan.forEach) {
        auto const& path = (*step.plan.forEach).value;
        auto const found = scope.find(path);
        if (!found || found->size() != 1 || !found->front()->IsArray()) {
            return settled(step, {}, RunStepStatus::error,
                           invalid_plan(fmt::format("forEach: {} is no array that the run has.", path)));
        }
        step.items = found->front();
        auto const size = step.items->Size();
        if (size > events::kMostPlanItems) {
            return FailRun{
                std::string(kLimitExceeded),
                fmt::format("Step {}: forEach is for {} items, where 100 are the most.", step.done.id, size)};
        }
        if (size == 0) return settled(step, {}, RunStepStatus::ok, {}, "[]");
        if (begun && step.stops() && (*step.done.items).back().status == RunStepStatus::error) {
            return failed_step(step.done, (*step.done.items).back().error.value.value_or(events::RunError{}));
        }
        if (step.begun() >= size) return FailRun{std::string(kPlanInvalid), "The array of forEach has become shorter."};
    }
    return next_call(step, scope);
}

bool is_over(RunStepStatus status) { return status != RunStepStatus::pending && status != RunStepStatus::deferred; }

/// What the run gives: by its template, else the result of the last step that has one.
NextInRun finish(commands::RunInHand const& in_hand, TemplateScope& scope) {
    auto const& run = in_hand.run;
    scope.set_item(nullptr, 0);
    if (run.internals.outputTemplate.value && run.internals.outputTemplate.value->text != "null") {
        auto output = fill_templates(run.internals.outputTemplate.value->text, scope);
        if (!output) {
            auto const code = output.error().too_large ? kLimitExceeded : kPlanInvalid;
            return FailRun{std::string(code), "output: " + output.error().message};
        }
        return FinishRun{*std::move(output)};
    }
    for (auto step = run.steps.rbegin(); step != run.steps.rend(); ++step) {
        if (step->status != RunStepStatus::ok) continue;
        if (step->result.text.size() > events::kLongestRunField) {
            return FailRun{std::string(kLimitExceeded),
                           "The last result has more than 256 KiB; give the run an output."};
        }
        return FinishRun{step->result.text};
    }
    return FinishRun{};
}

}  // namespace

NextInRun next_of_plan(commands::RunInHand const& in_hand) {
    auto const& run = in_hand.run;
    // The time of the last event, and not of now: whoever asks again after a crash is told the same.
    TemplateScope scope(run, run.updatedAt, in_hand.timezone);
    for (std::size_t place = 0; place < run.plan.size(); ++place) {
        auto const* const done = events::find_step(run, events::step_name(run.plan[place], place));
        if (done == nullptr) return FailRun{std::string(kPlanInvalid), "The plan has a step that the run lacks."};
        StepInHand const step{run.plan[place], *done};
        if (done->status == RunStepStatus::error && step.stops()) {
            return failed_step(*done, done->error.value.value_or(events::RunError{}));
        }
        if (is_over(done->status)) continue;
        if (std::cmp_greater_equal(place, run.internals.limits.maxSteps.value)) {
            return FailRun{std::string(kLimitExceeded),
                           fmt::format("The plan has more than {} steps.", run.internals.limits.maxSteps.value)};
        }
        return next_of_step(step, scope);
    }
    return finish(in_hand, scope);
}

boost::asio::awaitable<NextInRun> ScriptedExecutor::next(commands::RunInHand const& run) {
    co_return next_of_plan(run);
}

}  // namespace workforce::operations
