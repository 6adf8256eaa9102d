// Reading checkpoints.
#include "projections/engine/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kLoadCheckpoints{"checkpoints_load", sql::engine_checkpoints_load};
constexpr core::Statement kPaused{"checkpoints_paused", sql::engine_checkpoints_paused};
constexpr core::Statement kOutdated{"checkpoints_outdated", sql::engine_checkpoints_outdated};

/// Where sessions on those tables look for names. Temporary tables last: where they are not named they would be looked
/// for first.
std::string_view search_path(Tables tables) {
    switch (tables) {
        case Tables::live:
            return "read, projection, pg_temp";
        case Tables::shadow:
            return "rebuild, pg_temp";
        case Tables::reactors:
            return "reactor, pg_temp";
    }
    return {};
}

/// Marks the reactors among them that are paused.
void mark_paused(core::Connection& connection, std::span<ProjectionType const> types,
                 std::map<int, Standings>& standings) {
    for (auto const& row : connection.execute(kPaused)) {
        auto const name = core::read_view(row["name"]);
        auto const type =
            std::find_if(types.begin(), types.end(), [&](auto const& t) { return t.reacts && t.name == name; });
        if (type == types.end()) continue;
        for (auto& [partition, of_each] : standings) {
            auto& standing = of_each[static_cast<std::size_t>(type - types.begin())];
            if (!standing || standing->stopped) continue;
            standing->stopped = true;
            standing->reason =
                fmt::format("paused by {}: {}", core::read_view(row["paused_by"]), core::read_view(row["reason"]));
        }
    }
}

}  // namespace

core::ConnectionOptions aimed_at(core::ConnectionOptions options, Tables tables) {
    options.settings.emplace_back("search_path", search_path(tables));
    return options;
}

std::map<int, Standings> load_standings(core::Connection& connection, std::span<ProjectionType const> types,
                                        std::span<int const> partitions) {
    std::map<int, Standings> all;
    for (int const partition : partitions) all[partition].resize(types.size());
    for (auto const& row : connection.execute(kLoadCheckpoints, partitions)) {
        auto const name = core::read_view(row["projection"]);
        auto const type = std::find_if(types.begin(), types.end(), [&](auto const& each) { return each.name == name; });
        if (type == types.end()) continue;  // another program's
        Progress::Standing standing{.position = core::read<std::int64_t>(row["position"])};
        standing.generation = core::read<std::int64_t>(row["generation"]);
        auto const revision = core::read<int>(row["revision"]);
        if (revision != type->revision) {
            standing.stopped = true;
            standing.reason =
                fmt::format("its rows are of revision {}, this program's of {}: rebuild it", revision, type->revision);
        } else if (!row["poison"].is_null()) {
            standing.stopped = true;
            standing.reason = core::read<std::string>(row["error"]);
        }
        all[core::read<int>(row["partition"])][static_cast<std::size_t>(type - types.begin())] = std::move(standing);
    }
    if (std::any_of(types.begin(), types.end(), [](auto const& type) { return type.reacts; })) {
        mark_paused(connection, types, all);
    }
    return all;
}

std::vector<std::string> outdated(core::Connection& connection, std::span<ProjectionType const> types) {
    std::vector<std::string_view> names;
    std::vector<int> revisions;
    for (auto const& type : types) {
        names.push_back(type.name);
        revisions.push_back(type.revision);
    }
    std::vector<std::string> found;
    for (auto const& row : connection.execute(kOutdated, names, revisions)) {
        found.push_back(core::read<std::string>(row[0]));
    }
    return found;
}

}  // namespace workforce::projections
