// Events that stopped a projection, and what an operator may do about them. Runners of all processes notice within a
// second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "core/time.hpp"

namespace workforce::projections {

/// One event that could not be folded.
struct PoisonEvent {
    std::string projection;
    int partition = 0;
    std::int64_t position = 0;
    std::string error;
    std::int64_t attempts = 0;
    core::Timestamp first_at;
    core::Timestamp last_at;
    std::string resolution;  ///< empty: it still stops the projection; else `retried` or `skipped`
    std::string resolved_by;
};

/// All there ever were, unresolved first. The session needs the projector's role.
std::vector<PoisonEvent> list_poison(core::Connection& connection);

/// Has the event folded again. `by` names the operator for the record. Returns whether it stopped the projection until
/// now.
bool retry_poison(core::Connection& connection, std::string_view projection, int partition, std::int64_t position,
                  std::string_view by);

/// Moves the projection past the event, whose effect it then lacks until it is rebuilt. Returns as retry_poison.
bool skip_poison(core::Connection& connection, std::string_view projection, int partition, std::int64_t position,
                 std::string_view by);

}  // namespace workforce::projections
