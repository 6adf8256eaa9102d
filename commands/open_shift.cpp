// Rules that claims and offers share (decision 143).
#include "commands/open_shift.hpp"

#include <algorithm>
#include <string>

#include "commands/shift_states.hpp"
#include "commands/staff.hpp"

namespace workforce::commands {

using events::ShiftStatus;

bool takes_people(events::ShiftRecord const* record, Timestamp now) {
    return record && !record->deleted && record->shift.status == ShiftStatus::open && now < record->shift.startsAt;
}

Result<void> require_ahead(events::Shift const& shift, std::string_view command, Timestamp now) {
    bool const closed = shift.status != ShiftStatus::open && shift.status != ShiftStatus::assigned;
    if (closed) return refuse_move(shift, command);
    if (shift.startsAt <= now) return refuse_move(shift, command, "it has begun");
    return {};
}

Result<void> require_not_on(events::Shift const& shift, Id staff) {
    if (std::ranges::find(shift.assignedStaffIds, staff) == shift.assignedStaffIds.end()) return {};
    return refuse(Code::duplicate_resource, "Staff member " + std::to_string(staff) + " is on the shift already.",
                  R"({"existingId":)" + std::to_string(shift.id) + "}", "The shift in details.existingId has them.");
}

Result<Id> require_own_staff(Context const& context) {
    if (context.staff != 0) return context.staff;
    return refuse(Code::not_found, "You are no staff member, so that no shift can be yours.");
}

bool is_own(Id staff, Id facility, Context const& context) {
    return context.staff != 0 && context.staff == staff && (acts_as_person(context) || context.reaches(facility));
}

Context for_oneself(Context context) {
    if (acts_as_person(context)) context.facilities.clear();
    return context;
}

Staffed staffed_by(View const& view, Decision const& decision) {
    Staffed staffed;
    for (auto const& event : decision.events) {
        if (events::is<events::ShiftStaffAssigned>(event.data)) {
            staffed.shift = view.get<events::ShiftRecord>(event.subject.id)->shift;
            staffed.filled = staffed.filled.value_or(false);
        }
        if (events::is<events::ShiftFilled>(event.data)) staffed.filled = true;
    }
    return staffed;
}

}  // namespace workforce::commands
