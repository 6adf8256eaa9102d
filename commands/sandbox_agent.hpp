// The data set's agent, which has submitted hours approved, with its trigger, its two runs and the approval.
#pragma once

#include "commands/sandbox_data_set.hpp"

namespace workforce::commands {

inline constexpr std::size_t kDataSetAgentRuns = 2;

/// Adds the events that make the agent, its trigger, which is disabled, a run that is completed, and one that waits for
/// the approval; those of work are there already.
void add_agent(DataSetInput const& input, std::vector<NewEvent>& events);

}  // namespace workforce::commands
