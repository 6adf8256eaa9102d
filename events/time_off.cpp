// How events of time off fold: the one definition, for the write side's memory and for read models.
#include "events/time_off.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void request(TimeOffRecord& record, TimeOffRequested const& requested, Envelope const& meta) {
    static_cast<TimeOffHolder&>(record) = requested;
    static_cast<TimeOffDays&>(record) = requested;
    static_cast<TimeOffSpan&>(record) = requested;
    record.note = requested.note;
    record.requestedBy = acting_user(meta);
    record.internals.holderErased = requested.note.erased;
}

void decide_on(TimeOffRecord& record, TimeOffStatus status, Envelope const& meta) {
    record.status = status;
    record.decidedBy = acting_user(meta);
    record.decidedAt = meta.time;
}

}  // namespace

void TimeOffDays::check(core::FieldCheck& fields) const {
    constexpr Date kFirst{10957}, kLast{47846};  // 2000-01-01 and 2100-12-31
    auto const known = [&](char const* name, Date day) {
        if (!fields.sound(name)) return false;
        if (day >= kFirst && day <= kLast) return true;
        fields.fail(name, "range", "must be from 2000 to 2100");
        return false;
    };
    bool const begins = known("startDate", startDate);
    if (!known("endDate", endDate) || !begins) return;
    if (endDate < startDate) fields.fail("endDate", "order", "must not be before startDate");
    if (endDate.days - startDate.days >= kMostTimeOffDays) {
        fields.fail("endDate", "range", "must make it no longer than 366 days");
    }
    bool const timed = startTime.value && endTime.value && fields.sound("startTime") && fields.sound("endTime");
    if (timed && startDate == endDate && *endTime.value <= *startTime.value) {
        fields.fail("endTime", "order", "must be after startTime where both are of one day");
    }
}

void evolve(TimeOffRecord& record, TimeOffEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](TimeOffRequested const& e) { request(record, e, meta); },
                          [&](TimeOffApproved const&) { decide_on(record, TimeOffStatus::approved, meta); },
                          [&](TimeOffDeclined const& e) {
                              decide_on(record, TimeOffStatus::declined, meta);
                              record.declineReason = e.reason;
                          },
                          [&](TimeOffCancelled const&) { record.status = TimeOffStatus::cancelled; },
                          [&](TimeOffHolderErased const&) {
                              erase_personal(static_cast<TimeOffStanding&>(record));
                              record.internals.holderErased = true;
                          },
                          [&](TimeOffDeleted const&) { record.deleted = true; }},
               event);
    stamp(record, meta);
}

template struct DataCodec<TimeOffEvent>;

}  // namespace workforce::events
