// Organizations as queries see them.
#pragma once

#include "core/bool_or_any.hpp"
#include "events/organization.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of organizations is narrowed to.
struct OrganizationFilter : ListFilter {
    std::optional<core::BoolOrAny> isActive = core::BoolOrAny{true};
};
BOOST_DESCRIBE_STRUCT(OrganizationFilter, (ListFilter), (isActive))

using OrganizationRows = ReadModel<events::Organization, OrganizationFilter>;

/// read.organization. Organizations are rows of themselves.
OrganizationRows const& organizations();

}  // namespace workforce::projections
