// The scripted executor (domain 6.5): a plan, step by step.
#pragma once

#include "operations/agents/executor.hpp"

namespace workforce::operations {

/// What comes next in a scripted run. Pure: the same state gives the same answer.
NextInRun next_of_plan(commands::RunInHand const& in_hand);

/// Asks next_of_plan().
class ScriptedExecutor final : public RunExecutor {
   public:
    boost::asio::awaitable<NextInRun> next(commands::RunInHand const& run) override;
};

}  // namespace workforce::operations
