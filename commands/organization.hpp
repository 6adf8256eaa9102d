// Commands on organizations.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// POST /api/organizations. A new organization; its id is context.organization, its home partition is reserved before.
/// The internal one is made by the system alone.
struct CreateOrganization : events::OrganizationDetails {
    using Answer = events::Organization;
};
BOOST_DESCRIBE_STRUCT(CreateOrganization, (events::OrganizationDetails), ())
Result<Decision> decide(View const& view, CreateOrganization const& command, Context const& context);
events::Organization answer(View const& view, CreateOrganization const& command, Decision const& decision);

/// PUT or PATCH /api/organizations/{id}. Nobody whom facilities bind changes what is of the organization as a whole
/// (FACILITY_SCOPE_VIOLATION). `isActive` stands for the commands deactivate and reactivate.
struct UpdateOrganization : events::OrganizationChanges {
    using Answer = events::Organization;
    Id id = 0;
    std::optional<events::OrganizationType> type;  ///< fixed: another is refused
    std::optional<bool> isActive;
};
BOOST_DESCRIBE_STRUCT(UpdateOrganization, (events::OrganizationChanges), (type, isActive))
Result<Decision> decide(View const& view, UpdateOrganization const& command, Context const& context);
events::Organization answer(View const& view, UpdateOrganization const& command, Decision const& decision);

/// POST /api/organizations/{id}/deactivate. No credential of the organization opens anything any more. LAST_SUPER_ADMIN
/// for the internal one, whose super admins would go with it; FACILITY_SCOPE_VIOLATION as for a change.
struct DeactivateOrganization {
    using Answer = events::Organization;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeactivateOrganization, (), ())
Result<Decision> decide(View const& view, DeactivateOrganization const& command, Context const& context);
events::Organization answer(View const& view, DeactivateOrganization const& command, Decision const& decision);

/// POST /api/organizations/{id}/reactivate. Takes a deactivation back. FACILITY_SCOPE_VIOLATION as for a change.
struct ReactivateOrganization {
    using Answer = events::Organization;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReactivateOrganization, (), ())
Result<Decision> decide(View const& view, ReactivateOrganization const& command, Context const& context);
events::Organization answer(View const& view, ReactivateOrganization const& command, Decision const& decision);

/// GET /api/api-usage/export, before its answer leaves: the audit log tells of it.
struct RecordUsageExport {
    using Answer = Nothing;
    Timestamp from;
    Timestamp to;
    core::Nullable<Id> facilityId;
    bool allOrganizations = false;
    std::int64_t rows = 0;
};
BOOST_DESCRIBE_STRUCT(RecordUsageExport, (), (from, to, facilityId, allOrganizations, rows))
Result<Decision> decide(View const& view, RecordUsageExport const& command, Context const& context);

}  // namespace workforce::commands
