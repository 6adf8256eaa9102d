// The one list of projections.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "events/aggregate.hpp"
#include "projections/engine/projection.hpp"

namespace workforce::projections {

/// All projections, in a fixed order. A new one adds its line in registry.cpp and its tables in a migration.
std::span<ProjectionType const> registry();

/// The name of the projection that keeps the rows of a kind: the kind's own, and "answer" for answers.
std::string_view projection_name(events::Kind kind);
/// The table of that projection, in schema `read`.
std::string_view table_of(events::Kind kind);

/// Their names, in the same order.
std::vector<std::string> names_of(std::span<ProjectionType const> projections);

}  // namespace workforce::projections
