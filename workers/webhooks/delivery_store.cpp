// Statements on deliveries, their queues and their attempts.
#include "workers/webhooks/delivery_store.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/row_columns.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kProcesses{"webhook_processes", R"(
SELECT owner FROM ops.process WHERE role IN ('serve', 'workers') AND expires_at > now() ORDER BY owner)"};
constexpr core::Statement kLeaseQueues{"webhook_lease_queues", sql::webhooks_lease_queues};
constexpr core::Statement kRenewQueues{"webhook_renew_queues", R"(
UPDATE reactor.webhook_queue SET leased_until = now() + $3::int * interval '1 second'
WHERE webhook_id IN (SELECT webhook_id FROM reactor.webhook_queue WHERE owner = $1 AND webhook_id = ANY ($2::bigint[])
                     ORDER BY webhook_id FOR UPDATE)
RETURNING webhook_id)"};
constexpr core::Statement kChanged{"webhook_changed_subscriptions", R"(
SELECT known.webhook_id FROM unnest($1::bigint[], $2::bigint[]) AS known(webhook_id, version)
LEFT JOIN reactor.webhook_subscription s ON s.webhook_id = known.webhook_id
WHERE s.version IS DISTINCT FROM known.version OR EXISTS (
    SELECT FROM reactor.inactive_organization i WHERE i.reactor = 'webhooks' AND i.organization_id = s.organization_id))"};
constexpr core::Statement kReleaseAll{"webhook_release_queues", R"(
UPDATE reactor.webhook_queue SET owner = '', leased_until = '-infinity'
WHERE webhook_id IN (SELECT webhook_id FROM reactor.webhook_queue WHERE owner = $1 ORDER BY webhook_id FOR UPDATE))"};
constexpr core::Statement kRecordAttempts{"webhook_record_attempts", sql::webhooks_record_attempts};
// What an attempt was recorded as while it was under way: its delivery was abandoned, or a COMMIT came to an end that
// nobody saw.
constexpr core::Statement kForgetRecords{"webhook_forget_records", R"(
DELETE FROM ops.webhook_attempt WHERE id = ANY ($1::bigint[]) AND status <> 'succeeded' RETURNING id, next_retry_at)"};
constexpr core::Statement kStandingRecords{"webhook_standing_records",
                                           "SELECT id FROM ops.webhook_attempt WHERE id = ANY ($1::bigint[])"};
constexpr core::Statement kLockQueues{"webhook_lock_queues", R"(
SELECT FROM reactor.webhook_queue WHERE webhook_id = ANY ($1::bigint[]) ORDER BY webhook_id FOR UPDATE)"};
constexpr core::Statement kSettle{"webhook_settle_queues", sql::webhooks_settle_queues};
constexpr core::Statement kLastError{"webhook_last_error", R"(
SELECT error FROM ops.webhook_attempt
WHERE event_id = $2::uuid AND webhook_id = $1::bigint AND status = 'failed' AND trigger <> 'manual'
ORDER BY id DESC LIMIT 1)"};
constexpr core::Statement kTakeId{"webhook_take_delivery_id", "SELECT nextval('ops.webhook_delivery_id')"};
constexpr core::Statement kCountReplay{"webhook_count_replay", sql::reactors_webhooks_count_replay};
constexpr core::Statement kTroubled{"webhook_troubled", R"(
SELECT (SELECT count(*) FROM reactor.webhook_queue q JOIN reactor.webhook_subscription s ON s.webhook_id = q.webhook_id
        WHERE q.consecutive_failures > 0 AND s.is_active),
       (SELECT count(*) FROM reactor.webhook_subscription
        WHERE NOT is_active AND (doc::json #>> '{metadata,disabledReason}') IS NOT NULL))"};
constexpr core::Statement kPartitions{"webhook_partitions", "SELECT ops.keep_webhook_partitions($1)"};

/// What follows from attempts: queues to be locked, deliveries that are done, and ones that are due again.
struct Followups {
    std::vector<core::Id> locked{}, done{}, again{};
    std::vector<core::Timestamp> again_at{};
    core::Timestamp now{};
};

/// An attempt that is to be recorded, and when another one follows it.
struct Recording {
    AttemptRecord const* attempt;
    std::optional<core::Timestamp> retry_at;
};

/// Records attempts, with what follows from them (record_attempts.sql). Returns the ids of those that were recorded;
/// all of them with `always`.
std::set<core::Id> record(core::Connection& connection, std::span<Recording const> attempts, Followups const& follows,
                          bool always) {
    auto const values_of = [](Recording const& recording) {
        using Text = std::string_view;
        auto const& attempt = *recording.attempt;
        auto const& delivery = attempt.delivery;
        auto const& result = attempt.result;
        auto const body_at = delivery.body_at.ms == 0 ? std::nullopt : std::optional(delivery.body_at);
        return std::tuple(delivery.id, delivery.organization, attempt.sandbox, delivery.webhook,
                          Text(delivery.event_id), Text(delivery.event_type), body_at, delivery.attempt,
                          Text(delivery.trigger), Text(attempt.status), result.status_code, Text(result.response_body),
                          result.response_truncated, result.error, result.duration_ms, recording.retry_at, attempt.at);
    };
    std::set<core::Id> recorded;
    for (auto const& row : core::execute_rows(connection, kRecordAttempts, attempts, values_of, follows.locked,
                                              follows.done, follows.again, follows.again_at, follows.now, always)) {
        recorded.insert(core::read<core::Id>(row[0]));
    }
    return recorded;
}

/// Records attempts whose deliveries are gone: they were abandoned meanwhile, or sent by another process, or these
/// attempts are recorded and nobody heard of it. None of them is tried again but for what the record before said.
void record_anew(core::Connection& connection, std::span<AttemptRecord const> attempts, std::set<core::Id> const& gone,
                 core::Timestamp now) {
    std::vector<core::Id> const ids(gone.begin(), gone.end());
    std::map<core::Id, std::optional<core::Timestamp>> retries;
    for (auto const& row : connection.execute(kForgetRecords, ids)) {
        retries.emplace(core::read<core::Id>(row[0]), core::read<std::optional<core::Timestamp>>(row[1]));
    }
    std::set<core::Id> standing;
    for (auto const& row : connection.execute(kStandingRecords, ids)) standing.insert(core::read<core::Id>(row[0]));
    std::vector<Recording> anew;
    for (auto const& attempt : attempts) {
        auto const id = attempt.delivery.id;
        if (!gone.contains(id) || standing.contains(id)) continue;
        anew.push_back({&attempt, attempt.next ? retries[id] : std::nullopt});
    }
    record(connection, anew, {.now = now}, true);
}

}  // namespace

std::vector<std::string> delivering_processes(core::Connection& connection) {
    std::vector<std::string> owners;
    for (auto const& row : connection.execute(kProcesses)) owners.push_back(core::read<std::string>(row[0]));
    return owners;
}

std::vector<LeasedQueue> lease_queues(core::Connection& connection, QueueShare const& share, core::Timestamp now,
                                      int most) {
    std::vector<LeasedQueue> leased;
    for (auto const& row : connection.execute(kLeaseQueues, now, share.owner, most, share.parts, share.rest,
                                              static_cast<int>(kQueueLease.count()))) {
        leased.push_back({core::read<core::Id>(row[0]), core::read<std::int64_t>(row[1])});
    }
    return leased;
}

std::vector<core::Id> renew_queues(core::Connection& connection, std::string_view owner,
                                   std::vector<core::Id> const& webhooks) {
    std::vector<core::Id> kept;
    for (auto const& row : connection.execute(kRenewQueues, owner, webhooks, static_cast<int>(kQueueLease.count()))) {
        kept.push_back(core::read<core::Id>(row[0]));
    }
    return kept;
}

std::vector<core::Id> changed_subscriptions(core::Connection& connection,
                                            std::map<core::Id, std::int64_t> const& versions) {
    auto const rows = core::execute_rows(connection, kChanged, versions,
                                         [](auto const& each) { return std::tuple(each.first, each.second); });
    std::vector<core::Id> changed;
    for (auto const& row : rows) changed.push_back(core::read<core::Id>(row[0]));
    return changed;
}

void release_queues(core::Connection& connection, std::string_view owner) { connection.execute(kReleaseAll, owner); }

void lock_queues(core::Connection& connection, std::vector<core::Id> const& webhooks) {
    connection.execute(kLockQueues, webhooks);
}

Recorded record_attempts(core::Connection& connection, std::string_view owner, std::span<AttemptRecord const> attempts,
                         std::vector<QueueState> queues, core::Timestamp now) {
    std::vector<Recording> recordings;
    Followups follows{.now = now};
    std::set<core::Id> locked;  // those of attempts of before a lease was lost, too
    for (auto const& attempt : attempts) {
        recordings.push_back({&attempt, attempt.next});
        locked.insert(attempt.delivery.webhook);
        if (attempt.next || attempt.exhausted) {
            follows.again.push_back(attempt.delivery.id);
            follows.again_at.push_back(attempt.next.value_or(now));
        } else {
            follows.done.push_back(attempt.delivery.id);
        }
    }
    follows.locked.assign(locked.begin(), locked.end());
    auto const gone = [&](std::set<core::Id> const& recorded) {
        std::set<core::Id> ids;
        for (auto const& record : attempts) {
            if (!recorded.contains(record.delivery.id)) ids.insert(record.delivery.id);
        }
        return ids;
    };
    if (queues.empty()) {
        Recorded result{.gone = gone(record(connection, recordings, follows, false))};
        if (!result.gone.empty()) connection.transaction([&] { record_anew(connection, attempts, result.gone, now); });
        return result;
    }
    std::ranges::sort(queues, {}, &QueueState::webhook);
    for (auto const& queue : queues) locked.insert(queue.webhook);
    auto const values_of = [](QueueState const& queue) {
        return std::tuple(queue.webhook, queue.failures, queue.delivered_at, queue.release);
    };
    return connection.transaction([&] {
        lock_queues(connection, {locked.begin(), locked.end()});
        Recorded result;
        if (!attempts.empty()) result.gone = gone(record(connection, recordings, follows, false));
        if (!result.gone.empty()) record_anew(connection, attempts, result.gone, now);
        for (auto const& row : core::execute_rows(connection, kSettle, queues, values_of, owner, now)) {
            result.given_back.push_back(core::read<core::Id>(row[0]));
        }
        return result;
    });
}

std::string last_error(core::Connection& connection, core::Id webhook, std::string_view event) {
    auto const rows = connection.execute(kLastError, webhook, event);
    return rows.empty() ? "" : core::read<std::optional<std::string>>(rows[0][0]).value_or("");
}

void record_test(core::Connection& connection, AttemptRecord const& attempt) {
    record(connection, std::array{Recording{&attempt, attempt.next}}, {}, true);
}

core::Id take_delivery_id(core::Connection& connection) {
    return core::read<core::Id>(connection.execute(kTakeId).at(0)[0]);
}

std::int64_t count_replay(core::Connection& connection, ReplayFilter const& filter) {
    return core::read<std::int64_t>(connection
                                        .execute(kCountReplay, filter.webhook, filter.organization, filter.since,
                                                 filter.until, filter.types, filter.facility, filter.only_failed,
                                                 filter.facilities)
                                        .at(0)[0]);
}

TroubledSubscriptions count_troubled(core::Connection& connection) {
    auto const rows = connection.execute(kTroubled);
    return {core::read<std::int64_t>(rows.at(0)[0]), core::read<std::int64_t>(rows.at(0)[1])};
}

void keep_webhook_partitions(core::Connection& connection, int kept_days) {
    connection.execute(kPartitions, kept_days);
}

}  // namespace workforce::workers
