// What a call that waits is about: whether it is there, and at which facility it lies.
#pragma once

#include <optional>
#include <vector>

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// The facility of what the call is about: of its target, else of what its arguments name; nothing where there are
/// several, or none. Errors: NOT_FOUND for a target that is not there, or that the caller does not reach.
Result<std::optional<Id>> facility_of_call(View const& view, Context const& context,
                                           std::optional<events::AggregateRef> const& target,
                                           std::vector<events::AggregateRef> const& about);

}  // namespace workforce::commands
