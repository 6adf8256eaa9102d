// Statements on deliveries, their queues and their attempts.
#include "workers/webhooks/delivery_store.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/json_io.hpp"
#include "workers/mail/mailer.hpp"
#include "workers/sql.hpp"
#include "workers/webhooks/places.hpp"

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
constexpr core::Statement kReleaseAll{"webhook_release_queues", R"(
UPDATE reactor.webhook_queue SET owner = '', leased_until = '-infinity'
WHERE webhook_id IN (SELECT webhook_id FROM reactor.webhook_queue WHERE owner = $1 ORDER BY webhook_id FOR UPDATE))"};
constexpr core::Statement kDue{"webhook_due_deliveries", sql::webhooks_due_deliveries};
constexpr core::Statement kTargets{"webhook_targets", R"(
SELECT webhook_id, organization_id, is_active, doc FROM reactor.webhook_subscription WHERE webhook_id = ANY ($1::bigint[]))"};
constexpr core::Statement kRecordAttempts{"webhook_record_attempts", sql::webhooks_record_attempts};
// What an attempt was recorded as while it was under way: its delivery was abandoned, or a COMMIT came to an end that
// nobody saw.
constexpr core::Statement kForgetRecords{"webhook_forget_records",
                                         "DELETE FROM ops.webhook_attempt WHERE id = ANY ($1::bigint[])"};
constexpr core::Statement kDeliveriesDone{
    "webhook_deliveries_done", "DELETE FROM reactor.webhook_delivery WHERE id = ANY ($1::bigint[]) RETURNING id"};
// The next attempt is another one, with an id of its own.
constexpr core::Statement kDeliveriesAgain{"webhook_deliveries_again", R"(
UPDATE reactor.webhook_delivery d
SET id = nextval('ops.webhook_delivery_id'), attempt = d.attempt + 1, trigger = 'retry', due_at = u.due_at, created_at = $3
FROM unnest($1::bigint[], $2::timestamptz[]) AS u(id, due_at) WHERE d.id = u.id RETURNING u.id)"};
constexpr core::Statement kLockQueues{"webhook_lock_queues", R"(
SELECT FROM reactor.webhook_queue WHERE webhook_id = ANY ($1::bigint[]) ORDER BY webhook_id FOR UPDATE)"};
constexpr core::Statement kSettle{"webhook_settle_queues", sql::webhooks_settle_queues};
constexpr core::Statement kTakeId{"webhook_take_delivery_id", "SELECT nextval('ops.webhook_delivery_id')"};
constexpr core::Statement kCountReplay{"webhook_count_replay", sql::reactors_webhooks_count_replay};
constexpr core::Statement kPartitions{"webhook_partitions", "SELECT ops.keep_webhook_partitions($1)"};

/// The columns of record_attempts.sql.
struct AttemptColumns {
    std::vector<core::Id> id, organization, webhook;
    std::vector<bool> sandbox, truncated;
    std::vector<std::string> event, type, trigger, status, response;
    std::vector<std::optional<core::Timestamp>> body_at, next;
    std::vector<core::Timestamp> at;
    std::vector<int> attempt, duration;
    std::vector<std::optional<int>> code;
    std::vector<std::optional<std::string>> error;

    void add(AttemptRecord const& record) {
        auto const& delivery = record.delivery;
        auto const& result = record.result;
        id.push_back(delivery.id);
        organization.push_back(delivery.organization);
        webhook.push_back(delivery.webhook);
        sandbox.push_back(record.sandbox);
        event.push_back(delivery.event_id);
        type.push_back(delivery.event_type);
        body_at.push_back(delivery.body_at.ms == 0 ? std::nullopt : std::optional(delivery.body_at));
        attempt.push_back(delivery.attempt);
        trigger.push_back(delivery.trigger);
        status.push_back(record.status);
        code.push_back(result.status_code);
        response.push_back(result.response_body);
        truncated.push_back(result.response_truncated);
        error.push_back(result.error);
        duration.push_back(result.duration_ms);
        next.push_back(record.next);
        at.push_back(record.at);
    }
    void insert(core::Connection& connection) const {
        connection.execute(kRecordAttempts, id, organization, sandbox, webhook, event, type, body_at, attempt, trigger,
                           status, code, response, truncated, error, duration, next, at);
    }
};

std::string body_of(pqxx::row const& row, events::Keyring& keyring, bool& gone) {
    if (row["body"].is_null()) {
        gone = true;
        return {};
    }
    auto stored = core::read_bytes(row["body"]);
    if (row["person"].is_null()) return stored;
    auto opened = open_for(keyring, core::read<std::string>(row["person"]), kWebhookBodyPlace, stored);
    gone = !opened;
    return opened ? *std::move(opened) : std::string();
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

void release_queues(core::Connection& connection, std::string_view owner) { connection.execute(kReleaseAll, owner); }

std::vector<DueDelivery> due_deliveries(core::Connection& connection, events::Keyring& keyring, std::string_view owner,
                                        std::vector<core::Id> const& webhooks, std::vector<int> const& rooms,
                                        core::Timestamp now) {
    auto const rows = connection.execute(kDue, webhooks, rooms, owner, now);
    std::vector<std::string> persons;
    for (auto const& row : rows) {
        if (!row["person"].is_null()) persons.push_back(core::read<std::string>(row["person"]));
    }
    if (!persons.empty()) keyring.prefetch(persons);
    std::vector<DueDelivery> due;
    std::map<std::string, std::shared_ptr<std::string const>, std::less<>> bodies;  // many subscribers share one
    for (auto const& row : rows) {
        auto& delivery = due.emplace_back();
        delivery.id = core::read<core::Id>(row["id"]);
        delivery.organization = core::read<core::Id>(row["organization_id"]);
        delivery.webhook = core::read<core::Id>(row["webhook_id"]);
        delivery.event_id = core::read<std::string>(row["event_id"]);
        delivery.event_type = core::read<std::string>(row["event_type"]);
        delivery.body_at = core::read<core::Timestamp>(row["body_at"]);
        delivery.trigger = core::read<std::string>(row["trigger"]);
        delivery.attempt = core::read<int>(row["attempt"]);
        delivery.correlation_id = core::read<std::optional<std::string>>(row["correlation_id"]).value_or("");
        auto const known = bodies.find(delivery.event_id);
        if (known != bodies.end()) {
            delivery.body = known->second;
            continue;
        }
        bool gone = false;
        auto body = body_of(row, keyring, gone);
        if (!gone) delivery.body = std::make_shared<std::string const>(std::move(body));
        bodies.emplace(delivery.event_id, delivery.body);
    }
    return due;
}

std::vector<DeliveryTarget> delivery_targets(core::Connection& connection, std::vector<core::Id> const& webhooks) {
    std::vector<DeliveryTarget> targets;
    for (auto const& row : connection.execute(kTargets, webhooks)) {
        auto const record = core::from_stored_json<events::WebhookRecord>(core::read_view(row["doc"]));
        targets.push_back({core::read<core::Id>(row["webhook_id"]), core::read<core::Id>(row["organization_id"]),
                           core::read<bool>(row["is_active"]), record.url.value, record.internals});
    }
    return targets;
}

void lock_queues(core::Connection& connection, std::vector<core::Id> const& webhooks) {
    connection.execute(kLockQueues, webhooks);
}

std::vector<core::Id> record_attempts(core::Connection& connection, std::string_view owner,
                                      std::span<AttemptRecord const> attempts, std::vector<QueueState> queues,
                                      core::Timestamp now) {
    AttemptColumns columns;
    std::vector<core::Id> done, again;
    std::vector<core::Timestamp> next;
    for (auto const& record : attempts) {
        columns.add(record);
        if (record.next || record.exhausted) {
            again.push_back(record.delivery.id);
            next.push_back(record.next.value_or(now));
        } else {
            done.push_back(record.delivery.id);
        }
    }
    std::ranges::sort(queues, {}, &QueueState::webhook);
    std::vector<core::Id> webhooks;
    std::vector<std::int64_t> failures;
    std::vector<std::optional<core::Timestamp>> delivered;
    std::vector<bool> release;
    for (auto const& queue : queues) {
        webhooks.push_back(queue.webhook);
        failures.push_back(queue.failures);
        delivered.push_back(queue.delivered_at);
        release.push_back(queue.release);
    }
    // Those of attempts of before a lease was lost, too: another process may be abandoning their deliveries.
    std::set<core::Id> locked(webhooks.begin(), webhooks.end());
    for (auto const& record : attempts) locked.insert(record.delivery.webhook);
    return connection.transaction([&] {
        lock_queues(connection, {locked.begin(), locked.end()});
        std::set<core::Id> gone(columns.id.begin(), columns.id.end());
        auto const found = [&](pqxx::result const& rows) {
            for (auto const& row : rows) gone.erase(core::read<core::Id>(row[0]));
        };
        if (!done.empty()) found(connection.execute(kDeliveriesDone, done));
        if (!again.empty()) found(connection.execute(kDeliveriesAgain, again, next, now));
        if (!gone.empty()) connection.execute(kForgetRecords, core::array_literal(gone));
        if (!attempts.empty()) columns.insert(connection);
        std::vector<core::Id> given_back;
        for (auto const& row : connection.execute(kSettle, owner, webhooks, failures, delivered, release, now)) {
            given_back.push_back(core::read<core::Id>(row[0]));
        }
        return given_back;
    });
}

void record_test(core::Connection& connection, AttemptRecord const& attempt) {
    AttemptColumns columns;
    columns.add(attempt);
    columns.insert(connection);
}

core::Id take_delivery_id(core::Connection& connection) {
    return core::read<core::Id>(connection.execute(kTakeId).at(0)[0]);
}

std::int64_t count_replay(core::Connection& connection, ReplayFilter const& filter) {
    return core::read<std::int64_t>(connection
                                        .execute(kCountReplay, filter.webhook, filter.organization, filter.since,
                                                 filter.until, filter.types, filter.facility, filter.only_failed)
                                        .at(0)[0]);
}

void keep_webhook_partitions(core::Connection& connection, int kept_days) {
    connection.execute(kPartitions, kept_days);
}

}  // namespace workforce::workers
