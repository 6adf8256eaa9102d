// How events of shifts fold: the one definition, for the write side's memory and for read models.
#include "events/shift.hpp"

#include <algorithm>
#include <utility>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

namespace {

void update_open_spots(Shift& shift) {
    shift.openSpots =
        std::max<std::int64_t>(0, shift.requiredWorkers - static_cast<std::int64_t>(shift.assignedStaffIds.size()));
}

void fold(ShiftRecord& record, ShiftPosted const& e, Envelope const&) {
    static_cast<ShiftDetails&>(record.shift) = e;
    static_cast<ShiftSpan&>(record.shift) = e;
    record.shift.templateId = e.templateId;
    if (e.templateId.value) record.templateDate = e.date;
}
void fold(ShiftRecord& record, ShiftUpdated const& e, Envelope const&) {
    merge(record.shift, static_cast<ShiftChanges const&>(e));
    if (e.span) static_cast<ShiftSpan&>(record.shift) = *e.span;
}
void fold(ShiftRecord& record, ShiftStaffAssigned const& e, Envelope const& meta) {
    record.shift.assignedStaffIds.push_back(e.staffId);
    record.assignments.push_back({e.staffId, meta.time, meta.actor.user, e.source, {}, e.overrides});
}
void fold(ShiftRecord& record, ShiftFilled const&, Envelope const& meta) {
    record.shift.filledAt = meta.time;
    if (record.shift.status == ShiftStatus::open) record.shift.status = ShiftStatus::assigned;
}
void fold(ShiftRecord& record, ShiftUnassigned const& e, Envelope const&) {
    std::erase(record.shift.assignedStaffIds, e.staffId);
    std::erase_if(record.assignments, [&](Assignment const& a) { return a.staffId == e.staffId; });
}
void fold(ShiftRecord& record, ShiftVacancyOpened const&, Envelope const&) {
    record.shift.filledAt.value.reset();
    if (record.shift.status == ShiftStatus::assigned) record.shift.status = ShiftStatus::open;
}
void fold(ShiftRecord& record, ShiftStarted const&, Envelope const&) { record.shift.status = ShiftStatus::in_progress; }
void fold(ShiftRecord& record, ShiftCompleted const&, Envelope const&) { record.shift.status = ShiftStatus::completed; }
void fold(ShiftRecord& record, ShiftCancelled const& e, Envelope const&) {
    record.shift.status = ShiftStatus::cancelled;
    record.shift.cancelReason = e.reason;
    // It holds nobody's time any more.
    record.formerStaffIds = std::exchange(record.shift.assignedStaffIds, {});
    record.shift.filledAt.value.reset();
    record.assignments.clear();
}
void fold(ShiftRecord& record, ShiftReopened const&, Envelope const&) {
    record.shift.status = ShiftStatus::open;
    record.shift.cancelReason.clear();
    record.formerStaffIds.clear();
}
void fold(ShiftRecord& record, ShiftDeleted const&, Envelope const&) { record.deleted = true; }
void fold(ShiftRecord&, ShiftSwapped const&, Envelope const&) {}
void fold(ShiftRecord& record, ShiftAcknowledged const& e, Envelope const& meta) {
    auto const own = std::ranges::find(record.assignments, e.staffId, &Assignment::staffId);
    if (own != record.assignments.end()) own->acknowledgedAt = meta.time;
}

}  // namespace

void evolve(ShiftRecord& record, ShiftEvent const& event, Envelope const& meta) {
    std::visit([&](auto const& e) { fold(record, e, meta); }, event);
    update_open_spots(record.shift);
    stamp(record.shift, meta);
}

template struct DataCodec<ShiftEvent>;

}  // namespace workforce::events
