// Notifications to users, each once: who is assigned to a shift, or was assigned to one that is cancelled; and who made
// a webhook subscription that the system gave up. Nothing in them is personal.
#pragma once

#include "workers/reactors/reactor.hpp"

namespace workforce::workers {

/// The reactor. It folds which users are which staff members, and what shifts and subscriptions are called.
ReactorType notifications();

}  // namespace workforce::workers
