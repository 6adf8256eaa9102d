// What each credential did, and what of it is an outcome (spec 2.5, domain 8.4).
#include "projections/usage/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "commands/organization.hpp"
#include "operations/declare.hpp"
#include "operations/usage_csv.hpp"
#include "operations/words/words.hpp"
#include "projections/engine/statements.hpp"
#include "projections/sandbox/sandboxes.hpp"

namespace workforce::operations {

struct UsageQuery {
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;
    std::optional<core::Int<1, 365>> days;  ///< default 30
};
BOOST_DESCRIBE_STRUCT(UsageQuery, (), (facilityId, orgUnitId, days))

struct UsageSeriesQuery : UsageQuery {
    std::optional<projections::UsageGranularity> granularity;  ///< default day
};
BOOST_DESCRIBE_STRUCT(UsageSeriesQuery, (UsageQuery), (granularity))

/// Spec 2.5.
struct UsageSummary : projections::UsageFigures {
    std::int64_t periodDays = 30;
    core::Timestamp from;
    core::Timestamp to;
    ListScope scope;
};
BOOST_DESCRIBE_STRUCT(UsageSummary, (projections::UsageFigures), (periodDays, from, to, scope))

struct UsageTimeseries {
    projections::UsageGranularity granularity = projections::UsageGranularity::day;
    std::vector<projections::UsageBucket> data;
    ListScope scope;
};
BOOST_DESCRIBE_STRUCT(UsageTimeseries, (), (granularity, data, scope))

struct UsageByAgent {
    std::vector<projections::UsageOfAgent> data;
    ListScope scope;
};
BOOST_DESCRIBE_STRUCT(UsageByAgent, (), (data, scope))

struct UsageByTool {
    std::vector<projections::UsageOfTool> data;
    ListScope scope;
};
BOOST_DESCRIBE_STRUCT(UsageByTool, (), (data, scope))

struct UsageByKey {
    std::vector<projections::UsageOfKey> data;
    ListScope scope;
};
BOOST_DESCRIBE_STRUCT(UsageByKey, (), (data, scope))

struct UsageOutcomes {
    std::vector<projections::UsageOutcome> data;
    ListScope scope;
};
BOOST_DESCRIBE_STRUCT(UsageOutcomes, (), (data, scope))

namespace {

constexpr int kUsualDays = 30;
constexpr int kMostHourlyDays = 31;
constexpr int kMostExported = 100'000;

/// Whose usage is shown, and how the answer names it.
struct UsageScope {
    projections::Scope rows;
    ListScope shown{};
};

core::Result<UsageScope> refuse_facility_required() {
    return core::refuse(core::Code::facility_required, "The organization has several facilities: name one.");
}

/// The scope of a usage query (domain 3.1.4, 11.33, 15): rows without a facility count for the organization, and for
/// its facility where it has only one.
boost::asio::awaitable<core::Result<UsageScope>> usage_scope(Call& call, std::optional<Id> facility) {
    auto const& caller = *call.caller;
    auto scope = read_scope(call, facility);
    if (!scope) co_return tl::unexpected(scope.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, facility); !known) co_return tl::unexpected(known.error());
    UsageScope found{*std::move(scope), {}};
    if (found.rows.organization == 0) {
        found.shown.global = true;
        co_return found;
    }
    auto whole = found.rows;
    whole.facilities.clear();
    auto const only = co_await projections::only_facility(call.services.database_of(whole), whole);
    auto const& bound = found.rows.facilities;
    if (!facility && !caller.is_person() && bound.size() == 1) facility = bound.front();
    if (!facility && only && !caller.across_organizations && (caller.is_person() || !bound.empty())) facility = only;
    if (facility) {
        found.shown.facilityId = facility;
        found.rows.facilities = {*facility};
        if (facility == only) found.rows.facilities.clear();
        co_return found;
    }
    bool const all = bound.empty() && (caller.across_organizations || !caller.is_person());
    if (!all) co_return refuse_facility_required();
    found.shown.orgUnitId = found.rows.organization;
    co_return found;
}

int days_of(UsageQuery const& query) { return query.days ? static_cast<int>(query.days->value) : kUsualDays; }

/// The answer that `make(scope, window)` gives to the query.
template <class Query, class Make>
boost::asio::awaitable<Outcome> answer_usage(Call& call, core::Result<Query> query, projections::UsageWindow window,
                                             Make make) {
    if (!query) co_return refuse(call, query.error());
    auto scope = co_await usage_scope(call, query->facilityId);
    if (!scope) co_return refuse(call, scope.error());
    co_return co_await make(*std::move(scope), window);
}

projections::UsageWindow window_of(core::Result<UsageQuery> const& query) {
    return projections::usage_window(query ? days_of(*query) : kUsualDays, core::now());
}

boost::asio::awaitable<Outcome> get_summary(Call& call) {
    auto const query = read_query<UsageQuery>(call.input.parameters);
    auto const make = [&](UsageScope scope, projections::UsageWindow window) -> boost::asio::awaitable<Outcome> {
        UsageSummary answer;
        auto& database = call.services.database_of(scope.rows);
        static_cast<projections::UsageFigures&>(answer) =
            co_await projections::usage_summary(database, scope.rows, window);
        answer.periodDays = days_of(*query);
        answer.from = window.from;
        answer.to = window.to;
        answer.scope = scope.shown;
        co_return Outcome{.body = core::to_json(answer)};
    };
    co_return co_await answer_usage(call, query, window_of(query), make);
}

core::Result<UsageSeriesQuery> read_series_query(Call const& call) {
    auto query = read_query<UsageSeriesQuery>(call.input.parameters);
    bool const hourly = query && query->granularity == projections::UsageGranularity::hour;
    if (hourly && days_of(*query) > kMostHourlyDays) {
        return tl::unexpected(core::validation_problem(
            {{"days", "max", fmt::format("must be at most {} where granularity is hour", kMostHourlyDays)}}));
    }
    return query;
}

boost::asio::awaitable<Outcome> get_timeseries(Call& call) {
    auto const query = read_series_query(call);
    auto const granularity = query && query->granularity ? *query->granularity : projections::UsageGranularity::day;
    auto const window = projections::usage_window(query ? days_of(*query) : kUsualDays, core::now(), granularity);
    auto const make = [&](UsageScope scope, projections::UsageWindow when) -> boost::asio::awaitable<Outcome> {
        auto& database = call.services.database_of(scope.rows);
        UsageTimeseries answer{granularity, co_await projections::usage_timeseries(database, scope.rows, when),
                               scope.shown};
        co_return Outcome{.body = core::to_json(answer)};
    };
    co_return co_await answer_usage(call, query, window, make);
}

/// The handler of a list of groups.
template <class Answer, auto Read>
boost::asio::awaitable<Outcome> get_groups(Call& call) {
    auto const query = read_query<UsageQuery>(call.input.parameters);
    auto const make = [&](UsageScope scope, projections::UsageWindow window) -> boost::asio::awaitable<Outcome> {
        auto& database = call.services.database_of(scope.rows);
        Answer answer{co_await Read(database, scope.rows, window), scope.shown};
        co_return Outcome{.body = core::to_json(answer)};
    };
    co_return co_await answer_usage(call, query, window_of(query), make);
}

constexpr std::string_view kExport = "usage.export";
constexpr std::string_view kRecordExport = "usage.record_export";

/// Records that usage leaves, for the audit log: on the partition's writer, with where the request came from. Gives the
/// refusal where that can't be, and then nothing may leave. Of the sandbox there is no usage, and so no record.
boost::asio::awaitable<std::optional<Outcome>> refuse_unrecorded(Call& call, UsageScope const& scope,
                                                                 projections::UsageWindow window, std::size_t rows) {
    if (call.meta.sandbox) co_return std::nullopt;
    static Operation const& operation = *std::ranges::find(operations(), kRecordExport, &Operation::name);
    Call record{call.services, operation, call.caller, call.meta, {}};
    record.meta.idempotency.reset();
    commands::RecordUsageExport exported;
    exported.from = window.from;
    exported.to = window.to;
    if (scope.shown.facilityId) exported.facilityId = *scope.shown.facilityId;
    exported.allOrganizations = scope.shown.global.value_or(false);
    exported.rows = static_cast<std::int64_t>(rows);
    // The record of an export of all organizations is with the exporter's own.
    if (record.meta.organization == 0) record.meta.organization = call.caller->organization;
    record.input.body = core::parse_json(core::to_json(exported));
    auto const& perform = call.services.perform_form;
    auto outcome = co_await (perform ? perform(record) : operation.handler(record));
    if (outcome.status < 300) co_return std::nullopt;
    co_return outcome;
}

boost::asio::awaitable<Outcome> record_export(Call& call) {
    auto command = read_command<commands::RecordUsageExport>(call);
    auto submission = submission_of(call, std::move(command));
    submission.context.cause.verb = kExport;  // as people know it
    co_return co_await submit(call, std::move(submission), 0);
}

Operation export_record() {
    Operation row;
    row.name = kRecordExport;
    row.summary = "Usage leaves as a file";
    row.effect = Effect::write;
    row.success = 204;
    row.body = &request_of<commands::RecordUsageExport>;
    row.handler = record_export;
    return std::move(row).within().audit();
}

boost::asio::awaitable<Outcome> export_usage(Call& call) {
    auto const query = read_query<UsageQuery>(call.input.parameters);
    auto const make = [&](UsageScope scope, projections::UsageWindow window) -> boost::asio::awaitable<Outcome> {
        auto& database = call.services.database_of(scope.rows);
        // The job that writes it may outlive this call's frame.
        auto const csv = std::make_shared<UsageCsv>(call.services.replies, call.caller->byte_holder());
        auto const all =
            co_await projections::usage_export(database, scope.rows, window, kMostExported,
                                               [csv](std::vector<projections::UsageRecord> const& records,
                                                     std::size_t expected) { return csv->add(records, expected); });
        if (!all) co_return refuse(call, all.error());
        if (!csv->finish(*all, {days_of(*query), window, core::to_json(scope.shown)})) {
            co_return refuse(call, projections::refuse_page().value());
        }
        if (!call.input.head_only) {  // else nothing leaves
            auto refused = co_await refuse_unrecorded(call, scope, window, csv->records());
            if (refused) co_return *std::move(refused);
        }
        auto [text, held] = csv->take();
        co_return Outcome{.body = std::move(text), .attachment = usage_csv_name(window), .held = std::move(held)};
    };
    co_return co_await answer_usage(call, query, window_of(query), make);
}

/// What all rows of usage share.
Operation usage_row(Operation row, std::string_view path, std::string_view says) {
    row.reads = {core::enum_name(events::Kind::facility)};
    return std::move(row)
        .says(says)
        .needs("analytics.view")
        .refuses({core::Code::facility_required, core::Code::facility_scope_violation})
        .at(net::Method::get, path);
}

template <class Answer, auto Read>
Operation groups(std::string_view name, std::string_view summary) {
    return query_with<Answer, UsageQuery>(name, summary, get_groups<Answer, Read>);
}

}  // namespace

std::vector<Operation> usage_operations() {
    auto exported = query_with<std::string, UsageQuery>(kExport, "Usage as CSV, rows included", export_usage);
    exported.appends = false;  // its handler keeps from where the request came, with the record
    return {
        usage_row(
            query_with<UsageSummary, UsageQuery>("usage.summary", "What credentials did, in figures", get_summary),
            "/api/api-usage/summary",
            "Returns how many requests and calls of tools keys and people made in the window, how long they took, how "
            "many failed, and how many had an outcome. A request shows within two seconds. Of the sandbox there is "
            "no usage.")
            .as_tool({.name = "usage_summary", .headless = false}),
        usage_row(
            query_with<UsageTimeseries, UsageSeriesQuery>("usage.timeseries", "Usage by day or hour", get_timeseries),
            "/api/api-usage/timeseries",
            "Returns the window cut into days or hours of UTC, oldest first, empty ones included. Hours are for at "
            "most 31 days."),
        usage_row(
            groups<UsageByAgent, projections::usage_by_agent>("usage.by_agent", "Usage by agent"),
            "/api/api-usage/by-agent",
            "Returns what each agent did, the busiest first: what MCP clients call themselves, and `direct` for all "
            "others."),
        usage_row(
            groups<UsageByTool, projections::usage_by_tool>("usage.by_tool", "Usage by tool or route"),
            "/api/api-usage/by-tool",
            "Returns what was asked for, the most frequent first: tools by their names, REST by method and route."),
        usage_row(
            groups<UsageByKey, projections::usage_by_key>("usage.by_key", "Usage by API key"), "/api/api-usage/by-key",
            "Returns what each API key did, the busiest first; what came with no API key is one row without `keyId`."),
        usage_row(groups<UsageOutcomes, projections::usage_outcomes>("usage.outcomes", "Outcomes by type"),
                  "/api/api-usage/outcomes",
                  "Returns what requests of REST and calls of tools achieved together, such as shift_filled or "
                  "lead_qualified: "
                  "how many had each outcome, the most frequent first. A call has one outcome at most, a repeat none; "
                  "prices are not here. "
                  "{usage.summary} has their sum as `outcomeCount`, and how many failed.")
            .as_tool({.name = "usage_outcomes", .headless = false}),
        usage_row(
            std::move(exported), "/api/api-usage/export",
            "Returns the figures of {usage.summary} and the newest 100,000 rows of the window as CSV; `truncated` "
            "says whether there are more. The audit log tells of each export (USAGE_EXPORTED); where that can't be "
            "recorded, nothing is given (503).")
            .refuses({core::Code::facility_required, core::Code::facility_scope_violation, core::Code::log_unavailable})
            .gives({MediaType::csv}),
        export_record(),
    };
}

std::vector<StructWords> usage_words() {
    return {
        {{"UsageQuery"}, {{"days", "Days that the window goes back from now; 30 where it is not given"}}},
        {{"UsageSeriesQuery", "UsageTimeseries"},
         {{"granularity", "How long the buckets are: day (the default) or hour, which at most 31 days are cut into"}}},
        {{"UsageFigures", "UsageBucket", "UsageOfAgent", "UsageOfTool", "UsageOfKey"},
         {{"totalCalls", "Requests and calls of tools"},
          {"errorCount", "Those that were refused or failed"},
          {"avgLatencyMs", "How long one took on average, in milliseconds"},
          {"outcomeCount", "Those that had an outcome"}}},
        {{"UsageFigures", "UsageOfTool"},
         {{"p95LatencyMs", "The time that 95 of 100 took at most, in milliseconds; above 2,047 up to 1.6 % too high"}}},
        {{"UsageFigures"}, {{"uniqueKeys", "API keys that were used"}}},
        {{"UsageSummary"},
         {{"periodDays", "Days of the window, as asked for"},
          {"from", "Where the window begins (UTC)"},
          {"to", "Where it ends: now (UTC)"}}},
        {{"UsageSummary", "UsageTimeseries", "UsageByAgent", "UsageByTool", "UsageByKey", "UsageOutcomes"},
         {{"scope", "Whose usage it is"}}},
        {{"UsageTimeseries"}, {{"data", "The buckets, oldest first"}}},
        {{"UsageByAgent", "UsageByTool", "UsageByKey", "UsageOutcomes"}, {{"data", "The groups, largest first"}}},
        {{"UsageBucket"}, {{"bucket", "When the day or hour begins (UTC)"}}},
        {{"UsageOfAgent"},
         {{"agentId", "The agent that has this name; null: none of the platform's own, or one that had it before"},
          {"agent", "Its name, what an MCP client calls itself, or direct"}}},
        {{"UsageOfAgent", "UsageOfKey"}, {{"lastUsedAt", "When the newest of them came (UTC)"}}},
        {{"UsageOfTool"},
         {{"tool", "The tool's name, or the method and route of REST"},
          {"channel", "How it was asked for: rest, mcp, agent or session"}}},
        {{"UsageOfKey"},
         {{"keyId", "The API key; null: another credential"},
          {"keyName", "Its name; empty for another credential"},
          {"keyPrefix", "How its secret begins"},
          {"keyType", "Its type: live or pat"}}},
        {{"UsageOutcome"},
         {{"outcomeType", "What was achieved, such as shift_filled"}, {"totalCount", "In how many requests"}}},
        {{"UsageGranularity"}, {{"", "How long a bucket is, from its start in UTC"}}},
    };
}

}  // namespace workforce::operations
