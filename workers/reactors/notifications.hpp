// Notifications to users, each once: who is assigned to a shift, or was assigned to one that is cancelled; who made a
// webhook subscription or a trigger that the system gave up; and who made or approved a payroll run that failed, in
// whole or in part. Nothing in them is personal.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The reactor. It folds which users are which staff members, what shifts and subscriptions are called, and whose
/// payroll runs are.
ReactorType notifications();

}  // namespace workforce::workers
