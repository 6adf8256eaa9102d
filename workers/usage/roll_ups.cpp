// Roll-ups and retention.
#include "workers/usage/roll_ups.hpp"

#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "core/sql_values.hpp"
#include "core/time.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

constexpr int kBatchesAtOnce = 5;          // 25,000 rows at most: seconds, where each is a total of its own
constexpr int kMostRetentionDays = 730;    // domain 1.1
constexpr int kUsageRowsForgotten = 5000;  // that one statement deletes
constexpr std::int64_t kDayMs = 86'400'000;

constexpr core::Statement kRollUp{"usage_roll_up", sql::usage_roll_up};
constexpr core::Statement kAnswerMarkers{"usage_answer_markers", sql::usage_answer_markers};
constexpr core::Statement kKeepPartitions{"usage_keep_partitions", "SELECT usage.keep_partitions($1)"};
constexpr core::Statement kRetentions{
    "usage_retentions",
    "SELECT id, (doc::json ->> 'retentionDays')::int AS days FROM reactor.usage_organization ORDER BY id"};
constexpr core::Statement kForgetBills{"usage_forget_bills", R"(
DELETE FROM ops.billing_outbox WHERE id = ANY (ARRAY(
    SELECT id FROM ops.billing_outbox WHERE created_at < now() - interval '400 days' AND status NOT IN ('dead', 'held')
    LIMIT $1)))"};

// Of an organization ($1) the oldest hour of what is of before $2.
constexpr core::Statement kForgetCalls{"usage_forget_calls", R"(
WITH oldest AS (SELECT min(occurred_at) AS at FROM usage.call WHERE organization_id = $1 AND occurred_at < $2)
DELETE FROM usage.call c USING oldest
WHERE c.organization_id = $1 AND c.occurred_at >= oldest.at
    AND c.occurred_at < least($2, oldest.at + interval '1 hour'))"};
// Of an organization ($1) what is of before $2; $3 rows at most.
constexpr std::array kForgets{
    core::Statement{"usage_forget_totals", R"(
DELETE FROM usage.total WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM usage.total WHERE organization_id = $1 AND starts_at < $2 LIMIT $3)))"},
    core::Statement{"usage_forget_latencies", R"(
DELETE FROM usage.latency WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM usage.latency WHERE organization_id = $1 AND starts_at < $2 LIMIT $3)))"},
    core::Statement{"usage_forget_markers", R"(
DELETE FROM reactor.usage_marker WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM reactor.usage_marker WHERE organization_id = $1 AND occurred_at < $2 LIMIT $3)))"},
};

}  // namespace

int roll_usage_up(core::SessionPool& sessions) {
    sessions.run([](core::Connection& connection) { connection.execute(kAnswerMarkers); });
    int rolled = 0;
    for (int last = kBatchesAtOnce; last == kBatchesAtOnce;) {
        last = sessions.run([](core::Connection& connection) {
            return core::read<int>(connection.execute(kRollUp, kBatchesAtOnce).at(0)[0]);
        });
        rolled += last;
    }
    return rolled;
}

void prune_usage(core::SessionPool& sessions) {
    auto const retentions = sessions.run([](core::Connection& connection) {
        connection.execute(kKeepPartitions, kMostRetentionDays);
        std::vector<std::pair<core::Id, std::int64_t>> all;
        for (auto const& row : connection.execute(kRetentions)) {
            all.emplace_back(core::read<core::Id>(row[0]), core::read<std::int64_t>(row[1]));
        }
        return all;
    });
    auto const forget = [&](auto const& statement, auto const&... parameters) {
        while (sessions.run([&](core::Connection& connection) {
            return connection.execute(statement, parameters..., kUsageRowsForgotten).affected_rows();
        }) == kUsageRowsForgotten) {
        }
    };
    auto const now = core::now();
    for (auto const& [organization, days] : retentions) {
        // Whole days, as totals are kept by.
        core::Timestamp const before{(now.ms / kDayMs - days) * kDayMs};
        while (sessions.run([&](core::Connection& connection) {
            return connection.execute(kForgetCalls, organization, before).affected_rows();
        }) > 0) {
        }
        for (auto const& statement : kForgets) forget(statement, organization, before);
    }
    forget(kForgetBills);
}

}  // namespace workforce::workers
