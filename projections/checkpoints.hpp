// Where projections stand, as the table of checkpoints has it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/connection.hpp"
#include "projections/progress.hpp"
#include "projections/projection.hpp"

namespace workforce::projections {

/// The standings of a partition's projections, in the order of their types; nothing for one that never began.
using Standings = std::vector<std::optional<Progress::Standing>>;

/// The standings of the partitions named. The session is of a role that may read them (projector, reader). Blocks.
std::map<int, Standings> load_standings(core::Connection& connection, std::span<ProjectionType const> types,
                                        std::span<int const> partitions);

}  // namespace workforce::projections
