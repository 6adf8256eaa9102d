// Statements over what usage rows add up to.
#include "projections/usage/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
/// So many records of an export are in memory besides what is made of them.
constexpr int kFetchedRecords = 1000;

std::int64_t rounded_up(std::int64_t ms, std::int64_t unit) { return (ms + unit - 1) / unit * unit; }

std::int64_t length_of(UsageGranularity granularity) {
    return granularity == UsageGranularity::hour ? kHourMs : kDayMs;
}

/// The statement that ends in `text`, over what all of them count.
std::string counting(std::string_view text) { return std::string(sql::usage_parts) + '\n' + std::string(text); }

/// The same with latencies, of all calls together or by tool. The empty channel says nothing that the empty tool does
/// not, but with it a window is a range of the primary key.
std::string timing(std::string_view text, bool by_tool) {
    auto const latencies =
        with_fragments(sql::usage_latencies, {{"of_tool", by_tool ? "l.tool <> ''" : "l.tool = '' AND l.channel = ''"},
                                              {"tool", by_tool ? "c.tool, c.channel" : "''::text, ''::text"}});
    return std::string(sql::usage_parts) + latencies + '\n' + std::string(text);
}

/// What statements over usage_parts take.
struct UsageParameters {
    core::TenantContext tenant;
    core::Parameter facilities;
    core::Timestamp from;
    core::Timestamp hours_from;
    core::Parameter days_from;  ///< "infinity": hours alone tell
    std::string granularity;

    template <class... More>
    pqxx::result execute(core::Connection& connection, core::Statement const& statement, More const&... more) const {
        return connection.execute(statement, tenant.organization, facilities, from, hours_from, days_from, more...);
    }
};

UsageParameters parameters_of(Scope const& scope, UsageWindow const& window) {
    bool const hourly = window.granularity == UsageGranularity::hour;
    return {.tenant = tenant(scope),
            .facilities = facilities_parameter(scope),
            .from = window.from,
            .hours_from = {rounded_up(window.from.ms, kHourMs)},
            .days_from = hourly ? core::Parameter("infinity")
                                : core::to_parameter(core::Timestamp{rounded_up(window.from.ms, kDayMs)}),
            .granularity = std::string(core::enum_name(window.granularity))};
}

UsageMilliseconds mean(std::int64_t sum, std::int64_t count) {
    return {count == 0 ? 0 : (sum * 100 + count / 2) / count};
}

std::int64_t number(pqxx::row const& row, char const* column) { return core::read<std::int64_t>(row[column]); }

/// What all groups tell.
template <class Group>
Group group_of(pqxx::row const& row) {
    Group group;
    group.totalCalls = number(row, "calls");
    group.errorCount = number(row, "errors");
    group.avgLatencyMs = mean(number(row, "latency_ms"), number(row, "timed"));
    group.outcomeCount = number(row, "outcomes");
    return group;
}

std::string text_or_empty(pqxx::field const& field) { return std::string(core::read_view(field)); }

ScopedStatement const& summary_statement() {
    static ScopedStatement const statement("usage_summary", timing(sql::usage_summary, false));
    return statement;
}
ScopedStatement const& outcomes_statement() {
    static ScopedStatement const statement("usage_outcomes", counting(sql::usage_outcomes));
    return statement;
}

UsageFigures figures_of(pqxx::row const& row) {
    return {.totalCalls = number(row, "calls"),
            .uniqueKeys = number(row, "keys"),
            .avgLatencyMs = mean(number(row, "latency_ms"), number(row, "timed")),
            .p95LatencyMs = number(row, "p95"),
            .errorCount = number(row, "errors"),
            .outcomeCount = number(row, "outcomes")};
}

std::vector<UsageOutcome> outcomes_of(pqxx::result const& rows) {
    std::vector<UsageOutcome> all;
    for (auto const& row : rows) all.push_back({core::read<std::string>(row["outcome"]), number(row, "total")});
    return all;
}

UsageRecord record_of(pqxx::row const& row) {
    return {.occurred_at = core::read<core::Timestamp>(row["occurred_at"]),
            .request_id = "req_" + core::read<std::string>(row["request_id"]),
            .channel = core::read<std::string>(row["channel"]),
            .tool = core::read<std::string>(row["tool"]),
            .status_code = core::read<int>(row["status_code"]),
            .error_code = core::read<std::string>(row["error_code"]),
            .latency_ms = number(row, "latency_ms"),
            .key_id = core::read<Id>(row["key_id"]),
            .key_name = text_or_empty(row["key_name"]),
            .agent = core::read<std::string>(row["agent"]),
            .facility_id = core::read<Id>(row["facility_id"]),
            .outcome = core::read<std::string>(row["outcome"])};
}

/// Gives `most` records of the open cursor usage_rows to `take`. Returns whether there are more; nothing: there was no
/// room for them.
std::optional<bool> take_records(core::Connection& connection, std::size_t most, std::size_t expected,
                                 TakeUsageRecords const& take) {
    static auto const fetch = fmt::format("FETCH {} FROM usage_rows", kFetchedRecords);
    std::vector<UsageRecord> records;
    for (std::size_t given = 0;; given += records.size()) {
        auto const rows = connection.execute_sql(fetch);
        bool const last = rows.size() < kFetchedRecords;
        records.clear();
        for (auto const& row : rows) records.push_back(record_of(row));
        bool const more = given + records.size() > most;
        if (more) records.resize(most - given);
        if (!records.empty() && !take(records, expected)) return std::nullopt;
        if (more || last) return more;
    }
}

/// What `read(connection, parameters)` makes of the scope's usage; T() in the sandbox, which has none.
template <class T, class Read>
boost::asio::awaitable<T> usage_of(core::Database& database, Scope scope, UsageWindow window, Read read) {
    if (scope.sandbox) co_return T();
    auto const parameters = parameters_of(scope, window);
    auto const context = parameters.tenant;
    co_return co_await database.run(
        [parameters, read = std::move(read)](core::Connection& connection) { return read(connection, parameters); },
        context);
}

/// The rows that the statement gives, each as `make` makes it.
template <class Row>
boost::asio::awaitable<std::vector<Row>> usage_rows(core::Database& database, Scope scope, UsageWindow window,
                                                    ScopedStatement const& statement, Row (*make)(pqxx::row const&)) {
    auto const chosen = statement.of(scope);
    return usage_of<std::vector<Row>>(database, std::move(scope), window,
                                      [chosen, make](core::Connection& connection, UsageParameters const& parameters) {
                                          std::vector<Row> all;
                                          for (auto const& row : parameters.execute(connection, chosen))
                                              all.push_back(make(row));
                                          return all;
                                      });
}

UsageOfAgent agent_of(pqxx::row const& row) {
    auto group = group_of<UsageOfAgent>(row);
    group.agent = core::read<std::string>(row["agent"]);
    group.agentId.value = core::read<std::optional<Id>>(row["agent_id"]);
    group.lastUsedAt = core::read<core::Timestamp>(row["last_at"]);
    return group;
}

UsageOfTool tool_of(pqxx::row const& row) {
    auto group = group_of<UsageOfTool>(row);
    group.tool = core::read<std::string>(row["tool"]);
    group.channel = core::read<std::string>(row["channel"]);
    group.p95LatencyMs = number(row, "p95");
    return group;
}

UsageOfKey key_of(pqxx::row const& row) {
    auto group = group_of<UsageOfKey>(row);
    auto const id = core::read<Id>(row["key_id"]);
    if (id != 0) group.keyId = id;
    group.keyName = text_or_empty(row["name"]);
    group.keyPrefix = text_or_empty(row["prefix"]);
    group.keyType = text_or_empty(row["type"]);
    group.lastUsedAt = core::read<core::Timestamp>(row["last_at"]);
    return group;
}

}  // namespace

UsageWindow usage_window(int days, core::Timestamp now, UsageGranularity granularity) {
    return {{now.ms - days * kDayMs}, now, granularity};
}

boost::asio::awaitable<UsageFigures> usage_summary(core::Database& database, Scope scope, UsageWindow window) {
    auto const chosen = summary_statement().of(scope);
    return usage_of<UsageFigures>(database, std::move(scope), window,
                                  [chosen](core::Connection& connection, UsageParameters const& parameters) {
                                      return figures_of(parameters.execute(connection, chosen).at(0));
                                  });
}

boost::asio::awaitable<std::vector<UsageBucket>> usage_timeseries(core::Database& database, Scope scope,
                                                                  UsageWindow window) {
    static ScopedStatement const statement("usage_timeseries", counting(sql::usage_timeseries));
    auto const chosen = statement.of(scope);
    auto found = co_await usage_of<std::map<core::Timestamp, UsageBucket>>(
        database, std::move(scope), window, [chosen](core::Connection& connection, UsageParameters const& parameters) {
            std::map<core::Timestamp, UsageBucket> all;
            for (auto const& row : parameters.execute(connection, chosen, parameters.granularity)) {
                all[core::read<core::Timestamp>(row["bucket"])] = group_of<UsageBucket>(row);
            }
            return all;
        });
    std::vector<UsageBucket> series;
    auto const length = length_of(window.granularity);
    for (core::Timestamp at{window.from.ms / length * length}; at <= window.to; at.ms += length) {
        series.push_back(found[at]);
        series.back().bucket = at;
    }
    co_return series;
}

boost::asio::awaitable<std::vector<UsageOfAgent>> usage_by_agent(core::Database& database, Scope scope,
                                                                 UsageWindow window) {
    static ScopedStatement const statement("usage_by_agent", counting(sql::usage_by_agent));
    return usage_rows<UsageOfAgent>(database, std::move(scope), window, statement, agent_of);
}

boost::asio::awaitable<std::vector<UsageOfTool>> usage_by_tool(core::Database& database, Scope scope,
                                                               UsageWindow window) {
    static ScopedStatement const statement("usage_by_tool", timing(sql::usage_by_tool, true));
    return usage_rows<UsageOfTool>(database, std::move(scope), window, statement, tool_of);
}

boost::asio::awaitable<std::vector<UsageOfKey>> usage_by_key(core::Database& database, Scope scope,
                                                             UsageWindow window) {
    static ScopedStatement const statement("usage_by_key", counting(sql::usage_by_key));
    return usage_rows<UsageOfKey>(database, std::move(scope), window, statement, key_of);
}

boost::asio::awaitable<std::vector<UsageOutcome>> usage_outcomes(core::Database& database, Scope scope,
                                                                 UsageWindow window) {
    auto const chosen = outcomes_statement().of(scope);
    return usage_of<std::vector<UsageOutcome>>(
        database, std::move(scope), window, [chosen](core::Connection& connection, UsageParameters const& parameters) {
            return outcomes_of(parameters.execute(connection, chosen));
        });
}

boost::asio::awaitable<core::Result<UsageExport>> usage_export(core::Database& database, Scope scope,
                                                               UsageWindow window, int most, TakeUsageRecords take) {
    static ScopedStatement const statement("usage_rows_open",
                                           "DECLARE usage_rows NO SCROLL CURSOR FOR " + std::string(sql::usage_rows));
    auto const summary = summary_statement().of(scope);
    auto const outcomes = outcomes_statement().of(scope);
    auto const rows = statement.of(scope);
    auto read = [=](core::Connection& connection, UsageParameters const& parameters) {
        return connection.transaction([&]() -> core::Result<UsageExport> {
            connection.execute_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            UsageExport all;
            all.figures = figures_of(parameters.execute(connection, summary).at(0));
            all.outcomes = outcomes_of(parameters.execute(connection, outcomes));
            connection.execute(rows, parameters.tenant.organization, parameters.facilities, parameters.from, most + 1);
            auto const expected = static_cast<std::size_t>(std::min<std::int64_t>(all.figures.totalCalls, most));
            auto const given = take_records(connection, static_cast<std::size_t>(most), expected, take);
            if (!given) return refuse_page();
            all.truncated = *given;
            return all;
        });
    };
    return usage_of<core::Result<UsageExport>>(database, std::move(scope), window, std::move(read));
}

}  // namespace workforce::projections
