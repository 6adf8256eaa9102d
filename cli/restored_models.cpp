// Erasures of the log against the checkpoints of a backup.
#include "cli/restored_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cli/table_file.hpp"
#include "core/json_io.hpp"
#include "projections/registry.hpp"

namespace workforce::cli {
namespace {

struct CheckpointRow {
    std::string projection;
    std::int32_t partition = 0;
    std::int64_t position = -1;
};
BOOST_DESCRIBE_STRUCT(CheckpointRow, (), (projection, partition, position))

BackupTable const& table_of(KeysManifest const& keys, std::string_view name) {
    for (auto const& table : *keys.readModels) {
        if (table.name == name) return table;
    }
    throw std::runtime_error(fmt::format("keys.json lacks the table {}", name));
}

/// Up to where every read model has folded each partition; nothing stands for a partition that one has not begun.
std::map<int, std::int64_t> folded(KeysManifest const& keys, std::string const& directory) {
    std::map<int, std::vector<std::int64_t>> positions;
    each_row(table_of(keys, "projection.checkpoint"), directory, [&](std::string const& text) {
        auto const row = core::from_stored_json<CheckpointRow>(text);
        positions[row.partition].push_back(row.position);
    });
    std::map<int, std::int64_t> all;
    for (auto const& [partition, of_each] : positions) {
        if (of_each.size() < projections::registry().size()) continue;
        all.emplace(partition, *std::min_element(of_each.begin(), of_each.end()));
    }
    return all;
}

}  // namespace

std::optional<std::string> unfolded_erasure(KeysManifest const& keys, std::string const& keys_directory,
                                            std::set<std::string> const& destroyed, LogFacts const& facts) {
    for (auto const& person : destroyed) {
        if (facts.persons.contains(person) && !facts.erased.contains(person)) {
            return fmt::format("{} was erased after the backup", person);
        }
    }
    auto const until = folded(keys, keys_directory);
    std::optional<std::string> why;
    for (auto const& [person, place] : facts.erased) {
        auto const found = until.find(place.partition);
        if (found != until.end() && place.position <= found->second) continue;
        why = fmt::format("{} was erased after they were taken", person);
    }
    // Who stepped over an event that could not be folded may have stepped over an erasure.
    each_row(table_of(keys, "projection.poison"), keys_directory, [&](std::string const& text) {
        auto const row = core::from_stored_json<CheckpointRow>(text);
        for (auto const& [person, place] : facts.erased) {
            if (place.partition != row.partition || place.position != row.position) continue;
            why = fmt::format("{} could not fold that {} was erased", row.projection, person);
        }
    });
    return why;
}

}  // namespace workforce::cli
