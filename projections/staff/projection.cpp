// Folds staff into read.staff.
#include "events/staff.hpp"
#include "projections/engine/document_projection.hpp"
#include "projections/sql.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::projections {
namespace {

/// The skills as an array's text, to travel inside an array of such texts.
std::string skill_keys(events::Staff const& staff) {
    std::vector<std::string> keys;
    for (auto const& skill : staff.skills) keys.push_back(fold_case(skill.value));
    return core::array_literal(keys);
}

struct Model {
    using State = events::Staff;
    using Events = events::StaffEvent;
    static constexpr core::Statement kLoad{"staff_load", sql::staff_load};
    static constexpr core::Statement kUpsert{"staff_upsert", sql::staff_upsert};

    static State read(pqxx::row const& row) { return staff_of(row); }

    static std::vector<core::Parameter> write(std::span<Row<State> const* const> rows) {
        CommonColumns<State> common;
        ArrayColumn facilities, active, employment, rate, created, updated, last_name, specialty, skills, search,
            erased;
        for (auto const* row : rows) {
            auto const& state = row->state;
            common.add(*row, state);
            facilities.add(core::array_literal(state.facilityIds));
            active.add(state.isActive);
            employment.add(core::enum_name(state.employmentType));
            rate.add(state.hourlyRate.hundredths);
            created.add(state.createdAt);
            updated.add(state.updatedAt);
            last_name.add(fold_case(state.lastName.value.value));
            specialty.add(fold_case(state.specialty.value));
            skills.add(skill_keys(state));
            search.add(search_text(full_name(state.firstName.value, state.lastName.value), state.email.value.value));
            erased.add(row->erased);
        }
        return {common.organization.take(),
                common.sandbox.take(),
                common.id.take(),
                common.version.take(),
                facilities.take(),
                active.take(),
                employment.take(),
                rate.take(),
                created.take(),
                updated.take(),
                last_name.take(),
                specialty.take(),
                skills.take(),
                search.take(),
                common.doc.take(),
                erased.take(),
                common.lacks_event.take()};
    }
};

}  // namespace

events::Staff staff_of(pqxx::row const& row) {
    auto staff = core::from_stored_json<events::Staff>(core::read_view(row["doc"]));
    staff.email.erased = staff.email.value.value.empty();  // as the fold left it: an address is never empty otherwise
    return staff;
}

ProjectionType staff_projection() {
    return {.name = "staff", .revision = 1, .table = "staff", .make = &make_projection<DocumentProjection<Model>>};
}

}  // namespace workforce::projections
