// The customers, and who runs the installation.
#include "projections/organizations/organizations.hpp"

#include "commands/organization.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

std::vector<Operation> organization_operations() {
    using enum net::Method;
    return {
        list<projections::organizations>("organizations.list", "List organizations")
            .needs("organizations.view")
            .at(get, "/api/organizations"),
        one<projections::organizations>("organizations.get", "Read an organization")
            .needs("organizations.view")
            .at(get, "/api/organizations/{id:int}"),
        command<commands::UpdateOrganization>("organizations.update", "Change an organization")
            .needs("organizations.manage")
            .of_live_data()
            .on(events::Kind::organization)
            .at(patch, "/api/organizations/{id:int}")
            .also_put("organizations.put"),
    };
}

}  // namespace workforce::operations
