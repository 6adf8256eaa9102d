// The state machine of shifts.
#include "commands/shift_states.hpp"

namespace workforce::commands {
namespace {

using events::ShiftStatus;

constexpr std::int64_t kEarlyStartMs = 60 * 60'000LL;

/// What the state permits, as details.allowed lists it.
std::vector<std::string> allowed(ShiftStatus status) {
    switch (status) {
        case ShiftStatus::open:
        case ShiftStatus::assigned:
            return {"update", "assign", "unassign", "acknowledge", "swap", "start", "cancel", "delete"};
        case ShiftStatus::in_progress:
            return {"update", "assign", "unassign", "acknowledge", "complete", "cancel", "delete"};
        case ShiftStatus::cancelled:
            return {"reopen", "delete"};
        case ShiftStatus::completed:
            return {};
    }
    return {};
}

}  // namespace

tl::unexpected<core::Problem> refuse_move(events::Shift const& shift, std::string_view command,
                                          std::string const& reason) {
    return invalid_transition("shift", core::enum_name(shift.status), command, allowed(shift.status), reason);
}

NewEvent event_of(events::Shift const& shift, events::ShiftEvent event) {
    return {{events::Kind::shift, shift.id}, shift.facilityId, std::move(event)};
}

Result<std::vector<NewEvent>> start(events::ShiftRecord const& record, Timestamp now) {
    auto const& shift = record.shift;
    if (shift.status == ShiftStatus::in_progress) return std::vector<NewEvent>{};
    if (shift.status != ShiftStatus::open && shift.status != ShiftStatus::assigned) return refuse_move(shift, "start");
    if (shift.assignedStaffIds.empty()) return refuse_move(shift, "start", "nobody is assigned");
    if (now.ms < shift.startsAt.ms - kEarlyStartMs) {
        return refuse_move(shift, "start", "it begins more than 60 minutes from now");
    }
    return std::vector{event_of(shift, events::ShiftStarted{})};
}

Result<std::vector<NewEvent>> complete(events::ShiftRecord const& record) {
    auto const& shift = record.shift;
    if (shift.status == ShiftStatus::completed) return std::vector<NewEvent>{};
    if (shift.status != ShiftStatus::in_progress) return refuse_move(shift, "complete");
    return std::vector{event_of(shift, events::ShiftCompleted{})};
}

Result<std::vector<NewEvent>> cancel(events::ShiftRecord const& record, std::string const& reason,
                                     std::string const& field) {
    auto const& shift = record.shift;
    if (shift.status == ShiftStatus::cancelled) return std::vector<NewEvent>{};
    if (shift.status == ShiftStatus::completed) return refuse_move(shift, "cancel");
    if (shift.status == ShiftStatus::in_progress && reason.empty()) {
        return invalid_field(field, "required", "is required to cancel a running shift");
    }
    return std::vector{event_of(shift, events::ShiftCancelled{reason})};
}

Result<std::vector<NewEvent>> reopen(events::ShiftRecord const& record, Timestamp now) {
    auto const& shift = record.shift;
    if (shift.status == ShiftStatus::open) return std::vector<NewEvent>{};
    if (shift.status != ShiftStatus::cancelled) return refuse_move(shift, "reopen");
    if (shift.startsAt <= now) return refuse_move(shift, "reopen", "its start is past");
    return std::vector{event_of(shift, events::ShiftReopened{})};
}

}  // namespace workforce::commands
