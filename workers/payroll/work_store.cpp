// Statements on attempts, reports, and what a provider is told.
#include "workers/payroll/work_store.hpp"

#include "core/json_io.hpp"

namespace workforce::workers {
namespace {

// By their places, as rows of work are claimed.
constexpr core::Statement kClaimPolls{"payroll_claim_polls", R"(
UPDATE reactor.payroll_attempt SET poll_at = now() + $2 * interval '1 millisecond', polls = polls + 1
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM reactor.payroll_attempt
    WHERE poll_at <= now() AND NOT EXISTS (SELECT FROM reactor.pause WHERE name = 'payroll')
    ORDER BY poll_at LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING run_id, attempt, organization_id, is_sandbox, external_id, submitted_at, event_id, correlation_id, polls)"};
constexpr core::Statement kPostponePoll{"payroll_postpone_poll", R"(
UPDATE reactor.payroll_attempt SET poll_at = now() + $3 * interval '1 millisecond'
WHERE run_id = $1 AND attempt = $2 AND poll_at IS NOT NULL)"};

constexpr core::Statement kStoreCallback{"payroll_store_callback", R"(
INSERT INTO reactor.payroll_callback (id, external_id, report) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING)"};
constexpr core::Statement kClaimCallbacks{"payroll_claim_callbacks", R"(
UPDATE reactor.payroll_callback SET due_at = now() + $2 * interval '1 millisecond', attempts = attempts + 1
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM reactor.payroll_callback
    WHERE report IS NOT NULL AND due_at <= now() AND NOT EXISTS (SELECT FROM reactor.pause WHERE name = 'payroll')
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING id, report, attempts, extract(epoch FROM now() - received_at)::bigint AS age)"};
constexpr core::Statement kFinishCallback{"payroll_finish_callback",
                                          "UPDATE reactor.payroll_callback SET report = NULL WHERE id = $1"};
constexpr core::Statement kPostponeCallback{"payroll_postpone_callback", R"(
UPDATE reactor.payroll_callback SET due_at = now() + $2 * interval '1 millisecond' WHERE id = $1)"};
constexpr core::Statement kReported{"payroll_reported", R"(
SELECT run_id, attempt, organization_id, is_sandbox, external_id, submitted_at, event_id, correlation_id, polls,
       ended_at IS NOT NULL AS ended
FROM reactor.payroll_attempt WHERE external_id = $1 AND NOT is_sandbox ORDER BY approved_at DESC LIMIT 1)"};
// What came before the provider's own answer. Of a run that was approved again nobody knows which attempt is meant.
constexpr core::Statement kReportedEarly{"payroll_reported_early", R"(
SELECT a.run_id, a.attempt, a.organization_id, a.is_sandbox, a.external_id, a.submitted_at, a.event_id,
       a.correlation_id, a.polls, false AS ended
FROM reactor.payroll_attempt a
WHERE a.run_id = $1 AND a.attempt = 1 AND NOT a.is_sandbox AND a.external_id IS NULL AND a.ended_at IS NULL
    AND NOT EXISTS (SELECT FROM reactor.payroll_attempt b WHERE b.run_id = a.run_id AND b.attempt > 1))"};

constexpr core::Statement kBrief{"payroll_brief", "SELECT doc FROM reactor.payroll_run WHERE id = $1"};
constexpr core::Statement kDuePayments{"payroll_due_payments", R"(
SELECT doc FROM reactor.payroll_payments WHERE run_id = $1 AND first_id > $2 ORDER BY first_id LIMIT 1)"};
constexpr core::Statement kLastPayments{"payroll_last_payments", R"(
SELECT doc FROM reactor.payroll_payments WHERE run_id = $1 ORDER BY first_id DESC LIMIT 1)"};
constexpr core::Statement kMadeToFail{"payroll_made_to_fail", R"(
SELECT s.id FROM read.staff s
WHERE s.organization_id = $1 AND s.is_sandbox = $2 AND s.id = ANY ($3::bigint[])
    AND split_part(s.doc::json ->> 'email', '@', 1) LIKE '%+fail')"};

constexpr core::Statement kOutcome{"payroll_outcome", R"(
SELECT external_id, submitted_at, refusal FROM reactor.payroll_attempt WHERE run_id = $1 AND approved_at = $2)"};
constexpr core::Statement kProcessing{"payroll_processing", R"(
SELECT run_id, attempt, organization_id, is_sandbox, external_id, submitted_at
FROM reactor.payroll_attempt
WHERE run_id = $1 AND external_id IS NOT NULL AND ended_at IS NULL ORDER BY attempt DESC LIMIT 1)"};

constexpr core::Statement kBacklog{"payroll_backlog", R"(
SELECT (SELECT count(*) FROM reactor.payroll_work),
       (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM reactor.payroll_work),
       (SELECT count(*) FROM reactor.payroll_attempt WHERE poll_at IS NOT NULL))"};
constexpr core::Statement kPruneCallbacks{"payroll_prune_callbacks", R"(
DELETE FROM reactor.payroll_callback WHERE report IS NULL AND received_at < now() - interval '1 day')"};
constexpr core::Statement kPruneAttempts{"payroll_prune_attempts", R"(
DELETE FROM reactor.payroll_attempt WHERE ended_at < now() - interval '90 days')"};

template <class Row>
PayrollAttempt attempt_of(Row const& row) {
    return {.run = core::read<core::Id>(row["run_id"]),
            .attempt = core::read<std::int64_t>(row["attempt"]),
            .organization = core::read<core::Id>(row["organization_id"]),
            .sandbox = core::read<bool>(row["is_sandbox"]),
            .external_id = core::read<std::optional<std::string>>(row["external_id"]),
            .submitted_at = core::read<std::optional<core::Timestamp>>(row["submitted_at"])};
}

template <class Row>
PayrollTask task_of(Row const& row) {
    return {.attempt = attempt_of(row),
            .event_id = core::read<std::string>(row["event_id"]),
            .correlation_id = core::read<std::string>(row["correlation_id"]),
            .tries = core::read<int>(row["polls"])};
}

/// Adds the attempt that a report is of.
void find_task(core::Connection& connection, PayrollCallback& callback) {
    auto rows = connection.execute(kReported, callback.report.externalPayrollId.value);
    auto const& payments = callback.report.payments.value;
    if (rows.empty() && !payments.empty()) {
        auto const run = events::run_of_payment(payments.front().paymentId);
        for (auto const& payment : payments) {
            if (events::run_of_payment(payment.paymentId) != run) return;
        }
        rows = connection.execute(kReportedEarly, run);
    }
    if (rows.empty()) return;
    callback.task = task_of(rows[0]);
    callback.ended = core::read<bool>(rows[0]["ended"]);
}

}  // namespace

WorkTable const& payroll_work() {
    static WorkTable const work(kPayrollReactor, "payroll_work");
    return work;
}

std::vector<PayrollTask> claim_submissions(core::Connection& connection, int most, std::chrono::milliseconds lease) {
    std::vector<PayrollTask> tasks;
    for (auto const& row : payroll_work().claim(connection, most, lease)) {
        auto const id = core::read<std::string>(row["id"]);
        tasks.push_back({.attempt = {.run = core::read<core::Id>(row["run_id"]),
                                     .attempt = core::read<std::int64_t>(row["attempt"]),
                                     .organization = core::read<core::Id>(row["organization_id"]),
                                     .sandbox = core::read<bool>(row["is_sandbox"])},
                         .work_id = id,
                         .event_id = id,
                         .correlation_id = core::read<std::string>(row["correlation_id"]),
                         .tries = core::read<int>(row["attempts"])});
    }
    return tasks;
}

std::vector<PayrollTask> claim_polls(core::Connection& connection, int most, std::chrono::milliseconds lease) {
    std::vector<PayrollTask> tasks;
    for (auto const& row : connection.execute(kClaimPolls, most, lease.count())) tasks.push_back(task_of(row));
    return tasks;
}

void postpone_poll(core::Connection& connection, PayrollAttempt const& attempt, std::chrono::milliseconds pause) {
    connection.execute(kPostponePoll, attempt.run, attempt.attempt, pause.count());
}

bool store_callback(core::Connection& connection, std::string_view id, PayrollReport const& report) {
    return connection.execute(kStoreCallback, id, report.externalPayrollId.value, core::to_json(report))
               .affected_rows() == 1;
}

std::vector<PayrollCallback> claim_callbacks(core::Connection& connection, int most, std::chrono::milliseconds lease) {
    std::vector<PayrollCallback> callbacks;
    for (auto const& row : connection.execute(kClaimCallbacks, most, lease.count())) {
        PayrollCallback callback{.id = core::read<std::string>(row["id"]),
                                 .report = core::from_stored_json<PayrollReport>(core::read_view(row["report"])),
                                 .tries = core::read<int>(row["attempts"]),
                                 .age = std::chrono::seconds(core::read<std::int64_t>(row["age"]))};
        find_task(connection, callback);
        callbacks.push_back(std::move(callback));
    }
    return callbacks;
}

void finish_callback(core::Connection& connection, std::string_view id) { connection.execute(kFinishCallback, id); }

void postpone_callback(core::Connection& connection, std::string_view id, std::chrono::milliseconds pause) {
    connection.execute(kPostponeCallback, id, pause.count());
}

PayrollBrief read_brief(core::Connection& connection, core::Id run) {
    return core::from_stored_json<PayrollBrief>(core::read_view(connection.execute(kBrief, run).at(0)[0]));
}

DuePayments read_due_payments(core::Connection& connection, core::Id run, core::Id after) {
    auto const rows = connection.execute(kDuePayments, run, after);
    return rows.empty() ? DuePayments{} : core::from_stored_json<DuePayments>(core::read_view(rows[0][0]));
}

core::Id read_last_payment(core::Connection& connection, core::Id run) {
    auto const rows = connection.execute(kLastPayments, run);
    if (rows.empty()) return 0;
    return core::from_stored_json<DuePayments>(core::read_view(rows[0][0])).payments.back().paymentId;
}

std::vector<core::Id> made_to_fail(core::Connection& connection, core::Id organization, bool sandbox,
                                   std::vector<core::Id> const& staff) {
    std::vector<core::Id> failing;
    for (auto const& row : connection.execute(kMadeToFail, organization, sandbox, staff)) {
        failing.push_back(core::read<core::Id>(row[0]));
    }
    return failing;
}

ApprovalOutcome find_outcome(core::Connection& connection, core::Id run, core::Timestamp approved_at) {
    auto const rows = connection.execute(kOutcome, run, approved_at);
    if (rows.empty()) return {};
    return {core::read<std::optional<std::string>>(rows[0][0]), core::read<std::optional<core::Timestamp>>(rows[0][1]),
            core::read<std::optional<std::string>>(rows[0][2])};
}

std::optional<PayrollAttempt> find_processing(core::Connection& connection, core::Id run) {
    auto const rows = connection.execute(kProcessing, run);
    if (rows.empty()) return std::nullopt;
    return attempt_of(rows[0]);
}

PayrollBacklog count_payroll(core::Connection& connection) {
    auto const row = connection.execute(kBacklog).at(0);
    return {core::read<std::int64_t>(row[0]), core::read<double>(row[1]), core::read<std::int64_t>(row[2])};
}

void prune_payroll(core::Connection& connection) {
    connection.execute(kPruneCallbacks);
    connection.execute(kPruneAttempts);
}

}  // namespace workforce::workers
