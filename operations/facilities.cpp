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
            .needs("facilities.view")
            .at(get, "/api/facilities")
            .as_tool({.name = "facilities_list"}),
        one<projections::facilities>("facilities.get", "Read a facility")
            .needs("facilities.view")
            .at(get, "/api/facilities/{id:int}")
            .as_tool({.name = "facilities_get", .renamed = {{"facilityId", "id"}}}),
        command<commands::CreateFacility>("facilities.create", "Add a facility")
            .needs("facilities.create")
            .of_live_data()
            .creates(Kind::facility)
            .at(post, "/api/facilities"),
        command<commands::UpdateFacility>("facilities.update", "Change a facility")
            .needs("facilities.edit")
            .of_live_data()
            .on(Kind::facility)
            .at(patch, "/api/facilities/{id:int}")
            .also_put("facilities.put"),
        command<commands::DeactivateFacility>("facilities.deactivate", "Deactivate a facility")
            .needs("facilities.deactivate")
            .of_live_data()
            .on(Kind::facility)
            .destroys()
            .at(del, "/api/facilities/{id:int}"),
    };
}

}  // namespace workforce::operations
