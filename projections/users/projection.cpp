// Folds users into read.user_account.
#include "events/user.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/sql.hpp"
#include "projections/users/users.hpp"

namespace workforce::projections {
namespace {

struct Model {
    using State = events::User;
    using Events = events::UserEvent;
    static constexpr core::Statement kLoad{"users_load", sql::users_load};
    static constexpr core::Statement kUpsert{"users_upsert", sql::users_upsert};

    static State read(pqxx::row const& row) { return user_of(row); }

    static std::vector<core::Parameter> write(std::span<Row<State> const* const> rows) {
        CommonColumns<State> common;
        ArrayColumn name, email, erased;
        for (auto const* row : rows) {
            auto const& state = row->state;
            common.add(*row, state);
            name.add(full_name(state.firstName.value, state.lastName.value));
            email.add(state.email.value.value);
            erased.add(row->erased);
        }
        return {common.organization.take(), common.sandbox.take(), common.id.take(),
                common.version.take(),      name.take(),           email.take(),
                common.doc.take(),          erased.take(),         common.lacks_event.take()};
    }
};

}  // namespace

events::User user_of(pqxx::row const& row) {
    auto user = core::from_stored_json<events::User>(core::read_view(row["doc"]));
    user.email.erased = user.email.value.value.empty();  // as the fold left it: an address is never empty otherwise
    return user;
}

ProjectionType user_projection() {
    return {
        .name = "user", .revision = 1, .table = "user_account", .make = &make_projection<DocumentProjection<Model>>};
}

}  // namespace workforce::projections
