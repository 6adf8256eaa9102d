// The declaration of read.organization.
#include "projections/organizations/organizations.hpp"

namespace workforce::projections {

OrganizationRows const& organizations() {
    static OrganizationRows const model = OrganizationRows::declare("organization");
    return model;
}

}  // namespace workforce::projections
