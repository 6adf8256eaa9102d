// Who could take a shift.
#pragma once

#include "operations/operation.hpp"

namespace workforce::operations {

/// GET /api/staff/available (domain 3.3): the people whom the shift's facility sees, but for those who are on it, each
/// with the assignment rules that they would break. Who breaks none comes first, who breaks one that blocks comes last;
/// within these, who has less time planned in the shift's week. A page without a next one: whoever needs more people
/// than `limit` names a shift that is easier to staff.
Operation staff_available();

}  // namespace workforce::operations
