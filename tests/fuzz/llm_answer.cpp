// Answers of models' providers, in both formats: what is read can be told again, and asks for no more than a turn may
// have.
#include "tests/fuzz/fuzz.hpp"
#include "workers/llm/provider.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    for (auto const* name : {"openai", "anthropic"}) {
        auto const& wire = *workers::find_llm_wire(name);
        auto const answer = wire.decode(input);
        if (!answer) continue;
        require(answer->turn.calls.size() <= workers::kMostCallsOfTurn, "a turn has few calls");
        require(answer->input_tokens >= 0 && answer->output_tokens >= 0, "tokens are counted up");
        workers::LlmRequest request;
        request.exchanges.push_back({answer->turn, {}});
        for (auto const& call : answer->turn.calls) {
            for (auto const& other : answer->turn.calls) {
                require(&call == &other || call.id != other.id, "each call has an id of its own");
            }
            request.exchanges.front().results.push_back({call.id, "{}", false});
        }
        for (auto const* other : {"openai", "anthropic"}) {
            require(core::parse_json(workers::find_llm_wire(other)->encode(request)).has_value(),
                    "what is told is JSON");
        }
        auto const kept = core::to_json(answer->turn);
        auto const again = core::from_stored_json<workers::LlmTurn>(kept);
        require(core::to_json(again) == kept, "a turn comes back");
    }
}

}  // namespace workforce::tests
