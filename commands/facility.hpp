// Commands on facilities.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/facility.hpp"

namespace workforce::commands {

/// POST /api/facilities. Name, and code when set, are unique in the organization.
struct CreateFacility : events::FacilityDetails {
    using Answer = events::Facility;
};
BOOST_DESCRIBE_STRUCT(CreateFacility, (events::FacilityDetails), ())
Result<Decision> decide(View const& view, CreateFacility const& command, Context const& context);
events::Facility answer(View const& view, CreateFacility const& command, Decision const& decision);

/// PATCH /api/facilities/{id}. `isActive` stands for the commands deactivate and reactivate.
struct UpdateFacility : events::FacilityChanges {
    using Answer = events::Facility;
    Id id = 0;
    std::optional<bool> isActive;
};
BOOST_DESCRIBE_STRUCT(UpdateFacility, (events::FacilityChanges), (isActive))
Result<Decision> decide(View const& view, UpdateFacility const& command, Context const& context);
events::Facility answer(View const& view, UpdateFacility const& command, Decision const& decision);

/// DELETE /api/facilities/{id}. Refused while shifts lie ahead there (FACILITY_IN_USE).
struct DeactivateFacility {
    using Answer = events::Facility;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeactivateFacility, (), ())
Result<Decision> decide(View const& view, DeactivateFacility const& command, Context const& context);
events::Facility answer(View const& view, DeactivateFacility const& command, Decision const& decision);

/// The facility that a command's body names.
/// Errors: FACILITY_SCOPE_VIOLATION for one that the organization lacks or that is outside the caller's facilities: the
/// two look the same (domain 15).
Result<events::Facility const*> facility_in_scope(View const& view, Id id, Context const& context);
/// INVALID_STATE_TRANSITION for a command that takes an active facility.
tl::unexpected<core::Problem> refuse_inactive(events::Facility const& facility, std::string_view command);

}  // namespace workforce::commands
