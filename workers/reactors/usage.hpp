// What usage's tables and those who read them agree on.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace workforce::workers {

/// The request id as usage tables have it: the UUID of "req_…"; of another text one that follows from it.
std::string request_uuid(std::string_view request_id);

/// How long after it was made a row may be sent for the first time, or again: meters know identifiers for 24 hours. An
/// older one may have been sent by an installation that this one was restored from, and is held for an operator.
inline constexpr std::chrono::hours kBillingWindow{20};

}  // namespace workforce::workers
