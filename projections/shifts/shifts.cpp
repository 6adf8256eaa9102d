// The declaration of read.shift.
#include "projections/shifts/shifts.hpp"

#include <algorithm>
#include <iterator>

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

std::int16_t rank(events::Urgency urgency) { return static_cast<std::int16_t>(urgency); }

constexpr auto ranks = [](std::optional<std::vector<events::Urgency>> const& urgencies) {
    std::vector<std::int16_t> all;
    if (urgencies) std::transform(urgencies->begin(), urgencies->end(), std::back_inserter(all), rank);
    return all;
};

constexpr auto now_if = [](std::optional<bool> const& asked) {
    return asked.value_or(false) ? std::optional(core::now()) : std::nullopt;
};

/// Nothing where there is none, which the database index then leaves out.
constexpr auto external_id_or_null = [](events::ShiftRecord const& record) {
    auto const& id = record.shift.externalId.value;
    return id.empty() ? std::nullopt : std::optional(id);
};

std::string searched(events::Shift const& shift) {
    return search_text(shift.title.value, shift.department.value, shift.specialty.value);
}

}  // namespace

ShiftRows const& shifts() {
    static ShiftRows const model =
        ShiftRows::declare("shift")
            .revision(4)
            .seen_at("t.facility_id = ANY ($facilities)")
            .own_if(
                "$staff = ANY (t.staff_ids) OR $staff = ANY (t.former_staff_ids)"
                " OR t.status = 'open' AND ($facilities IS NULL OR t.facility_id = ANY ($facilities))")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& record) { return record.shift.facilityId; })
            .column("deleted", [](auto const& record) { return record.deleted; })
            .column("status", [](auto const& record) { return record.shift.status; })
            .column("urgency_rank", [](auto const& record) { return rank(record.shift.urgency); })
            .column("date", [](auto const& record) { return record.shift.date; })
            .column("starts_at", [](auto const& record) { return record.shift.startsAt; })
            .column("ends_at", [](auto const& record) { return record.shift.endsAt; })
            .column("staff_ids", [](auto const& record) -> auto const& { return record.shift.assignedStaffIds; })
            .column("former_staff_ids", [](auto const& record) -> auto const& { return record.formerStaffIds; })
            .column("department_key", [](auto const& record) { return core::fold_case(record.shift.department.value); })
            .column("specialty_key", [](auto const& record) { return core::fold_case(record.shift.specialty.value); })
            .column("external_id", external_id_or_null)
            .column("template_id", [](auto const& record) { return record.shift.templateId; })
            .column("template_date", [](auto const& record) { return record.templateDate; })
            .json("assignments", [](auto const& record) -> auto const& { return record.assignments; })
            .filter<&ShiftFilter::status>("t.status = ANY ($status)")
            .filter<&ShiftFilter::from>("t.date >= $from")
            .filter<&ShiftFilter::to>("t.date <= $to")
            // No zone is further from UTC than 14 hours: what `date` says, in terms that the index knows.
            .where(
                "t.starts_at >= CASE WHEN $from::date IS NULL THEN '-infinity'"
                " ELSE $from::date::timestamptz - interval '15 hours' END")
            .where(
                "t.starts_at < CASE WHEN $to::date IS NULL THEN 'infinity'"
                " ELSE $to::date::timestamptz + interval '39 hours' END")
            .filter<&ShiftFilter::urgency>("t.urgency_rank = ANY ($urgency)", ranks)
            .filter<&ShiftFilter::specialty>("t.specialty_key = $specialty", folded)
            .filter<&ShiftFilter::department>("t.department_key = $department", folded)
            .filter<&ShiftFilter::staffId>("$staffId = ANY (t.staff_ids)")
            .filter<&ShiftFilter::templateId>("t.template_id = $templateId")
            .filter<&ShiftFilter::open>("(t.status = 'open' AND t.ends_at > $open)", now_if)
            .search([](auto const& record) { return searched(record.shift); })
            .stamped()
            .sort("startsAt", "starts_at")
            .sort("createdAt", "created_at")
            .sort("urgency", "urgency_rank");
    return model;
}

ScopedStatement const& assignments_by_shift() {
    static ScopedStatement const statement("shift_find_assignments", sql::shifts_find_assignments,
                                           find_own_text(shifts().spec()));
    return statement;
}

}  // namespace workforce::projections
