// Rules of time off (decision 141).
#include "commands/time_off.hpp"

#include <algorithm>

#include "commands/shift_staffing.hpp"
#include "commands/staff.hpp"
#include "events/facility.hpp"

namespace workforce::commands {
namespace {

using events::TimeOffRecord;
using events::TimeOffStatus;

constexpr std::string_view kTimeOffNoun = "time off";
constexpr std::size_t kMostWarnings = 100;

std::string key_of_person(Id staff) { return to_string(events::AggregateRef{events::Kind::staff, staff}); }

NewEvent time_off_event(Id id, events::TimeOffEvent event) {
    return {{events::Kind::time_off, id}, 0, std::move(event)};
}

Decision time_off_decision(Id id, events::TimeOffEvent event) { return {{time_off_event(id, std::move(event))}, {}}; }

/// What the state permits, as details.allowed lists it.
std::vector<std::string> allowed(TimeOffStatus status) {
    switch (status) {
        case TimeOffStatus::pending:
            return {"approve", "decline", "cancel"};
        case TimeOffStatus::approved:
            return {"cancel"};
        case TimeOffStatus::declined:
        case TimeOffStatus::cancelled:
            return {};
    }
    return {};
}

tl::unexpected<core::Problem> refuse_time_off_move(TimeOffRecord const& record, std::string_view command) {
    return invalid_transition(kTimeOffNoun, core::enum_name(record.status), command, allowed(record.status));
}

/// The time off that a command is about, where the caller reaches whose it is. Errors: NOT_FOUND.
Result<TimeOffRecord const*> find_time_off(View const& view, Id id, Context const& context) {
    auto const* record = view.get<TimeOffRecord>(id);
    if (!record || record->deleted || !reached_person(view, record->staffId, context))
        return not_found(kTimeOffNoun, id);
    return record;
}

/// By whose clocks the person's days count: those of the facility where they work alone, else the organization's.
std::string zone_of_person(View const& view, events::StaffRecord const& person) {
    auto const& organization = view.organization();
    auto const* facility =
        person.facilityIds.size() == 1 ? view.get<events::Facility>(person.facilityIds.front()) : nullptr;
    return facility ? facility->timezone.value : organization.timezone.value;
}

/// DUPLICATE_RESOURCE where the person has asked for some of that time before, or has it off.
Result<void> require_no_other(View const& view, Id staff, events::TimeOffSpan const& span) {
    auto const others = view.overlapping<events::StandingTimeOffOfPerson>(span.startsAt, span.endsAt, staff);
    if (others.empty()) return {};
    core::JsonWriter details;
    details.begin_object();
    details.member("existingId", others.front().id);
    details.end_object();
    return refuse(Code::duplicate_resource, "The staff member has asked for some of that time before, or has it off.",
                  details.take(), "Ask for other days, or cancel the request in details.existingId first.");
}

/// A warning for each shift of that time that the person is on and that is not completed, at most kMostWarnings.
std::vector<Violation> shifts_meanwhile(View const& view, TimeOffRecord const& record, Context const& context) {
    auto const bookings = view.overlapping<events::BookingsOfPerson>(record.startsAt, record.endsAt, record.staffId);
    std::vector<Id> ids;
    for (auto const& booking : bookings) ids.push_back(booking.id);
    Requirements(view).rows<events::ShiftRecord>(ids).require();
    std::vector<Violation> warnings;
    for (Id const id : ids) {
        auto const* shift = view.get<events::ShiftRecord>(id);
        if (!shift || shift->shift.status == events::ShiftStatus::completed) continue;
        if (warnings.size() == kMostWarnings) break;
        warnings.push_back({std::string(core::info(Code::staff_on_time_off).name),
                            "The staff member is on a shift of that time, and stays on it.", record.staffId,
                            if_visible(view, id, context)});
    }
    return warnings;
}

events::TimeOff shown_time_off(View const& view, Id id) { return *view.get<TimeOffRecord>(id); }

}  // namespace

Result<events::TimeOffSpan> span_of_days(events::TimeOffDays const& days, std::string const& zone) {
    auto const& end = days.endTime.value;
    core::Date const last{days.endDate.days + (end ? 0 : 1)};
    events::TimeOffSpan span{zone, core::to_utc(days.startDate, days.startTime.value.value_or(core::TimeOfDay{}), zone),
                             core::to_utc(last, end.value_or(core::TimeOfDay{}), zone)};
    if (span.endsAt <= span.startsAt) {
        return invalid_field("endTime", "order", "is not after startTime on that day's clocks");
    }
    return span;
}

Result<Decision> decide(View const& view, RequestTimeOff const& command, Context const& context) {
    auto const staff = command.staffId.value_or(context.staff);
    if (staff == 0) return invalid_field("staffId", "required", "must name the staff member who does not work");
    auto const* person = reached_person(view, staff, context);
    if (!person) return not_found("staff member", staff);
    if (!person->isActive) return refuse(Code::staff_inactive, "The staff member is not active.");
    auto const span = span_of_days(command, zone_of_person(view, *person));
    if (!span) return tl::unexpected(span.error());
    if (auto free = require_no_other(view, staff, *span); !free) return tl::unexpected(free.error());
    events::TimeOffRequested requested{
        {staff}, command, *span, command.note.value_or(core::LongText{}), key_of_person(staff)};
    return time_off_decision(context.new_ids.at(0), std::move(requested));
}
events::TimeOff answer(View const& view, RequestTimeOff const&, Decision const& decision) {
    return shown_time_off(view, decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, ApproveTimeOff const& command, Context const& context) {
    auto const found = find_time_off(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    bool const before = record.status == TimeOffStatus::approved;
    if (!before && record.status != TimeOffStatus::pending) return refuse_time_off_move(record, "approve");
    if (!before && decides_on_own(record.staffId, context)) {
        return refuse(Code::self_approval_forbidden, "Nobody but an admin approves their own time off.");
    }
    Decision decision;
    if (!before) decision = time_off_decision(command.id, events::TimeOffApproved{{record.staffId}});
    decision.warnings = shifts_meanwhile(view, record, context);
    return decision;
}
TimeOffAnswer answer(View const& view, ApproveTimeOff const& command, Decision const& decision) {
    return {shown_time_off(view, command.id),
            decision.warnings.empty() ? std::nullopt : std::optional(decision.warnings)};
}

Result<Decision> decide(View const& view, DeclineTimeOff const& command, Context const& context) {
    auto const found = find_time_off(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    if (record.status == TimeOffStatus::declined) return Decision{};
    if (record.status != TimeOffStatus::pending) return refuse_time_off_move(record, "decline");
    return time_off_decision(
        command.id, events::TimeOffDeclined{
                        {record.staffId}, command.reason.value_or(core::LongText{}), key_of_person(record.staffId)});
}
events::TimeOff answer(View const& view, DeclineTimeOff const& command, Decision const&) {
    return shown_time_off(view, command.id);
}

Result<Decision> decide(View const& view, CancelTimeOff const& command, Context const& context) {
    auto const found = find_time_off(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& record = **found;
    if (record.status == TimeOffStatus::cancelled) return Decision{};
    if (record.status == TimeOffStatus::declined) return refuse_time_off_move(record, "cancel");
    bool const begun = record.status == TimeOffStatus::approved && record.startsAt <= context.now;
    if (begun && context.own_only) {
        return invalid_transition(kTimeOffNoun, core::enum_name(record.status), "cancel", {}, "it has begun");
    }
    return time_off_decision(command.id, events::TimeOffCancelled{{record.staffId}, record.status});
}
events::TimeOff answer(View const& view, CancelTimeOff const& command, Decision const&) {
    return shown_time_off(view, command.id);
}

}  // namespace workforce::commands
