// The reactor of outcomes: a marker for each request that has one, and what the billing meter is to hear (domain 8).
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// Folds markers of the whole log, for usage; and, for events past acts_after(), rows of ops.billing_outbox, which
/// workers/billing/ sends. Never more than one marker for a request, nor for repeats of a call of a tool within a day.
ReactorType usage();

/// The request id as usage tables have it: the UUID of "req_…"; of another text one that follows from it.
std::string request_uuid(std::string_view request_id);

/// How long after it was made a row may be sent for the first time, or again: meters know identifiers for 24 hours. An
/// older one may have been sent by an installation that this one was restored from, and is held for an operator.
inline constexpr std::chrono::hours kBillingWindow{20};

}  // namespace workforce::workers
