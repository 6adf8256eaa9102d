// Where projections stand, as the table of checkpoints has it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/projection.hpp"

namespace workforce::projections {

/// Which tables a session works on: those that queries read, those that a rebuild makes beside them, or those of
/// reactors. Each schema has its own checkpoints and poison events.
enum class Tables : std::uint8_t { live, shadow, reactors };

/// The options of a session whose statements name no schema, as those of projections do: it looks into schemas alone in
/// which no stranger can make tables.
core::ConnectionOptions aimed_at(core::ConnectionOptions options, Tables tables);

/// The standings of a partition's projections, in the order of their types; nothing for one that never began.
using Standings = std::vector<std::optional<Progress::Standing>>;

/// The standings of the partitions named; reactors that are paused count as stopped. The session is aimed_at() them, of
/// a role that may read them (projector; reader, of read models alone). Blocks.
std::map<int, Standings> load_standings(core::Connection& connection, std::span<ProjectionType const> types,
                                        std::span<int const> partitions);

/// The names of those whose rows are of another revision than the program's, and so have to be rebuilt. The session is
/// aimed_at() live tables, of a role that may read them. Blocks.
std::vector<std::string> outdated(core::Connection& connection, std::span<ProjectionType const> types);

}  // namespace workforce::projections
