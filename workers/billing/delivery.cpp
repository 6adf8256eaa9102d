// Claims, requests, and what becomes of rows.
#include "workers/billing/delivery.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "core/log_throttle.hpp"
#include "core/outage.hpp"
#include "core/sql_values.hpp"
#include "workers/engine/work_table.hpp"
#include "workers/reactors/usage.hpp"

namespace workforce::workers {
namespace {

constexpr std::chrono::seconds kBillLease{60};  // longer than a batch's requests may take one by one

// What nobody has tried to send in time: an installation that this one is restored from may have, or meters came later.
// And what was tried so long ago that the meter may have forgotten its identifier: it would count it again.
constexpr core::Statement kHoldBills{"billing_hold", R"(
UPDATE ops.billing_outbox SET status = 'held', due_at = NULL
WHERE status = 'pending' AND due_at <= now() AND (first_sent_at < now() - $1 * interval '1 hour'
    OR (first_sent_at IS NULL AND resent_at IS NULL AND occurred_at < now() - $1 * interval '1 hour')))"};
constexpr core::Statement kClaimBills{"billing_claim", R"(
UPDATE ops.billing_outbox SET due_at = now() + $2 * interval '1 millisecond', attempts = attempts + 1,
    first_sent_at = coalesce(first_sent_at, now())
WHERE id = ANY (ARRAY(
    SELECT id FROM ops.billing_outbox
    WHERE status = 'pending' AND due_at <= now() AND NOT EXISTS (SELECT FROM reactor.pause WHERE name = $3)
    ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING id, event_name, subject, identifier, occurred_at, organization_id)"};
constexpr core::Statement kBillsSent{"billing_sent", R"(
UPDATE ops.billing_outbox SET status = 'sent', sent_at = now(), due_at = NULL, last_error = ''
WHERE id = ANY ($1::bigint[]) AND status = 'pending')"};
constexpr core::Statement kBillFailed{"billing_failed", R"(
UPDATE ops.billing_outbox SET last_error = $2,
    status = CASE WHEN first_sent_at < now() - $3 * interval '1 hour' THEN 'dead' ELSE 'pending' END,
    due_at = CASE WHEN first_sent_at < now() - $3 * interval '1 hour' THEN NULL
                  ELSE now() + least(3600, power(2, least(attempts, 13) - 1)) * interval '1 second' END
WHERE id = $1 AND status = 'pending'
RETURNING status)"};
// Each process asks every few seconds: it is looked at some rows of each status, and at none that were sent.
constexpr core::Statement kBillingStanding{"billing_standing", R"(
SELECT s.status,
       (SELECT count(*) FROM (SELECT b.id FROM ops.billing_outbox b WHERE b.status = s.status
                              ORDER BY b.status, b.id LIMIT $1) AS counted) AS rows,
       coalesce((SELECT extract(epoch FROM now() - b.created_at) FROM ops.billing_outbox b WHERE b.status = s.status
                 ORDER BY b.status, b.id LIMIT 1), 0)::float8 AS oldest
FROM (VALUES ('pending'), ('dead'), ('held'), ('no_subject')) AS s(status))"};
constexpr core::Statement kResendBills{"billing_resend", R"(
UPDATE ops.billing_outbox b
SET status = 'pending', due_at = now(), first_sent_at = NULL, attempts = 0, resent_at = now(),
    subject = coalesce(b.subject, (SELECT doc::json ->> 'customerRef' FROM reactor.usage_organization o
                                   WHERE o.id = b.organization_id))
WHERE b.id = ANY ($1::bigint[]) AND b.status IN ('dead', 'held', 'no_subject')
  AND (b.subject IS NOT NULL OR EXISTS (SELECT FROM reactor.usage_organization o WHERE o.id = b.organization_id
                                        AND o.doc::json ->> 'customerRef' IS NOT NULL)))"};
constexpr core::Statement kDropBills{
    "billing_drop",
    "DELETE FROM ops.billing_outbox WHERE id = ANY ($1::bigint[]) AND status IN ('dead', 'held', 'no_subject')"};

core::LogThrottle& not_billed() {
    static core::LogThrottle throttle("the billing meter takes nothing; rows are sent again");
    return throttle;
}

}  // namespace

BillingDelivery::BillingDelivery(core::SessionPool& sessions, MeterType const& meter, std::string secret,
                                 std::string source, SendToMeter send, core::Metrics& metrics)
    : sessions_(sessions),
      meter_(meter),
      secret_(std::move(secret)),
      source_(std::move(source)),
      send_(std::move(send)) {
    constexpr std::array<std::string_view, 3> kOutcomes{"sent", "failed", "dead"};
    for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
        counters_.at(i) = &metrics.counter("workforce_billing_reports_total",
                                           "Attempts to report an outcome to the billing meter, by what came of them",
                                           {{"outcome", std::string(kOutcomes.at(i))}});
    }
}

void BillingDelivery::round(std::stop_token const& stop) {
    sessions_.run([](core::Connection& connection) {
        connection.execute(kHoldBills, std::chrono::hours(kBillingWindow).count());
    });
    while (!stop.stop_requested()) {
        auto const bills = claim();
        if (bills.empty()) return;
        report(bills);
    }
}

std::vector<Bill> BillingDelivery::claim() {
    return sessions_.run([&](core::Connection& connection) {
        std::vector<Bill> bills;
        auto const most = static_cast<int>(std::max<std::size_t>(meter_.together, 1));
        auto const lease = std::chrono::milliseconds(kBillLease).count();
        for (auto const& row : connection.execute(kClaimBills, most, lease, kBillingDelivery)) {
            bills.push_back({.id = core::read<core::Id>(row["id"]),
                             .event_name = core::read<std::string>(row["event_name"]),
                             .subject = core::read<std::string>(row["subject"]),
                             .identifier = core::read<std::string>(row["identifier"]),
                             .occurred_at = core::read<core::Timestamp>(row["occurred_at"]),
                             .organization = core::read<core::Id>(row["organization_id"])});
        }
        return bills;
    });
}

void BillingDelivery::report(std::vector<Bill> const& bills) {
    auto const answer = judge_meter(meter_, bills.size(), send_(meter_.request(bills, secret_, source_)));
    if (answer.taken) {
        std::vector<core::Id> sent;
        for (auto const& bill : bills) sent.push_back(bill.id);
        settle(sent);
        not_billed().over();
        return;
    }
    not_billed().met(core::Level::warn, {{"meter", meter_.name}, {"error", answer.why}});
    if (bills.size() == 1) return postpone(bills.front(), answer.why);
    // Whose fault it is shows when each goes alone. A meter that is away is asked no more for now.
    for (std::size_t i = 0; i < bills.size(); ++i) {
        auto const alone = judge_meter(meter_, 1, send_(meter_.request({&bills[i], 1}, secret_, source_)));
        if (alone.taken) {
            settle({bills[i].id});
            continue;
        }
        postpone(bills[i], alone.why);
        if (!alone.away) continue;
        for (auto const& other : std::span(bills).subspan(i + 1)) postpone(other, alone.why);
        return;
    }
}

void BillingDelivery::settle(std::vector<core::Id> const& sent) {
    sessions_.run([&](core::Connection& connection) { connection.execute(kBillsSent, sent); });
    counters_[0]->Increment(static_cast<double>(sent.size()));
}

void BillingDelivery::postpone(Bill const& bill, std::string const& why) {
    auto const rows = sessions_.run([&](core::Connection& connection) {
        return connection.execute(kBillFailed, bill.id, why, std::chrono::hours(kBillingWindow).count());
    });
    counters_[1]->Increment();
    if (rows.empty() || core::read_view(rows[0][0]) != "dead") return;
    counters_[2]->Increment();
    core::log(core::Level::error, "an outcome is not billed, for the meter did not take it in 20 hours",
              {{"id", bill.id}, {"identifier", bill.identifier}, {"error", why}});
}

std::vector<BillingStanding> read_billing(core::Connection& connection) {
    std::vector<BillingStanding> all;
    for (auto const& row : connection.execute(kBillingStanding, kMostCountedBills)) {
        all.push_back({core::read<std::string>(row["status"]), core::read<std::int64_t>(row["rows"]),
                       core::read<double>(row["oldest"])});
    }
    return all;
}

void export_billing(core::Metrics& metrics, std::vector<BillingStanding> const& standings, bool has_meter) {
    for (auto const& standing : standings) {
        metrics
            .gauge("workforce_billing_rows",
                   "Rows for the billing meter that were not sent, by how they stand; counted up to 10,000",
                   {{"status", standing.status}})
            .Set(static_cast<double>(standing.rows));
        if (standing.status != "pending") continue;
        metrics.gauge("workforce_billing_pending_seconds", "How long the oldest pending row has waited for the meter")
            .Set(has_meter ? standing.oldest_seconds : 0);
    }
}

int resend_bills(core::Connection& connection, std::vector<core::Id> const& ids) {
    return static_cast<int>(connection.execute(kResendBills, ids).affected_rows());
}

int drop_bills(core::Connection& connection, std::vector<core::Id> const& ids) {
    return static_cast<int>(connection.execute(kDropBills, ids).affected_rows());
}

}  // namespace workforce::workers
