// The declaration of read.organization.
#include "projections/organizations/organizations.hpp"

namespace workforce::projections {

OrganizationRows const& organizations() {
    static OrganizationRows const model =
        OrganizationRows::declare("organization")
            .revision(2)
            .column("is_active", [](auto const& organization) { return organization.isActive; })
            .column("name_key", [](auto const& organization) { return core::fold_case(organization.name.value); })
            .filter<&OrganizationFilter::isActive>("t.is_active = $isActive")
            .search([](auto const& organization) { return search_text(organization.name.value); })
            .stamped()
            .sort("name", "name_key")
            .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
