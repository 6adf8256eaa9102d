// The shared parts of the pages about payroll.
#pragma once

#include "operations/dashboard/form_inputs.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_table.hpp"

namespace workforce::operations {

/// The table of payments; with the time that they were made out at where they are of several runs.
TableShape payments_table(bool of_several);

}  // namespace workforce::operations
