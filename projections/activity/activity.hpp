// The feed of what happened: one row an event that a customer cares for. The dashboard has its query.
#pragma once

#include "projections/engine/projection.hpp"

namespace workforce::projections {

/// What keeps read.activity: events of the kinds that declare so (events/aggregate.hpp). What happens to organizations,
/// users and keys is the audit log's to tell, and kept answers are no events of the domain. Items of staff know the
/// person's facilities.
ProjectionType activity_projection();

}  // namespace workforce::projections
