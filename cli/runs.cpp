// `workforce runs`: the runs of agents that have not ended, by agent, and those that are stuck.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr int kStuckShown = 100;
/// Seconds for which a running run has no event before it is called stuck.
constexpr int kStuckSeconds = 60;

// Plans of agents may have a NUL, of which Postgres makes no text.
constexpr core::Statement kByAgent{"runs_by_agent", R"(
SELECT r.organization_id, r.agent_id, coalesce(replace(a.doc, '\u0000', '\ufffd')::json ->> 'name', '') AS name,
       count(*) FILTER (WHERE r.status = 'queued') AS queued, count(*) FILTER (WHERE r.status = 'running') AS running,
       count(*) FILTER (WHERE r.status = 'pending_approval') AS waiting, min(r.created_at) AS oldest
FROM read.agent_run r
LEFT JOIN read.agent a ON a.organization_id = r.organization_id AND a.is_sandbox = r.is_sandbox AND a.id = r.agent_id
WHERE r.status IN ('queued', 'running', 'pending_approval') AND NOT r.deleted
GROUP BY r.organization_id, r.agent_id, name
ORDER BY count(*) DESC, r.agent_id)"};
// Work that was tried in vain tells why; a run without work, or without an event for long, has lost its way. One that
// waits for others of its agent has not.
constexpr core::Statement kStuckRuns{"runs_stuck", R"(
SELECT r.id, r.organization_id, r.agent_id, r.status, r.updated_at, coalesce(w.attempts, 0) AS attempts,
       CASE WHEN w.id IS NULL THEN 'it has no work' ELSE w.last_error END AS why
FROM read.agent_run r
LEFT JOIN reactor.agent_run_work w ON w.run_id = r.id
WHERE r.status IN ('queued', 'running') AND NOT r.deleted
    AND r.updated_at < now() - $1 * interval '1 second' AND w.waits_turn IS DISTINCT FROM true
ORDER BY r.updated_at
LIMIT $2)"};

/// The live runs of an agent.
struct RunsOfAgentRow {
    core::Id organizationId = 0;
    core::Id agentId = 0;
    std::string agent;
    std::int64_t queued = 0;
    std::int64_t running = 0;
    std::int64_t waiting = 0;
    core::Timestamp oldest;
};
BOOST_DESCRIBE_STRUCT(RunsOfAgentRow, (), (organizationId, agentId, agent, queued, running, waiting, oldest))

struct StuckRunRow {
    core::Id runId = 0;
    core::Id organizationId = 0;
    core::Id agentId = 0;
    std::string status;
    core::Timestamp since;
    int attempts = 0;
    std::string why;
};
BOOST_DESCRIBE_STRUCT(StuckRunRow, (), (runId, organizationId, agentId, status, since, attempts, why))

struct LiveRunList {
    std::vector<RunsOfAgentRow> agents;
    std::vector<StuckRunRow> stuck;
};
BOOST_DESCRIBE_STRUCT(LiveRunList, (), (agents, stuck))

LiveRunList read_runs(core::Config const& configured) {
    auto const config = workers::checked(configured);
    core::Connection connection(workers::session(config, "workforce_projector", "workforce runs"));
    LiveRunList list;
    for (auto const& row : connection.execute(kByAgent)) {
        list.agents.push_back({core::read<core::Id>(row["organization_id"]), core::read<core::Id>(row["agent_id"]),
                               core::read<std::string>(row["name"]), core::read<std::int64_t>(row["queued"]),
                               core::read<std::int64_t>(row["running"]), core::read<std::int64_t>(row["waiting"]),
                               core::read<core::Timestamp>(row["oldest"])});
    }
    for (auto const& row : connection.execute(kStuckRuns, kStuckSeconds, kStuckShown)) {
        list.stuck.push_back({core::read<core::Id>(row["id"]), core::read<core::Id>(row["organization_id"]),
                              core::read<core::Id>(row["agent_id"]), core::read<std::string>(row["status"]),
                              core::read<core::Timestamp>(row["updated_at"]), core::read<int>(row["attempts"]),
                              core::read<std::string>(row["why"])});
    }
    return list;
}

int show_runs(core::Config const& config, bool json) {
    auto const list = read_runs(config);
    if (json) {
        fmt::print("{}", core::pretty_json(*core::parse_json(core::to_json(list))));
        return 0;
    }
    std::vector<std::vector<std::string>> rows{
        {"ORGANIZATION", "AGENT", "NAME", "QUEUED", "RUNNING", "WAITING", "OLDEST"}};
    for (auto const& each : list.agents) {
        rows.push_back({std::to_string(each.organizationId), std::to_string(each.agentId), each.agent,
                        std::to_string(each.queued), std::to_string(each.running), std::to_string(each.waiting),
                        core::to_string(each.oldest)});
    }
    print_table(rows);
    if (list.stuck.empty()) return 0;
    fmt::print("\nstuck for a minute or more:\n");
    std::vector<std::vector<std::string>> stuck{{"RUN", "ORGANIZATION", "AGENT", "STATUS", "SINCE", "TRIES", "WHY"}};
    for (auto const& each : list.stuck) {
        stuck.push_back({std::to_string(each.runId), std::to_string(each.organizationId), std::to_string(each.agentId),
                         each.status, core::to_string(each.since), std::to_string(each.attempts), each.why});
    }
    print_table(stuck);
    return 0;
}

}  // namespace

void add_runs(CommandLine& line) {
    auto const json = std::make_shared<bool>(false);
    auto* command = line.app.add_subcommand("runs", "Show the runs of agents that have not ended, and stuck ones");
    command->add_flag("--json", *json, "As JSON");
    command->callback([&line, json] {
        line.run = [json](core::LoadedConfig const& loaded) { return show_runs(loaded.config, *json); };
    });
}

}  // namespace workforce::cli
