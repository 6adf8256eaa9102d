// Runs, their payments and their attempts.
#include "workers/reactors/reactors.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "events/event.hpp"
#include "events/fold.hpp"
#include "events/payroll_run.hpp"
#include "workers/engine/folded_rows.hpp"
#include "workers/payroll/work_store.hpp"

namespace workforce::workers {
namespace {

using events::Overloaded;

constexpr core::Statement kKeepPayments{"payroll_keep_payments", R"(
INSERT INTO payroll_payments (first_id, run_id, organization_id, doc) VALUES ($1, $2, $3, $4)
ON CONFLICT (first_id) DO NOTHING)"};
constexpr core::Statement kAddAttempt{"payroll_add_attempt", R"(
INSERT INTO payroll_attempt (run_id, attempt, organization_id, is_sandbox, approved_at, event_id, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (run_id, attempt) DO NOTHING)"};
constexpr core::Statement kAddPayrollWork{"payroll_add_work", R"(
INSERT INTO payroll_work (id, partition, position, organization_id, is_sandbox, run_id, attempt, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING)"};
constexpr core::Statement kDropPayrollWork{"payroll_drop_work", "DELETE FROM payroll_work WHERE run_id = $1"};
// A report that came before may be applied from now on.
constexpr core::Statement kSubmitted{"payroll_submitted", R"(
WITH woken AS (UPDATE payroll_callback SET due_at = now() WHERE external_id = $3 AND report IS NOT NULL)
UPDATE payroll_attempt
SET external_id = $3, submitted_at = $4, polls = 0, poll_at = CASE WHEN ended_at IS NULL THEN now() END
WHERE run_id = $1 AND attempt = $2)"};
constexpr core::Statement kEndAttempts{"payroll_end_attempts", R"(
UPDATE payroll_attempt SET poll_at = NULL, ended_at = $2 WHERE run_id = $1 AND ended_at IS NULL)"};
constexpr core::Statement kRefused{"payroll_refused", R"(
UPDATE payroll_attempt SET refusal = $3 WHERE run_id = $1 AND attempt = $2)"};
constexpr core::Statement kDropPayments{"payroll_drop_payments", "DELETE FROM payroll_payments WHERE run_id = $1"};

struct FoldedBrief : PayrollBrief {
    static constexpr std::string_view kTable = "payroll_run";
};
BOOST_DESCRIBE_STRUCT(FoldedBrief, (PayrollBrief), ())

/// One batch of a partition's events, folded within a transaction.
class PayrollBatch {
   public:
    PayrollBatch(core::Connection& connection, events::Keyring&, int partition)
        : connection_(connection), partition_(partition) {}

    void fold(std::span<events::Event const> events) {
        load(events);
        for (auto const& event : events) {
            if (auto const* run = events::get_if<events::PayrollRunEvent>(event.data)) fold(event.meta, *run);
        }
        briefs_.keep(connection_);
    }

   private:
    void load(std::span<events::Event const> events) {
        bool any = false;
        std::set<core::Id> changed;
        for (auto const& event : events) {
            any = any || events::is<events::PayrollRunApproved>(event.data);
            if (events::is<events::PayrollRunUpdated>(event.data)) changed.insert(event.meta.subject.id);
        }
        acts_after_ =
            any ? acts_after(connection_, kPayrollReactor, partition_) : std::numeric_limits<std::int64_t>::max();
        briefs_.load(connection_, changed);
    }

    void fold(events::Envelope const& meta, events::PayrollRunEvent const& event) {
        auto const id = meta.subject.id;
        std::visit(Overloaded{[&](events::PayrollRunCreated const& e) {
                                  briefs_.put(id, meta.organization, FoldedBrief{{e, e, e.type}});
                              },
                              [&](events::PayrollRunUpdated const& e) {
                                  briefs_.change(id, meta.organization, [&](FoldedBrief& brief) {
                                      static_cast<events::PayrollPeriod&>(brief) = e;
                                  });
                              },
                              [&](events::PayrollRunPaymentsCreated const& e) { keep_payments(meta, e); },
                              [&](events::PayrollRunApproved const& e) { add_attempt(meta, e.attempt); },
                              [&](events::PayrollRunSubmitted const& e) {
                                  connection_.execute(kSubmitted, id, e.attempt, e.externalPayrollId, meta.time);
                                  connection_.execute(kDropPayrollWork, id);
                              },
                              [&](events::PayrollRunFailed const& e) {
                                  // Nothing else ends a run that may be approved again.
                                  if (e.refused) connection_.execute(kRefused, id, e.attempt, e.reason);
                                  end_attempts(meta);
                              },
                              [&](events::PayrollRunPaid const&) { end(meta); },
                              [&](events::PayrollRunPartiallyPaid const&) { end(meta); },
                              [&](events::PayrollRunCancelled const&) { end(meta); },
                              [&](events::PayrollRunDeleted const&) { end(meta); }, [](auto const&) {}},
                   event);
    }

    void keep_payments(events::Envelope const& meta, events::PayrollRunPaymentsCreated const& made) {
        if (made.payments.empty()) return;
        connection_.execute(kKeepPayments, made.payments.front().paymentId, meta.subject.id, meta.organization,
                            core::to_json(DuePayments{made.payments}));
    }

    void add_attempt(events::Envelope const& meta, std::int64_t attempt) {
        auto const& correlation = meta.correlation();
        connection_.execute(kAddAttempt, meta.subject.id, attempt, meta.organization, meta.sandbox, meta.time, meta.id,
                            correlation);
        if (meta.position <= acts_after_) return;
        connection_.execute(kAddPayrollWork, meta.id, partition_, meta.position, meta.organization, meta.sandbox,
                            meta.subject.id, attempt, correlation);
    }

    void end_attempts(events::Envelope const& meta) {
        connection_.execute(kEndAttempts, meta.subject.id, meta.time);
        connection_.execute(kDropPayrollWork, meta.subject.id);
    }

    /// The run is not approved again.
    void end(events::Envelope const& meta) {
        end_attempts(meta);
        connection_.execute(kDropPayments, meta.subject.id);
        briefs_.put(meta.subject.id, meta.organization, std::nullopt);
    }

    core::Connection& connection_;
    int const partition_;
    std::int64_t acts_after_ = -1;
    FoldedRows<FoldedBrief> briefs_;
};

}  // namespace

ReactorType payroll() {
    return {.name = kPayrollReactor,
            .revision = 1,
            .kinds = {events::Kind::payroll_run},
            .make = fold_by<PayrollBatch>,
            .work = &payroll_work()};
}

}  // namespace workforce::workers
