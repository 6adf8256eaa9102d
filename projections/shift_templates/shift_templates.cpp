// The declaration of read.shift_template.
#include "projections/shift_templates/shift_templates.hpp"

namespace workforce::projections {

ShiftTemplateRows const& shift_templates() {
    static ShiftTemplateRows const model =
        ShiftTemplateRows::declare("shift_template")
            .called("shift template")
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& pattern) { return pattern.facilityId; })
            .column("deleted", [](auto const& pattern) { return pattern.deleted; })
            .column("is_active", [](auto const& pattern) { return pattern.isActive; })
            .column("title_key", [](auto const& pattern) { return core::fold_case(pattern.title.value); })
            .filter<&ShiftTemplateFilter::isActive>("t.is_active = $isActive")
            .search([](auto const& pattern) {
                return search_text(pattern.title.value, pattern.department.value, pattern.specialty.value);
            })
            .stamped()
            .sort("createdAt", "created_at")
            .sort("title", "title_key");
    return model;
}

}  // namespace workforce::projections
