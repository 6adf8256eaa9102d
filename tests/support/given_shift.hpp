// Given::shift(), apart from given.hpp: what includes the events of shifts is compiled anew with each change of them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/shift.hpp"
#include "tests/support/given.hpp"

namespace workforce::tests {

inline Given& Given::shift(Id id, Id facility, std::string_view date, std::string_view start, std::string_view end,
                           int required, std::vector<Id> const& assigned) {
    events::ShiftPosted posted;
    posted.facilityId = facility;
    posted.title = "Shift " + std::to_string(id);
    posted.date = day(date);
    posted.startTime = clock(start);
    posted.endTime = clock(end);
    posted.requiredWorkers = required;
    posted.timezone = state.rows<events::Facility>().at(facility).value.timezone.value;
    core::Date const last{posted.date.days + (posted.endTime < posted.startTime ? 1 : 0)};
    posted.startsAt = core::to_utc(posted.date, posted.startTime, posted.timezone);
    posted.endsAt = core::to_utc(last, posted.endTime, posted.timezone);
    on_shift(id, std::move(posted));
    for (Id const person : assigned) on_shift(id, events::ShiftStaffAssigned{person, {}, {}});
    if (static_cast<int>(assigned.size()) >= required) on_shift(id, events::ShiftFilled{assigned});
    return *this;
}

}  // namespace workforce::tests
