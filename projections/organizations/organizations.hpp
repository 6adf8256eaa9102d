// Organizations as queries see them.
#pragma once

#include "events/organization.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

using OrganizationRows = ReadModel<events::Organization>;

/// read.organization. Organizations are rows of themselves.
OrganizationRows const& organizations();

}  // namespace workforce::projections
