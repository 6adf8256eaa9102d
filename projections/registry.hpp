// The one list of projections.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "projections/engine/projection.hpp"

namespace workforce::projections {

/// All projections, in a fixed order. A new one adds its line in registry.cpp and its tables in a migration.
std::span<ProjectionType const> registry();

/// Their names, in the same order.
std::vector<std::string> names_of(std::span<ProjectionType const> projections);

}  // namespace workforce::projections
