// Who could take a shift.
#pragma once

#include "operations/operation.hpp"

namespace workforce::operations {

/// GET /api/staff/available (domain 3.3): the people whom the shift's facility sees, but for those who are on it, each
/// with the assignment rules that they would break. Who breaks none comes first, who breaks one that blocks comes last;
/// within these, who has less time planned in the shift's week. `limit` of them are told, fewer where their documents
/// are large; `total` says how many were ranked.
Operation staff_available();

}  // namespace workforce::operations
