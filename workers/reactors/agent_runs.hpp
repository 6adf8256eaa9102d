// Runs of agents to turns of them, which the engine of workers/agents/ asks for. Of the sandbox, too.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The reactor. It keeps a row of work for each run that is queued or running.
ReactorType agent_runs();

}  // namespace workforce::workers
