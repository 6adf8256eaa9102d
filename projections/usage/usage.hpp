// What usage rows and markers add up to (spec 2.5, domain 8.4).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "core/text.hpp"
#include "core/time.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// How long the buckets of a time series are.
enum class UsageGranularity : std::uint8_t { day, hour };
BOOST_DESCRIBE_ENUM(UsageGranularity, day, hour)

/// What is looked at: all since `from`.
struct UsageWindow {
    core::Timestamp from;
    core::Timestamp to;  ///< now
    UsageGranularity granularity = UsageGranularity::day;
};
/// The window of so many days of 86,400 seconds that ends now.
UsageWindow usage_window(int days, core::Timestamp now, UsageGranularity granularity = UsageGranularity::day);

using UsageMilliseconds = core::Decimal<0, core::kMaxId>;

/// Spec 2.5 without the window's bounds.
struct UsageFigures {
    std::int64_t totalCalls = 0;
    std::int64_t uniqueKeys = 0;
    UsageMilliseconds avgLatencyMs{};
    std::int64_t p95LatencyMs = 0;
    std::int64_t errorCount = 0;
    std::int64_t outcomeCount = 0;
};
BOOST_DESCRIBE_STRUCT(UsageFigures, (), (totalCalls, uniqueKeys, avgLatencyMs, p95LatencyMs, errorCount, outcomeCount))

struct UsageBucket {
    core::Timestamp bucket;
    std::int64_t totalCalls = 0;
    std::int64_t errorCount = 0;
    UsageMilliseconds avgLatencyMs{};
    std::int64_t outcomeCount = 0;
};
BOOST_DESCRIBE_STRUCT(UsageBucket, (), (bucket, totalCalls, errorCount, avgLatencyMs, outcomeCount))

struct UsageOfAgent {
    core::Nullable<Id> agentId{};
    std::string agent;
    std::int64_t totalCalls = 0;
    std::int64_t errorCount = 0;
    UsageMilliseconds avgLatencyMs{};
    std::int64_t outcomeCount = 0;
    core::Timestamp lastUsedAt;
};
BOOST_DESCRIBE_STRUCT(UsageOfAgent, (),
                      (agentId, agent, totalCalls, errorCount, avgLatencyMs, outcomeCount, lastUsedAt))

struct UsageOfTool {
    std::string tool;
    std::string channel;
    std::int64_t totalCalls = 0;
    std::int64_t errorCount = 0;
    UsageMilliseconds avgLatencyMs{};
    std::int64_t p95LatencyMs = 0;
    std::int64_t outcomeCount = 0;
};
BOOST_DESCRIBE_STRUCT(UsageOfTool, (),
                      (tool, channel, totalCalls, errorCount, avgLatencyMs, p95LatencyMs, outcomeCount))

struct UsageOfKey {
    core::Nullable<Id> keyId{};
    std::string keyName;
    std::string keyPrefix;
    std::string keyType;
    std::int64_t totalCalls = 0;
    std::int64_t errorCount = 0;
    UsageMilliseconds avgLatencyMs{};
    std::int64_t outcomeCount = 0;
    core::Timestamp lastUsedAt;
};
BOOST_DESCRIBE_STRUCT(UsageOfKey, (),
                      (keyId, keyName, keyPrefix, keyType, totalCalls, errorCount, avgLatencyMs, outcomeCount,
                       lastUsedAt))

struct UsageOutcome {
    std::string outcomeType;
    std::int64_t totalCount = 0;
};
BOOST_DESCRIBE_STRUCT(UsageOutcome, (), (outcomeType, totalCount))

/// One row as exports show it; texts are empty and ids 0 where there is none.
struct UsageRecord {
    core::Timestamp occurred_at;
    std::string request_id;
    std::string channel;
    std::string tool;
    int status_code = 200;
    std::string error_code;
    std::int64_t latency_ms = 0;
    Id key_id = 0;
    std::string key_name;
    std::string agent;
    Id facility_id = 0;
    std::string outcome;
};

/// An export's figures beside its records, as of the same moment.
struct UsageExport {
    UsageFigures figures;
    std::vector<UsageOutcome> outcomes;
    bool truncated = false;  ///< there are more records than were given
};

/// Takes some of an export's records, of which there are `all` in the end, more or less. False: there is no room for
/// more. It is called on the database's thread.
using TakeUsageRecords = std::function<bool(std::vector<UsageRecord> const& records, std::size_t all)>;

/// What the scope's window adds up to, each of one snapshot: what is not rolled up yet is added. In the sandbox there
/// is nothing. Lists are the largest first, 500 rows at most; the series is zero-filled, oldest first.
boost::asio::awaitable<UsageFigures> usage_summary(core::Database& database, Scope scope, UsageWindow window);
boost::asio::awaitable<std::vector<UsageBucket>> usage_timeseries(core::Database& database, Scope scope,
                                                                  UsageWindow window);
boost::asio::awaitable<std::vector<UsageOfAgent>> usage_by_agent(core::Database& database, Scope scope,
                                                                 UsageWindow window);
boost::asio::awaitable<std::vector<UsageOfTool>> usage_by_tool(core::Database& database, Scope scope,
                                                               UsageWindow window);
boost::asio::awaitable<std::vector<UsageOfKey>> usage_by_key(core::Database& database, Scope scope, UsageWindow window);
boost::asio::awaitable<std::vector<UsageOutcome>> usage_outcomes(core::Database& database, Scope scope,
                                                                 UsageWindow window);
/// Figures and outcomes; `take` has got the newest `most` records before, newest first, some at a time. Errors:
/// SERVICE_UNAVAILABLE where it had no room for them.
boost::asio::awaitable<core::Result<UsageExport>> usage_export(core::Database& database, Scope scope,
                                                               UsageWindow window, int most, TakeUsageRecords take);

}  // namespace workforce::projections
