// Identifiers that need no coordination: UUIDv7, and request ids made of them.
#pragma once

#include <string>

#include "core/time.hpp"

namespace workforce::core {

/// A UUID version 7 (RFC 9562 section 5.7) of that moment, lower case with hyphens. Ids that a process makes in
/// sequence for the same millisecond ascend (section 6.2, method 2: the random part is counted up by random steps).
/// Moments before 1970 count as 1970. Thread-safe.
std::string uuid_v7(Timestamp timestamp);

/// `req_` and a UUIDv7 of the present moment.
std::string request_id();

}  // namespace workforce::core
