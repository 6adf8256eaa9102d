// Folds API keys into read.api_key.
#include "events/api_key.hpp"
#include "projections/api_keys/api_keys.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

struct Model {
    using State = events::ApiKey;
    using Events = events::ApiKeyEvent;
    static constexpr core::Statement kLoad{"api_keys_load", sql::api_keys_load};
    static constexpr core::Statement kUpsert{"api_keys_upsert", sql::api_keys_upsert};

    static State read(pqxx::row const& row) { return core::from_stored_json<State>(core::read_view(row["doc"])); }

    static std::vector<core::Parameter> write(std::span<Row<State> const* const> rows) {
        CommonColumns<State> common;
        ArrayColumn facility;
        for (auto const* row : rows) {
            auto const& state = row->state;
            common.add(*row, state);
            facility.add(state.facilityId);
        }
        return {common.organization.take(), common.sandbox.take(), common.id.take(),
                common.version.take(),      facility.take(),       common.doc.take(),
                common.lacks_event.take()};
    }
};

}  // namespace

ProjectionType api_key_projection() {
    return {.name = "api_key", .revision = 1, .table = "api_key", .make = &make_projection<DocumentProjection<Model>>};
}

}  // namespace workforce::projections
