// Emptying and filling the sandbox of a facility (domain 9). What is of that facility alone comes and goes, people with
// their credentials; what is of several facilities, or of the organization as a whole, is no single facility's to
// delete.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/sandbox.hpp"

namespace workforce::commands {

/// What a reset did.
struct SandboxResetAnswer {
    Id facilityId = 0;
    events::SandboxCounts cleared;
    events::SandboxCounts seeded;
    events::SandboxSeed seed = 1;
    Timestamp resetAt;
};
BOOST_DESCRIBE_STRUCT(SandboxResetAnswer, (), (facilityId, cleared, seeded, seed, resetAt))

/// POST /api/sandbox/reset, decided in the sandbox: deletes what is there and makes the data set, at once. new_ids are
/// as DataSetInput has them. Errors: FACILITY_SCOPE_VIOLATION; INVALID_STATE_TRANSITION for an inactive facility; one
/// that tells_too_many_rows() where there are more than one command deletes: then ClearSandbox comes first.
struct ResetSandbox {
    using Answer = SandboxResetAnswer;
    std::optional<Id> facilityId;  ///< that is there once somebody decides
    std::optional<events::SandboxSeed> seed;
    events::SandboxCounts cleared_before;  ///< by ClearSandbox; no part of the input
    bool first_only = false;               ///< nothing happens where the sandbox was ever reset; no part of the input
};
BOOST_DESCRIBE_STRUCT(ResetSandbox, (), (facilityId, seed))
Result<Decision> decide(View const& view, ResetSandbox const& command, Context const& context);
SandboxResetAnswer answer(View const& view, ResetSandbox const& command, Decision const& decision);

/// Whether it is the refusal of a reset because of the number of rows. No other SERVICE_UNAVAILABLE is: what is held
/// back or too busy to reset deletes nothing.
[[nodiscard]] bool tells_too_many_rows(core::Problem const& problem);

/// The first part of a reset: deletes some of what is there, of a kind that there is more of than a reset deletes;
/// nothing where there is no such kind. It is recorded as a reset that made nothing, and so it is held back where a
/// reset is. Errors: FACILITY_SCOPE_VIOLATION; INVALID_STATE_TRANSITION for an inactive facility.
struct ClearSandbox {
    using Answer = events::SandboxCounts;
    Id facilityId = 0;
    std::optional<events::SandboxSeed> seed{};  ///< of the reset
    events::SandboxCounts cleared_before{};     ///< by those before it
};
Result<Decision> decide(View const& view, ClearSandbox const& command, Context const& context);
events::SandboxCounts answer(View const& view, ClearSandbox const& command, Decision const& decision);

}  // namespace workforce::commands
