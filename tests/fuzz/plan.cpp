// Plans and templates: whatever a plan says, a run of it comes to an end within its bounds, what it calls is called
// with an object, and the same state is told the same. A plan in which nothing is found wrong names no root that is
// none.
#include "core/json_values.hpp"
#include "operations/agents/plan_check.hpp"
#include "operations/agents/scripted.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

constexpr int kMostTurns = 10'000;  // steps, items, and what is over without a call

std::optional<events::Plan> plan_of(std::string_view json) {
    auto const document = core::parse_json(json);
    if (!document) return std::nullopt;
    events::Plan plan;
    core::JsonReader reader;
    core::JsonType<events::Plan>::read(*document, plan, reader);
    if (!reader.errors().empty() || plan.size() > events::kMostPlanSteps) return std::nullopt;
    return plan;
}

std::string shown(operations::NextInRun const& next) {
    if (auto const* const call = std::get_if<operations::CallTool>(&next)) {
        return call->place.step + ' ' + call->arguments;
    }
    if (auto const* const failed = std::get_if<operations::FailRun>(&next)) return failed->code + failed->message;
    if (auto const* const done = std::get_if<operations::FinishRun>(&next)) return done->output;
    return "recorded";
}

class FuzzedRun {
   public:
    FuzzedRun(events::Plan plan, std::string input, std::string result) : result_(std::move(result)) {
        events::AgentRunQueued queued;
        queued.plan = std::move(plan);
        queued.input = events::RunObject{std::move(input)};
        in_hand_.timezone = "Pacific/Chatham";
        fold(queued);
        fold(events::AgentRunStarted{});
    }

    void carry_out() {
        for (int turn = 0; turn < kMostTurns; ++turn) {
            auto const next = operations::next_of_plan(in_hand_);
            require(shown(next) == shown(operations::next_of_plan(in_hand_)), "the same state is told the same");
            if (auto const* const call = std::get_if<operations::CallTool>(&next)) {
                answer(*call);
            } else if (auto const* const only = std::get_if<operations::RecordOnly>(&next)) {
                fold(only->event);
            } else {
                return;
            }
        }
        require(false, "a run ends");
    }

   private:
    void answer(operations::CallTool const& call) {
        auto const arguments = core::parse_json(call.arguments);
        require(!arguments || arguments->IsObject(), "a tool is called with an object");
        require(call.arguments.size() <= events::kLongestRunField, "arguments are within their bounds");
        events::AgentRunStepFinished finished;
        static_cast<events::RunPlace&>(finished) = call.place;
        finished.arguments = events::RunValue{call.arguments};
        finished.result = events::RunValue{result_};
        finished.last = call.last;
        fold(finished);
    }

    void fold(events::AgentRunEvent const& event) {
        events::Envelope meta;
        meta.seq = ++in_hand_.version;
        evolve(in_hand_.run, event, meta);
    }

    std::string const result_;
    commands::RunInHand in_hand_;
};

}  // namespace

/// A plan, an input and what each tool answers, with '|' between.
void fuzz(std::string_view input) {
    auto rest = input;
    auto plan = plan_of(take_until(rest, '|'));
    auto const given = take_until(rest, '|');
    if (!plan) return;
    auto const object = core::parse_json(given);
    auto const result = core::parse_json(rest);
    (void)operations::faults_of_plan(*plan, "plan", nullptr);
    FuzzedRun(*std::move(plan), object && object->IsObject() ? core::json_of(*object) : "{}",
              result ? core::json_of(*result) : "null")
        .carry_out();
}

}  // namespace workforce::tests
