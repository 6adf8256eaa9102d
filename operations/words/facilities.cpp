// Words for organizations and facilities.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> facility_words() {
    return {
        {{"facilities/"}, {{"id", "The facility's id, from {facilities.list}"}}},
        {{"FacilityDetails", "FacilityChanges"},
         {{"name", "What people call the place; no other in the organization has it"},
          {"code", "Short code of your own, unique in the organization when set"},
          {"address", "Postal address; absent parts stay"},
          {"phone", "Number to call the place by"},
          {"timezone", "Zone of its clocks, which dates and times of its shifts are in; the organization's by default"},
          {"departments", "Departments to suggest; shifts may name others"},
          {"billMarkupPercent", "Per cent on top of pay that is billed, 0 to 500; counts in monthlyRevenue alone"},
          {"requiredCredentialTypes", "Credentials that people need to work here"},
          {"schedulingRules", "What a broken rule does to an assignment; absent rules stay"},
          {"autoStart", "Staffed shifts start by the clock"},
          {"autoComplete", "Running shifts are completed by the clock, 15 minutes past their end"},
          {"claimsNeedApproval", "Whoever takes an open shift needs an approval"}}},
        {{"FacilityFlags"}, {{"isActive", "false once it was deactivated: no new shifts there"}}},
        {{"UpdateFacility"}, {{"isActive", "false deactivates the facility, true takes that back"}}},
        {{"FacilityFilter", "OrganizationFilter"},
         {{"isActive", "true (the default): those in use; false: deactivated ones; any: both"}}},
        {{"Address", "AddressChanges"},
         {{"line1", "Street and number"},
          {"line2", "Floor, building and the like"},
          {"city", "Town or city"},
          {"region", "State or province"},
          {"postalCode", "ZIP code or the like"},
          {"country", "Country, best as its ISO 3166 code: DE"}}},
        {{"RequiredCredential"},
         {{"specialty", "Only for shifts of this specialty; empty: for all"},
          {"type", "Type of credential that counts"},
          {"name", "Name that it has to have, in any case; empty: any"}}},
        {{"SchedulingRules", "SchedulingRuleChanges"},
         {{"doubleBooking", "The person works elsewhere at that time; block by default"},
          {"timeOff", "The person has time off; block by default"},
          {"inactiveCredential", "A required credential is missing, expired or unverified; block by default"},
          {"specialtyMismatch", "Neither specialty nor skills of the person fit; flag by default"},
          {"overtime", "More hours in the week than the organization's limit; flag by default"},
          {"minRest", "Too little rest between two shifts; flag by default"},
          {"unavailable", "Outside the times that the person is available; flag by default"}}},
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
