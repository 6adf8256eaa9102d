// The customers, and who runs the installation.
#include "projections/organizations/organizations.hpp"

#include "commands/organization.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

namespace {

/// find_target() gave it its id, which is the call's organization.
boost::asio::awaitable<Outcome> create_organization(Call& call) {
    return submit(call, submission_of(call, read_command<commands::CreateOrganization>(call)), 0);
}

}  // namespace

std::vector<Operation> organization_operations() {
    using enum net::Method;
    auto created = command<commands::CreateOrganization>("organizations.create", "Make an organization");
    created.parameters.clear();  // it is in no organization yet
    created.handler = create_organization;
    return {
        list<projections::organizations>("organizations.list", "List organizations")
            .needs("organizations.view")
            .at(get, "/api/organizations"),
        one<projections::organizations>("organizations.get", "Read an organization")
            .needs("organizations.view")
            .at(get, "/api/organizations/{id:int}"),
        std::move(created)
            .needs("organizations.manage")
            .of_live_data()
            .creates(events::Kind::organization)
            .audit()
            .at(post, "/api/organizations"),
        command<commands::UpdateOrganization>("organizations.update", "Change an organization")
            .needs("organizations.manage")
            .of_live_data()
            .on(events::Kind::organization)
            .audit()
            .at(patch, "/api/organizations/{id:int}")
            .also_put("organizations.put"),
        command<commands::DeactivateOrganization>("organizations.deactivate", "Deactivate an organization")
            .needs("organizations.manage")
            .of_live_data()
            .on(events::Kind::organization)
            .audit()
            .at(post, "/api/organizations/{id:int}/deactivate"),
        command<commands::ReactivateOrganization>("organizations.reactivate", "Reactivate an organization")
            .needs("organizations.manage")
            .of_live_data()
            .on(events::Kind::organization)
            .audit()
            .at(post, "/api/organizations/{id:int}/reactivate"),
    };
}

}  // namespace workforce::operations
