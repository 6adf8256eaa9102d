// What operators do about poison events, each in one transaction with its record.
#include "projections/poison.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kList{"checkpoints_list_poison", sql::checkpoints_list_poison};
constexpr core::Statement kResolve{"checkpoints_resolve_poison", sql::checkpoints_resolve_poison};
constexpr core::Statement kSkip{"checkpoints_skip", sql::checkpoints_skip};

bool resolve(core::Connection& connection, std::string_view projection, int partition, std::int64_t position,
             std::string_view resolution, std::string_view by) {
    return connection.execute(kResolve, projection, partition, position, resolution, by).affected_rows() == 1;
}

}  // namespace

std::vector<PoisonEvent> list_poison(core::Connection& connection) {
    std::vector<PoisonEvent> all;
    for (auto const& row : connection.execute(kList)) {
        all.push_back({.projection = core::read<std::string>(row[0]),
                       .partition = core::read<int>(row[1]),
                       .position = core::read<std::int64_t>(row[2]),
                       .error = core::read<std::string>(row[3]),
                       .attempts = core::read<std::int64_t>(row[4]),
                       .first_at = core::read<core::Timestamp>(row[5]),
                       .last_at = core::read<core::Timestamp>(row[6]),
                       .resolution = std::string(core::read_view(row[7])),
                       .resolved_by = std::string(core::read_view(row[8]))});
    }
    return all;
}

bool retry_poison(core::Connection& connection, std::string_view projection, int partition, std::int64_t position,
                  std::string_view by) {
    return resolve(connection, projection, partition, position, "retried", by);
}

bool skip_poison(core::Connection& connection, std::string_view projection, int partition, std::int64_t position,
                 std::string_view by) {
    return connection.transaction([&] {
        if (!resolve(connection, projection, partition, position, "skipped", by)) return false;
        // A checkpoint elsewhere means that the event no longer stops anything.
        return connection.execute(kSkip, projection, partition, position).affected_rows() == 1;
    });
}

}  // namespace workforce::projections
