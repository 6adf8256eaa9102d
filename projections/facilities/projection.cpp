// Folds facilities into read.facility: a live row each, and the one that its sandbox shows.
#include "events/facility.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

/// The facility as its sandbox shows it (domain 9): told apart by its name, and without contact data.
Row<events::Facility> in_sandbox(Row<events::Facility> const& live) {
    auto shown = live;
    shown.sandbox = true;
    shown.state.name.value += " (sandbox)";
    shown.state.address = {};
    shown.state.phone = {};
    return shown;
}

struct Model {
    using State = events::Facility;
    using Events = events::FacilityEvent;
    static constexpr core::Statement kLoad{"facilities_load", sql::facilities_load};
    static constexpr core::Statement kUpsert{"facilities_upsert", sql::facilities_upsert};

    static State read(pqxx::row const& row) { return core::from_stored_json<State>(core::read_view(row["doc"])); }

    static std::vector<core::Parameter> write(std::span<Row<State> const* const> rows) {
        CommonColumns<State> common;
        ArrayColumn facility, active, timezone, created, updated, name, search;
        auto const add = [&](Row<State> const& row) {
            auto const& state = row.state;
            common.add(row, state);
            facility.add(state.id);
            active.add(state.isActive);
            timezone.add(state.timezone.value);
            created.add(state.createdAt);
            updated.add(state.updatedAt);
            name.add(fold_case(state.name.value));
            search.add(search_text(state.name.value, state.code.value));
        };
        for (auto const* row : rows) {
            add(*row);
            if (!row->sandbox) add(in_sandbox(*row));
        }
        return {common.organization.take(),
                common.sandbox.take(),
                common.id.take(),
                common.version.take(),
                facility.take(),
                active.take(),
                timezone.take(),
                created.take(),
                updated.take(),
                name.take(),
                search.take(),
                common.doc.take(),
                common.lacks_event.take()};
    }
};

}  // namespace

ProjectionType facility_projection() {
    return {
        .name = "facility", .revision = 2, .table = "facility", .make = &make_projection<DocumentProjection<Model>>};
}

}  // namespace workforce::projections
