// `workforce usage`: who does what right now.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "core/sql_values.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr int kMostMinutes = 24 * 60;
constexpr int kMostGroups = 1000;

constexpr std::string_view kTopSql = R"(
SELECT {} AS name, count(*) AS calls, count(*) FILTER (WHERE status_code >= 400) AS errors,
       round(avg(latency_ms))::bigint AS avg_ms,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms)::bigint AS p95_ms
FROM usage.call WHERE occurred_at > now() - $1 * interval '1 minute'
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $2)";

/// One busiest list.
struct TopBy {
    std::string_view title;
    std::string_view name;  ///< what it groups by, as SQL
};
constexpr std::array kTops{
    TopBy{"CREDENTIAL", "credential_type || CASE WHEN key_id <> 0 THEN ' key/' || key_id ELSE ' user/' || user_id END"},
    TopBy{"TOOL", "channel || ' ' || tool"}, TopBy{"ORGANIZATION", "organization_id::text"}};

struct TopUsageRow {
    std::string name;
    std::int64_t calls = 0;
    std::int64_t errors = 0;
    std::int64_t avgMs = 0;
    std::int64_t p95Ms = 0;
};
BOOST_DESCRIBE_STRUCT(TopUsageRow, (), (name, calls, errors, avgMs, p95Ms))

struct TopUsage {
    std::vector<TopUsageRow> credentials, tools, organizations;
};
BOOST_DESCRIBE_STRUCT(TopUsage, (), (credentials, tools, organizations))

struct TopUsageArguments {
    int minutes = 5;
    int limit = 10;
    bool json = false;
};

core::Statement top_statement(std::size_t list) {
    static std::array<std::string, kTops.size()> const texts{
        fmt::format(kTopSql, kTops[0].name), fmt::format(kTopSql, kTops[1].name), fmt::format(kTopSql, kTops[2].name)};
    return {kTops.at(list).title, texts.at(list)};
}

std::vector<TopUsageRow> read_top(core::Connection& connection, std::size_t list, TopUsageArguments const& arguments) {
    std::vector<TopUsageRow> all;
    for (auto const& row : connection.execute(top_statement(list), arguments.minutes, arguments.limit)) {
        all.push_back({core::read<std::string>(row["name"]), core::read<std::int64_t>(row["calls"]),
                       core::read<std::int64_t>(row["errors"]), core::read<std::int64_t>(row["avg_ms"]),
                       core::read<std::int64_t>(row["p95_ms"])});
    }
    return all;
}

int show_top(core::Config const& configured, TopUsageArguments const& arguments) {
    core::Connection connection(workers::session(workers::checked(configured), "workforce_writer", "workforce usage"));
    TopUsage const top{read_top(connection, 0, arguments), read_top(connection, 1, arguments),
                       read_top(connection, 2, arguments)};
    if (arguments.json) {
        fmt::print("{}", core::pretty_json(*core::parse_json(core::to_json(top))));
        return 0;
    }
    std::array const lists{&top.credentials, &top.tools, &top.organizations};
    for (std::size_t i = 0; i < lists.size(); ++i) {
        std::vector<std::vector<std::string>> rows{
            {std::string(kTops.at(i).title), "CALLS", "ERRORS", "AVG MS", "P95 MS"}};
        for (auto const& each : *lists.at(i)) {
            rows.push_back({each.name, std::to_string(each.calls), std::to_string(each.errors),
                            std::to_string(each.avgMs), std::to_string(each.p95Ms)});
        }
        if (i > 0) fmt::print("\n");
        print_table(rows);
    }
    return 0;
}

}  // namespace

void add_top_usage(CommandLine& line) {
    auto const arguments = std::make_shared<TopUsageArguments>();
    auto* command = line.app.add_subcommand(
        "usage", "Show the busiest credentials, tools and organizations of the last minutes, the sandbox's included");
    command->add_option("--minutes", arguments->minutes, "How far back")
        ->check(CLI::Range(1, kMostMinutes, "NUMBER"))
        ->capture_default_str();
    command->add_option("--limit", arguments->limit, "How many of each at most")
        ->check(CLI::Range(1, kMostGroups, "NUMBER"))
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "As JSON");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return show_top(loaded.config, *arguments); };
    });
}

}  // namespace workforce::cli
