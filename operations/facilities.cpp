// Where shifts are worked.
#include "projections/facilities/facilities.hpp"

#include "commands/facility.hpp"
#include "operations/declare.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

using events::Kind;

std::vector<Operation> facility_operations() {
    using enum net::Method;
    return {
        list<projections::facilities>("facilities.list", "List facilities")
            .says("Returns a page of the facilities that you may see. Use it to find the facilityId that other "
                  "requests take.")
            .needs("facilities.view")
            .at(get, "/api/facilities")
            .as_tool({.name = "facilities_list"}),
        one<projections::facilities>("facilities.get", "Read a facility")
            .says("Returns one facility with its address, its clock's zone and its scheduling rules.")
            .needs("facilities.view")
            .at(get, "/api/facilities/{id:int}")
            .as_tool({.name = "facilities_get", .renamed = {{"facilityId", "id"}}}),
        command<commands::CreateFacility>("facilities.create", "Add a facility")
            .says("Adds a place where shifts are worked and returns it. Refused where another facility of the "
                  "organization has the name or the code.")
            .refuses({core::Code::duplicate_resource})
            .needs("facilities.create")
            .of_live_data()
            .creates(Kind::facility)
            .at(post, "/api/facilities"),
        command<commands::UpdateFacility>("facilities.update", "Change a facility")
            .says("Changes the fields that are given; others stay as they are. A new time zone holds for shifts from "
                  "then on. Refused where another facility has the name or the code, and a deactivation while shifts "
                  "lie ahead.")
            .refuses({core::Code::duplicate_resource, core::Code::facility_in_use})
            .needs("facilities.edit")
            .of_live_data()
            .on(Kind::facility)
            .at(patch, "/api/facilities/{id:int}")
            .also_put("facilities.put"),
        command<commands::DeactivateFacility>("facilities.deactivate", "Deactivate a facility")
            .says("Takes a facility out of use: nobody posts shifts there any more, and what was stays readable. "
                  "Refused while shifts lie ahead there.")
            .refuses({core::Code::facility_in_use})
            .needs("facilities.deactivate")
            .of_live_data()
            .on(Kind::facility)
            .destroys()
            .at(del, "/api/facilities/{id:int}"),
    };
}

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

}  // namespace workforce::operations
