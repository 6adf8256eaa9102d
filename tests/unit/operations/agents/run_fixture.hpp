// Runs as an executor sees them, and what becomes of them by its answers.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operations/agents/scripted.hpp"
#include "tests/support/given.hpp"

namespace workforce::tests {

/// What a tool answers in a test: JSON, or a failure.
struct ToolSays {
    std::string json = "null";
    std::string error{};  ///< its code; empty: none
};

/// A scripted run, carried out without tools: the test says what they answer. Not thread-safe.
class ScriptedRun {
   public:
    /// `plan` and `input` are JSON. Throws where the plan is none.
    explicit ScriptedRun(std::string const& plan, std::string const& input = "{}", std::string const& output = "",
                         std::int64_t most_steps = 50) {
        events::AgentRunQueued queued;
        queued.agentId = 1;
        queued.runAsUserId = 3;
        queued.input = events::RunObject{input};
        queued.plan = core::from_stored_json<events::Plan>(plan);
        queued.limits.maxSteps = most_steps;
        if (!output.empty()) queued.output = core::Nullable<events::RunValue>(events::RunValue{output});
        in_hand.timezone = "Europe/Berlin";
        fold(std::move(queued));
        fold(events::AgentRunStarted{});
    }

    void fold(events::AgentRunEvent const& event) {
        events::Envelope meta;
        meta.subject = {events::Kind::agent_run, 7};
        meta.organization = 1;
        meta.seq = ++in_hand.version;
        meta.time = at("2026-07-24T22:30:00Z");
        evolve(in_hand.run, event, meta);
    }

    /// What comes next.
    operations::NextInRun next() const { return operations::next_of_plan(in_hand); }

    /// The next call; throws where something else comes next.
    operations::CallTool next_call() const { return std::get<operations::CallTool>(next()); }

    /// Records what the tool says to a call.
    void answer(operations::CallTool const& call, ToolSays const& says) {
        events::AgentRunStepFinished finished;
        static_cast<events::RunPlace&>(finished) = call.place;
        finished.arguments = events::RunValue{call.arguments};
        finished.startedAt = at("2026-07-24T22:29:59Z");
        bool const failed = !says.error.empty();
        finished.status = failed ? events::RunStepStatus::error : events::RunStepStatus::ok;
        if (failed) finished.error = core::Nullable<events::RunError>(events::RunError{says.error, "It failed."});
        finished.result = events::RunValue{failed ? "null" : says.json};
        finished.last = call.last || (failed && call.ends_on_error);
        fold(finished);
    }

    /// Carries the run out; tools answer in this order. Returns the calls: "tool arguments", one a line; then "=" and
    /// the output, or the code of the failure and its message.
    std::string carry_out(std::vector<ToolSays> const& answers = {}) {
        std::string told;
        std::size_t answered = 0;
        for (int turns = 0; turns < 10'000; ++turns) {
            auto const what = next();
            if (auto const* const call = std::get_if<operations::CallTool>(&what)) {
                told += call->place.tool + ' ' + call->arguments + '\n';
                answer(*call, answered < answers.size() ? answers[answered] : ToolSays{});
                ++answered;
            } else if (auto const* const only = std::get_if<operations::RecordOnly>(&what)) {
                fold(only->event);
            } else if (auto const* const failed = std::get_if<operations::FailRun>(&what)) {
                return told + failed->code + ": " + failed->message;
            } else {
                return told + "= " + std::get<operations::FinishRun>(what).output;
            }
        }
        throw std::logic_error("the run does not end");
    }

    commands::RunInHand in_hand{};
};

}  // namespace workforce::tests
