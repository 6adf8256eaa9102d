// Folds shifts into read.shift.
#include "events/shift.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

struct Model {
    using State = events::ShiftRecord;
    using Events = events::ShiftEvent;
    static constexpr core::Statement kLoad{"shifts_load", sql::shifts_load};
    static constexpr core::Statement kUpsert{"shifts_upsert", sql::shifts_upsert};

    static State read(pqxx::row const& row) { return shift_of(row); }

    static std::vector<core::Parameter> write(std::span<Row<State> const* const> rows) {
        CommonColumns<State> common;
        ArrayColumn facility, deleted, status, urgency, date, starts, ends, created, updated, staff, department,
            specialty, search;
        JsonColumn assignments;
        for (auto const* row : rows) {
            auto const& shift = row->state.shift;
            common.add(*row, shift);
            facility.add(shift.facilityId);
            deleted.add(row->state.deleted);
            status.add(core::enum_name(shift.status));
            urgency.add(static_cast<int>(shift.urgency));
            date.add(shift.date);
            starts.add(shift.startsAt);
            ends.add(shift.endsAt);
            created.add(shift.createdAt);
            updated.add(shift.updatedAt);
            staff.add(core::array_literal(shift.assignedStaffIds));
            department.add(fold_case(shift.department.value));
            specialty.add(fold_case(shift.specialty.value));
            search.add(search_text(shift.title.value, shift.department.value, shift.specialty.value));
            assignments.add(core::to_json(row->state.assignments));
        }
        return {common.organization.take(),
                common.sandbox.take(),
                common.id.take(),
                common.version.take(),
                facility.take(),
                deleted.take(),
                status.take(),
                urgency.take(),
                date.take(),
                starts.take(),
                ends.take(),
                created.take(),
                updated.take(),
                staff.take(),
                department.take(),
                specialty.take(),
                search.take(),
                common.doc.take(),
                assignments.take(),
                common.lacks_event.take()};
    }
};

}  // namespace

events::ShiftRecord shift_of(pqxx::row const& row) {
    return {.shift = core::from_stored_json<events::Shift>(core::read_view(row["doc"])),
            .assignments = core::from_stored_json<std::vector<events::Assignment>>(core::read_view(row["assignments"])),
            .deleted = core::read<bool>(row["deleted"])};
}

ProjectionType shift_projection() {
    return {.name = "shift", .revision = 2, .table = "shift", .make = &make_projection<DocumentProjection<Model>>};
}

}  // namespace workforce::projections
