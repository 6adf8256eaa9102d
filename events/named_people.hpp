// Which resources a call's arguments and answer name, by the names of members (domain 16, Approvals).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "events/approval.hpp"

namespace workforce::events {

/// What the ids in a JSON value name, at any depth: `staffId`, `assignedStaffIds`, `shiftIdA`. The `id` of a value that
/// tells of the kind `own`, and of each in its list `data`, names one of that kind; and so does that of a member that
/// is called as a kind.
std::vector<AggregateRef> named_in(core::JsonValue const& value, std::optional<Kind> own);

/// The people among them, whose erasure ends the approval.
NamedPeople people_among(std::vector<AggregateRef> const& named);

/// Those whom a JSON text names, which is of no kind.
NamedPeople people_named_by(std::string_view json);

}  // namespace workforce::events
