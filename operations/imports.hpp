// Imports of files: POST /api/staff/import and POST /api/shifts/import (docs/imports.md).
#pragma once

#include "operations/operation.hpp"

namespace workforce::operations {

/// People by their e-mail addresses.
Operation staff_import();
/// Shifts by their `externalId`.
Operation shift_import();

}  // namespace workforce::operations
