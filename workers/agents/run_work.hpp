// Runs of agents that are to go on, in the database.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "workers/engine/work_table.hpp"

// All functions here block. Errors: pqxx's.
namespace workforce::workers {

inline constexpr std::string_view kAgentRunReactor = "agent_runs";

/// A row for each run that is queued or running. The fold of what ends a run, or has it wait, takes its row away.
WorkTable const& agent_run_work();

/// A run that is to go on.
struct RunTask {
    std::string work_id;
    core::Id run = 0;
    core::Id organization = 0;
    bool sandbox = false;
    std::string correlation_id;
    int tries = 0;  ///< that came to nothing, one after the other; this one included
};

/// Takes runs that are to go on, at most so many, for `lease` (WorkTable::claim).
std::vector<RunTask> claim_runs(core::Connection& connection, int most, std::chrono::milliseconds lease);

/// Has others go first: the run is due again after `pause`, or when another of its agent rests where it `waits_turn`.
/// Where it `went_on`, its tries count from 0 again.
void put_back(core::Connection& connection, std::string_view work_id, std::chrono::milliseconds pause, bool went_on,
              bool waits_turn);

/// What waits for workers.
struct RunBacklog {
    std::int64_t rows = 0;
    std::int64_t stuck = 0;     ///< tried in vain, more than once
    double oldest_seconds = 0;  ///< since the oldest was due
};
RunBacklog count_runs(core::Connection& connection);

}  // namespace workforce::workers
