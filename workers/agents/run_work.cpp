// Statements on the work of runs.
#include "workers/agents/run_work.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kPutBack{"agent_runs_put_back", R"(
UPDATE reactor.agent_run_work
SET due_at = now() + $2 * interval '1 millisecond', attempts = CASE WHEN $3 THEN 0 ELSE attempts END, waits_turn = $4
WHERE id = $1)"};
constexpr core::Statement kRunBacklog{"agent_runs_backlog", R"(
SELECT count(*), count(*) FILTER (WHERE attempts > 2),
       coalesce(extract(epoch FROM now() - min(due_at) FILTER (WHERE due_at <= now())), 0)::float8
FROM reactor.agent_run_work)"};

}  // namespace

WorkTable const& agent_run_work() {
    static WorkTable const table(kAgentRunReactor, "agent_run_work");
    return table;
}

std::vector<RunTask> claim_runs(core::Connection& connection, int most, std::chrono::milliseconds lease) {
    std::vector<RunTask> tasks;
    for (auto const& row : agent_run_work().claim(connection, most, lease)) {
        tasks.push_back({.work_id = core::read<std::string>(row["id"]),
                         .run = core::read<core::Id>(row["run_id"]),
                         .organization = core::read<core::Id>(row["organization_id"]),
                         .sandbox = core::read<bool>(row["is_sandbox"]),
                         .correlation_id = core::read<std::string>(row["correlation_id"]),
                         .tries = core::read<int>(row["attempts"])});
    }
    return tasks;
}

void put_back(core::Connection& connection, std::string_view work_id, std::chrono::milliseconds pause, bool went_on,
              bool waits_turn) {
    connection.execute(kPutBack, work_id, std::int64_t{pause.count()}, went_on, waits_turn);
}

RunBacklog count_runs(core::Connection& connection) {
    auto const row = connection.execute(kRunBacklog).at(0);
    return {core::read<std::int64_t>(row[0]), core::read<std::int64_t>(row[1]), core::read<double>(row[2])};
}

}  // namespace workforce::workers
