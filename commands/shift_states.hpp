// The moves of a shift between its states, shared by their own commands, the status shorthand and the clock.
#pragma once

#include "commands/command.hpp"
#include "events/shift.hpp"

namespace workforce::commands {

/// Each gives the events of the move, none when it already holds.
/// Errors: INVALID_STATE_TRANSITION naming what the state permits; VALIDATION_ERROR for a missing reason, under the
/// name that the reason has in the caller's body.
Result<std::vector<NewEvent>> start(events::ShiftRecord const& record, Timestamp now);
Result<std::vector<NewEvent>> complete(events::ShiftRecord const& record);
Result<std::vector<NewEvent>> cancel(events::ShiftRecord const& record, std::string const& reason,
                                     std::string const& field = "reason");
Result<std::vector<NewEvent>> reopen(events::ShiftRecord const& record, Timestamp now);

/// The refusal of `command` in the shift's present state.
tl::unexpected<core::Problem> refuse_move(events::Shift const& shift, std::string_view command,
                                          std::string const& reason = {});

/// An event of the shift.
NewEvent event_of(events::Shift const& shift, events::ShiftEvent event);

}  // namespace workforce::commands
