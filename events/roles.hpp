// What the roles of people may do (domain 4.3).
#pragma once

#include <cstdint>

#include "core/scopes.hpp"
#include "events/user.hpp"

namespace workforce::events {

/// What a permission has to reach: all rows, or those of the person's own at least.
enum class Reach : std::uint8_t { all_rows, own_rows };

/// The permissions that the role has in its organization; `internal`: in the organization that runs the installation.
/// What reaches own rows alone opens the operations that reach them (Operation::own_by), whose queries are narrowed.
core::Permissions permissions_of_role(Role role, bool internal, Reach reach = Reach::all_rows);

/// Whether whoever has the role in the internal organization, bound to no facility, may act on any organization.
bool is_operator_role(Role role);

}  // namespace workforce::events
