// The customers, and who runs the installation.
#include "projections/organizations/organizations.hpp"

#include "commands/organization.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"

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

std::vector<StructWords> organization_words() {
    return {
        {{"organizations/"}, {{"id", "The organization's id, from {organizations.list}"}}},
        {{"OrganizationId"}, {{"id", "The organization, as `orgUnitId` names it elsewhere"}}},
        {{"OrganizationDetails", "OrganizationChanges", "UpdateOrganization"},
         {{"type", "internal: who runs the installation, of which there is one; customer: all others. Fixed"}}},
        {{"OrganizationDetails", "OrganizationChanges"},
         {{"name", "What the organization is called"},
          {"industry", "Its line of business in free text: healthcare, hospitality"},
          {"timezone", "Zone that new facilities begin with and dates of credentials go by; UTC by default"},
          {"currency", "Currency of its rates, a code of ISO 4217; USD by default"},
          {"billingCustomerRef", "Whom the billing provider bills; null: nobody. For operators alone"},
          {"settings", "Limits and defaults of the organization; absent ones stay"}}},
        {{"OrganizationFlags"}, {{"isActive", "false once it was deactivated: its credentials open nothing"}}},
        {{"UpdateOrganization"}, {{"isActive", "false deactivates the organization, true takes that back"}}},
        {{"OrganizationSettings", "OrganizationSettingsChanges"},
         {{"approvalTtlHours", "Hours until an approval that nobody decides expires; 72 by default"},
          {"overtimeWeeklyMinutes", "Minutes a week past which work is overtime; 2400 by default"},
          {"overtimeMultiplier", "By what pay is multiplied in overtime; 1.5 by default"},
          {"minRestMinutes", "Minutes of rest between two shifts; 480 by default"},
          {"forbidSameCredentialApproval", "Whether the credential that asked may not approve; false by default"},
          {"triggerFailureLimit", "Failures in a row that disable a trigger; 5 by default"},
          {"usageRetentionDays", "Days that usage is kept; 400 by default"}}},
        {{"OrganizationType"}, {{"", "Who runs the installation, or a customer"}}},
        {{"RuleLevel"}, {{"", "What a broken rule does: allow nothing, flag a warning, block a refusal"}}},
    };
}

}  // namespace workforce::operations
