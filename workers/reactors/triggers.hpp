// Events to runs: each event trigger that waits for an event is asked to fire for it, once.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The reactor. It folds what triggers wait for.
ReactorType triggers();

}  // namespace workforce::workers
