// Folds organizations into read.organization.
#include "events/organization.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/organizations/organizations.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

struct Model {
    using State = events::Organization;
    using Events = events::OrganizationEvent;
    static constexpr core::Statement kLoad{"organizations_load", sql::organizations_load};
    static constexpr core::Statement kUpsert{"organizations_upsert", sql::organizations_upsert};

    static State read(pqxx::row const& row) { return core::from_stored_json<State>(core::read_view(row["doc"])); }

    static std::vector<core::Parameter> write(std::span<Row<State> const* const> rows) {
        CommonColumns<State> common;
        for (auto const* row : rows) {
            auto const& state = row->state;
            common.add(*row, state);
        }
        return {common.organization.take(), common.sandbox.take(), common.id.take(),
                common.version.take(),      common.doc.take(),     common.lacks_event.take()};
    }
};

}  // namespace

ProjectionType organization_projection() {
    return {.name = "organization",
            .revision = 1,
            .table = "organization",
            .make = &make_projection<DocumentProjection<Model>>};
}

}  // namespace workforce::projections
