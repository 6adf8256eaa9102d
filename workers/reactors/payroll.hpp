// Approved payroll runs to submissions to their provider, which the engine of workers/payroll/ makes. Of the sandbox,
// too: its provider is the simulated one.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The reactor. It folds what a provider is told of runs, and what became of each approval.
ReactorType payroll();

}  // namespace workforce::workers
