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
    created.description = "Makes a customer and returns it. For who runs the installation.";
    created.refusals = {core::Code::duplicate_resource};
    created.parameters.clear();  // it is in no organization yet
    created.handler = create_organization;
    return {
        list<projections::organizations>("organizations.list", "List organizations")
            .says("Returns a page of organizations: your own, or all for who runs the installation.")
            .needs("organizations.view")
            .at(get, "/api/organizations"),
        one<projections::organizations>("organizations.get", "Read an organization")
            .says("Returns one organization with its settings.")
            .needs("organizations.view")
            .at(get, "/api/organizations/{id:int}"),
        std::move(created)
            .needs("organizations.manage")
            .of_live_data()
            .creates(events::Kind::organization)
            .audit()
            .at(post, "/api/organizations"),
        command<commands::UpdateOrganization>("organizations.update", "Change an organization")
            .says("Changes the fields that are given; others stay, settings too.")
            .refuses({core::Code::last_super_admin})
            .needs("organizations.manage")
            .of_live_data()
            .on(events::Kind::organization)
            .audit()
            .at(patch, "/api/organizations/{id:int}")
            .also_put("organizations.put"),
        command<commands::DeactivateOrganization>("organizations.deactivate", "Deactivate an organization")
            .says("Closes an organization: its people and keys open nothing, and what waits to be delivered is "
                  "dropped. Its rows stay.")
            .refuses({core::Code::last_super_admin})
            .needs("organizations.manage")
            .of_live_data()
            .on(events::Kind::organization)
            .audit()
            .at(post, "/api/organizations/{id:int}/deactivate"),
        command<commands::ReactivateOrganization>("organizations.reactivate", "Reactivate an organization")
            .says("Takes a deactivation back: people, keys and webhooks of the organization work again. What was "
                  "missed is not sent.")
            .needs("organizations.manage")
            .of_live_data()
            .on(events::Kind::organization)
            .audit()
            .at(post, "/api/organizations/{id:int}/reactivate"),
    };
}

}  // namespace workforce::operations
