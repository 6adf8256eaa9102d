// How people come to open shifts of their own will: what claims and offers have in common.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "commands/shift_staffing.hpp"

namespace workforce::commands {

/// Whether somebody may still come to the shift by a claim or an offer: it is open, and has not begun.
bool takes_people(events::ShiftRecord const* record, Timestamp now);
/// Refuses the command of a shift that has begun or is closed. A full one passes: place() says SHIFT_FULL of it.
/// Errors: INVALID_STATE_TRANSITION.
Result<void> require_ahead(events::Shift const& shift, std::string_view command, Timestamp now);
/// Errors: DUPLICATE_RESOURCE with the shift for details.existingId where the person is on it.
Result<void> require_not_on(events::Shift const& shift, Id staff);

/// The staff member who the caller is. Errors: NOT_FOUND where the caller is none.
Result<Id> require_own_staff(Context const& context);
/// Whether a row of that staff member at that facility is the caller's own: people are bound nowhere for what is their
/// own, keys are.
bool is_own(Id staff, Id facility, Context const& context);
/// The context in which rules look at the caller's own shifts: likewise.
Context for_oneself(Context context);

/// The shift that a decision put somebody on, and whether that filled it; nothing where it put nobody on one.
struct Staffed {
    std::optional<events::Shift> shift;
    std::optional<bool> filled;
};
BOOST_DESCRIBE_STRUCT(Staffed, (), (shift, filled))
Staffed staffed_by(View const& view, Decision const& decision);

}  // namespace workforce::commands
