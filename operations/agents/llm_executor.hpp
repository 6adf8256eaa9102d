// The executor of agents that have a model (domain 6.5): the model says which tools are to be called, hears what came
// of it, and says when it is done.
#pragma once

#include <variant>
#include <vector>

#include "operations/agents/executor.hpp"
#include "workers/llm/provider.hpp"

namespace workforce::operations {

/// The model has to be asked: it is told this.
struct AskModel {
    workers::LlmRequest request;
};

/// What comes next in a run of a model, by its turns so far and what came of their calls: the first call that was not
/// made yet, or the end where the last turn has none; else the model is asked. Pure. The `n`-th call of a run is its
/// step "s<n>"; arguments that are no object are an error of that step, of which the model hears.
std::variant<NextInRun, AskModel> next_of_model(commands::RunInHand const& in_hand);

/// The tools that these patterns allow and that runs may call, as models are told of them.
std::vector<workers::LlmTool> tools_for_model(std::vector<core::Name> const& patterns);

/// Asks the provider. Nobody asks it for a run of the sandbox.
class LlmExecutor final : public RunExecutor {
   public:
    /// The provider outlives this.
    explicit LlmExecutor(workers::LlmProvider& provider) : provider_(provider) {}

    boost::asio::awaitable<NextInRun> next(commands::RunInHand const& run) override;

   private:
    workers::LlmProvider& provider_;
};

}  // namespace workforce::operations
