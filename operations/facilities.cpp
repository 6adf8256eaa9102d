// Where shifts are worked.
#include "projections/facilities/facilities.hpp"

#include "commands/facility.hpp"
#include "operations/declare.hpp"

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

}  // namespace workforce::operations
