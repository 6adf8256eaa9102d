// The declaration of read.time_off.
#include "projections/time_off/time_off.hpp"

#include "projections/staff/staff.hpp"

namespace workforce::projections {

TimeOffRows const& time_off() {
    static TimeOffRows const model =
        TimeOffRows::declare("time_off")
            .called("time off")
            .seen_at(kSeenWithHolder)
            .own_if("t.staff_id = $staff")
            .shown_if("NOT t.deleted")
            .column("staff_id", [](auto const& off) { return off.staffId; })
            .column("deleted", [](auto const& off) { return off.deleted; })
            .column("status", [](auto const& off) { return off.status; })
            .column("type", [](auto const& off) { return off.type; })
            .column("start_date", [](auto const& off) { return off.startDate; })
            .column("end_date", [](auto const& off) { return off.endDate; })
            .column("starts_at", [](auto const& off) { return off.startsAt; })
            .column("ends_at", [](auto const& off) { return off.endsAt; })
            .json("internals", [](auto const& off) -> auto const& { return off.internals; })
            .filter<&TimeOffFilter::staffId>("t.staff_id = $staffId")
            .filter<&TimeOffFilter::status>("t.status = ANY ($status)")
            .filter<&TimeOffFilter::type>("t.type = ANY ($type)")
            .filter<&TimeOffFilter::from>("t.end_date >= $from")
            .filter<&TimeOffFilter::to>("t.start_date <= $to")
            .stamped()
            .sort("startDate", "start_date")
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
