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

/// One event of the log, as one projection met it.
struct PoisonPlace {
    std::string projection{};
    int partition = 0;
    std::int64_t position = 0;
    bool operator==(PoisonPlace const&) const = default;
};

/// An event that could not be folded.
struct PoisonEvent : PoisonPlace {
    std::string error{};
    std::int64_t attempts = 0;
    core::Timestamp first_at{};
    core::Timestamp last_at{};
    std::string resolution{};   ///< empty: it still stops the projection; else `retried` or `skipped`
    std::string resolved_by{};  ///< this and what follows: empty or nothing where that is empty
    std::optional<core::Timestamp> resolved_at{};
    std::string reason{};  ///< of who skipped it
};

/// What an operator decided of one. Kept for good.
struct PoisonDecision : PoisonPlace {
    std::string error{};     ///< why it could not be folded
    std::string decision{};  ///< `retried` or `skipped`
    std::string decided_by{};
    core::Timestamp decided_at{};
    std::string reason{};  ///< empty: none was asked for
};

// The sessions of all of these are aimed at the live tables (checkpoints.hpp), under the projector's role; the reader's
// is enough to list.

/// Those that stop a projection, then those that were skipped and that no rebuild has folded since; with `all` also
/// those that stop nothing any more.
std::vector<PoisonEvent> list_poison(core::Connection& connection, bool all = false);

/// All decisions there ever were, oldest first.
std::vector<PoisonDecision> list_poison_decisions(core::Connection& connection);

/// Has the event folded again. `by` names the operator for the record. Returns whether it stopped the projection until
/// now.
bool retry_poison(core::Connection& connection, PoisonPlace const& place, std::string_view by);

/// Moves the projection past the event, whose effect it then lacks until it is rebuilt; `by` and `reason` are recorded.
/// Returns as retry_poison; when false nothing has changed.
bool skip_poison(core::Connection& connection, PoisonPlace const& place, std::string_view by, std::string_view reason);

}  // namespace workforce::projections
