// The data set's agent, which has submitted hours approved, with its trigger, its two runs and the approval.
#pragma once

#include <span>

#include "commands/sandbox_data_set.hpp"
#include "commands/sandbox_pay.hpp"

namespace workforce::commands {

inline constexpr std::size_t kDataSetAgentRuns = 2;

/// The ids of the data set's rows that its agent is about.
struct AgentIds {
    Id agent = 0;
    Id trigger = 0;
    std::span<Id const> runs;
    Id approval = 0;
    PayIds pay;
};

/// Adds the events that make the agent, its trigger, which is disabled, a run that is completed, and one that waits for
/// the approval; those of work are there already.
void add_agent(DataSetInput const& input, AgentIds const& ids, std::vector<NewEvent>& events);

}  // namespace workforce::commands
