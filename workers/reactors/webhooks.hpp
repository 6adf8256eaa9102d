// Events to webhook deliveries: one for each subscription that matches an event (domain 7.1). The sandbox has none.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The reactor. It folds subscriptions, and what payloads tell of leads; its work is done by the delivery engine
/// (workers/webhooks/delivery_engine.hpp).
ReactorType webhooks();

}  // namespace workforce::workers
