// What operators do about poison events, each in one transaction with its record.
#include "projections/engine/poison.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kList{"checkpoints_list_poison", sql::engine_checkpoints_list_poison};
constexpr core::Statement kDecisions{"checkpoints_list_decisions", sql::engine_checkpoints_list_decisions};
constexpr core::Statement kRetry{"checkpoints_retry", sql::engine_checkpoints_retry};
constexpr core::Statement kSkip{"checkpoints_skip", sql::engine_checkpoints_skip};
constexpr core::Statement kSkipPoison{"checkpoints_skip_poison", sql::engine_checkpoints_skip_poison};

/// Rolls back what was done for an event that stops nothing.
struct NotStopped {};

PoisonPlace place_of(pqxx::row const& row) {
    return {core::read<std::string>(row["projection"]), core::read<int>(row["partition"]),
            core::read<std::int64_t>(row["position"])};
}

}  // namespace

std::vector<PoisonEvent> list_poison(core::Connection& connection, bool all) {
    std::vector<PoisonEvent> events;
    for (auto const& row : connection.execute(kList, all)) {
        auto& event = events.emplace_back(PoisonEvent{place_of(row)});
        event.error = core::read<std::string>(row["error"]);
        event.attempts = core::read<std::int64_t>(row["attempts"]);
        event.first_at = core::read<core::Timestamp>(row["first_at"]);
        event.last_at = core::read<core::Timestamp>(row["last_at"]);
        event.resolution = core::read_view(row["resolution"]);
        event.resolved_by = core::read_view(row["resolved_by"]);
        if (!row["resolved_at"].is_null()) event.resolved_at = core::read<core::Timestamp>(row["resolved_at"]);
        event.reason = core::read_view(row["reason"]);
    }
    return events;
}

std::vector<PoisonDecision> list_poison_decisions(core::Connection& connection) {
    std::vector<PoisonDecision> decisions;
    for (auto const& row : connection.execute(kDecisions)) {
        auto& one = decisions.emplace_back(PoisonDecision{place_of(row)});
        one.error = core::read<std::string>(row["error"]);
        one.decision = core::read<std::string>(row["decision"]);
        one.decided_by = core::read<std::string>(row["decided_by"]);
        one.decided_at = core::read<core::Timestamp>(row["decided_at"]);
        one.reason = core::read<std::string>(row["reason"]);
    }
    return decisions;
}

bool retry_poison(core::Connection& connection, PoisonPlace const& place, std::string_view by) {
    return connection.execute(kRetry, place.projection, place.partition, place.position, by).affected_rows() == 1;
}

bool skip_poison(core::Connection& connection, PoisonPlace const& place, std::string_view by, std::string_view reason) {
    auto const done = [](pqxx::result const& result) {
        if (result.affected_rows() != 1) throw NotStopped();
    };
    try {
        connection.transaction([&] {  // the checkpoint first, as a rebuild's swap does
            done(connection.execute(kSkip, place.projection, place.partition, place.position));
            done(connection.execute(kSkipPoison, place.projection, place.partition, place.position, by, reason));
        });
    } catch (NotStopped const&) {
        return false;
    }
    return true;
}

}  // namespace workforce::projections
