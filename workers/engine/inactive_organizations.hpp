// Which organizations were deactivated, as each reactor that goes by it has folded it.
#pragma once

#include <set>
#include <string_view>

#include "core/connection.hpp"
#include "events/event.hpp"

namespace workforce::workers {

/// Why mails of such an organization do not leave.
inline constexpr std::string_view kInactiveOrganization = "the organization is not active";

/// Those of these organizations that were not active when the reactor's fold came to where it is. Blocks, as all
/// functions here. Errors: pqxx's.
std::set<core::Id> inactive_organizations(core::Connection& connection, std::string_view reactor,
                                          std::set<core::Id> const& among);

/// Has the rows of all reactors agree with the read model: after a release that folded no such events, and after the
/// restore of a backup without the table. A process that is about to fold calls it.
void reconcile_inactive_organizations(core::Connection& connection);

/// What an event does to its organization.
enum class OrganizationChange : std::uint8_t { none, deactivated, reactivated };
OrganizationChange change_of(events::Event const& event);

/// Records what the event does to its organization, in the transaction of the reactor's fold.
void keep_organization(core::Connection& connection, std::string_view reactor, events::Event const& event);

}  // namespace workforce::workers
