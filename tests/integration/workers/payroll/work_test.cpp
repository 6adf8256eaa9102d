// What the reactor of payroll leaves of the log, and what may be claimed of it. That providers are asked for it is
// tested with the service (tests/e2e/test_payroll_provider.py, test_payroll_crashes.py).
#include <gmock/gmock.h>

#include <array>

#include "tests/integration/projections/fixture.hpp"
#include "workers/engine/standing.hpp"
#include "workers/payroll/work_store.hpp"
#include "workers/reactors/reactors.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using events::payment_id;
using std::chrono::hours;
using std::chrono::milliseconds;
using testing::IsEmpty;
using workers::PayrollReport;
using workers::PayrollTask;

constexpr milliseconds kLease = hours(1);

class PayrollWorkTest : public ProjectionsTest {
   protected:
    PayrollWorkTest() {
        writer_.meta.organization = 7;
        writer_.meta.request_id = "req_of_the_approval";
    }

    void record_starts() {
        core::Connection owner(connection());
        workers::record_starts(
            owner, kTestPartitions,
            [&] {
                events::PostgresLogOptions options;
                options.database_url = database_.url();
                return std::make_unique<events::PostgresLog>(options);
            },
            types_);
    }
    void react(std::size_t batch = 2000) {
        auto options = runner_options(batch);
        options.tables = projections::Tables::reactors;
        auto const folds = workers::reactor_folds(keyring_, types_);
        projections::Runner runner(*log_, keyring_, options, folds);
        fold(runner);
    }

    static events::PayrollRunCreated created() {
        events::PayrollRunCreated run;
        run.facilityId = core::Id{12};
        run.currency = "EUR";
        run.periodStart = run.periodEnd = run.payDate = core::parse_date("2026-07-20").value();
        return run;
    }
    /// Payments of these numbers, each of the person with a hundred times its number.
    static events::PayrollRunPaymentsCreated payments(core::Id run, std::vector<std::size_t> const& numbers) {
        events::PayrollRunPaymentsCreated made{"EUR", {}};
        for (auto const number : numbers) {
            events::PaymentMade payment;
            payment.paymentId = payment_id(run, number);
            payment.staffId = static_cast<core::Id>(100 * number);
            payment.netAmount = {1250};
            made.payments.push_back(payment);
        }
        return made;
    }
    void append(core::Id run, events::AnyEvent const& event) { writer_.append(Kind::payroll_run, run, event); }
    void approve(core::Id run, std::int64_t attempt = 1) {
        if (attempt == 1) {
            append(run, created());
            append(run, payments(run, {1, 2}));
            append(run, payments(run, {3}));
        }
        append(run, events::PayrollRunApproved{attempt});
    }
    void submit(core::Id run, std::string const& external, std::int64_t attempt = 1) {
        append(run, events::PayrollRunSubmitted{attempt, external, events::PayrollRunStatus::processing});
    }

    std::vector<PayrollTask> submissions() { return workers::claim_submissions(session_, 100, kLease); }
    std::vector<PayrollTask> polls() { return workers::claim_polls(session_, 100, kLease); }
    std::vector<workers::PayrollCallback> callbacks() { return workers::claim_callbacks(session_, 100, kLease); }
    static PayrollReport report(std::string_view external, std::vector<core::Id> const& payments) {
        PayrollReport told;
        told.externalPayrollId = std::string(external);
        told.status = workers::ReportedStatus::paid;
        for (auto const id : payments) {
            told.payments.value.emplace_back().paymentId = id;
            told.payments.value.back().status.value = events::PaymentStatus::paid;
        }
        return told;
    }
    /// The run that a report would be applied to: "5/1", with "ended" behind it, or "nobody's".
    std::string addressee(PayrollReport const& told) {
        auto const id = fmt::format("msg_{}", ++messages_);
        EXPECT_TRUE(workers::store_callback(session_, id, told));
        auto const found = callbacks();
        if (found.size() != 1 || found[0].id != id) return "another report";
        workers::finish_callback(session_, id);
        if (!found[0].task) return "nobody's";
        auto const& attempt = found[0].task->attempt;
        return fmt::format("{}/{}{}", attempt.run, attempt.attempt, found[0].ended ? " ended" : "");
    }

    std::array<workers::ReactorType, 1> const types_{workers::payroll()};
    EventWriter writer_{*log_, keyring_, 0};
    core::Connection session_{workers::reactor_session(connection())};
    int messages_ = 0;
};

TEST_F(PayrollWorkTest, AnApprovalIsOneSubmissionHoweverEventsAreCut) {
    approve(4);  // before anybody knew the reactor
    record_starts();
    approve(5);
    for (std::size_t const batch : {1, 2000}) {
        react(batch);
        EXPECT_EQ(ask("SELECT count(*) FROM reactor.payroll_work"), "1") << batch;
    }
    auto const claimed = submissions();
    ASSERT_EQ(claimed.size(), 1U);
    auto const& task = claimed.front();
    EXPECT_EQ(task.attempt.run, 5);
    EXPECT_EQ(task.attempt.attempt, 1);
    EXPECT_EQ(task.attempt.organization, 7);
    EXPECT_FALSE(task.attempt.sandbox);
    EXPECT_EQ(task.correlation_id, "req_of_the_approval");
    EXPECT_EQ(task.tries, 1);
    EXPECT_THAT(submissions(), IsEmpty()) << "somebody has it";
    workers::payroll_work().postpone(session_, task.work_id, milliseconds(0), "no answer");
    auto const again = submissions();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again.front().work_id, task.work_id);
    EXPECT_EQ(again.front().tries, 2);
}

TEST_F(PayrollWorkTest, AProviderIsToldTheLatestDraftAndEachPaymentOnce) {
    record_starts();
    append(5, created());
    events::PayrollRunUpdated moved;
    moved.periodStart = moved.periodEnd = moved.payDate = core::parse_date("2026-07-21").value();
    append(5, moved);
    append(5, payments(5, {1, 2}));
    append(5, payments(5, {3}));
    append(6, created());
    append(6, payments(6, {1}));
    for (std::size_t const batch : {1, 2000}) react(batch);
    auto const brief = workers::read_brief(session_, 5);
    EXPECT_EQ(brief.periodStart, core::parse_date("2026-07-21").value());
    EXPECT_EQ(brief.facilityId, core::Id{12});
    EXPECT_EQ(brief.currency, "EUR");
    std::vector<core::Id> ids;
    for (core::Id after = 0;;) {
        auto const due = workers::read_due_payments(session_, 5, after);
        if (due.payments.empty()) break;
        for (auto const& payment : due.payments) ids.push_back(payment.paymentId);
        after = ids.back();
    }
    EXPECT_THAT(ids, testing::ElementsAre(payment_id(5, 1), payment_id(5, 2), payment_id(5, 3)));
}

TEST_F(PayrollWorkTest, ASubmissionEndsTheWorkAndBeginsQuestions) {
    record_starts();
    approve(5);
    submit(5, "ext_5");
    react();
    EXPECT_THAT(submissions(), IsEmpty());
    auto const asked = polls();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].attempt.external_id, "ext_5");
    EXPECT_TRUE(asked[0].attempt.submitted_at);
    EXPECT_THAT(polls(), IsEmpty()) << "somebody asks";
    workers::postpone_poll(session_, asked[0].attempt, milliseconds(0));
    EXPECT_EQ(polls().at(0).tries, 2);
    EXPECT_EQ(workers::find_processing(session_, 5)->attempt, 1);
    append(5, events::PayrollRunPaid{});
    react();
    workers::postpone_poll(session_, asked[0].attempt, milliseconds(0));  // by who was still asking
    EXPECT_THAT(polls(), IsEmpty());
    EXPECT_FALSE(workers::find_processing(session_, 5));
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.payroll_run"), "0");
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.payroll_payments"), "0");
}

TEST_F(PayrollWorkTest, EachAttemptHasItsOutcome) {
    record_starts();
    approve(5);
    react();
    auto const approved_at = [&](int attempt) {
        return core::parse_timestamp(
                   ask(fmt::format(
                       "SELECT to_char(approved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') "
                       "FROM reactor.payroll_attempt WHERE run_id = 5 AND attempt = {}",
                       attempt)))
            .value();
    };
    auto const outcome = [&](int attempt) { return workers::find_outcome(session_, 5, approved_at(attempt)); };
    EXPECT_FALSE(outcome(1).refusal || outcome(1).external_id) << "nothing is known yet";
    append(5, events::PayrollRunFailed{1, "No money.", true});
    react();
    EXPECT_EQ(outcome(1).refusal, "No money.");
    EXPECT_THAT(submissions(), IsEmpty()) << "the work left with the refusal";
    approve(5, 2);
    react();
    EXPECT_FALSE(outcome(2).refusal);
    ASSERT_EQ(submissions().at(0).attempt.attempt, 2);
    EXPECT_FALSE(workers::read_due_payments(session_, 5, 0).payments.empty()) << "another attempt pays the same";
    submit(5, "ext_5_2", 2);
    react();
    EXPECT_EQ(outcome(2).external_id, "ext_5_2");
    EXPECT_EQ(outcome(1).refusal, "No money.");
}

TEST_F(PayrollWorkTest, ReportsFindTheirAttempt) {
    record_starts();
    approve(5);
    approve(6);
    react();
    EXPECT_EQ(addressee(report("ext_5", {})), "nobody's");
    EXPECT_EQ(addressee(report("ext_5", {payment_id(5, 1)})), "5/1") << "before the provider's answer";
    EXPECT_EQ(addressee(report("ext_5", {payment_id(5, 1), payment_id(6, 1)})), "nobody's") << "which of them is it?";
    submit(5, "ext_5");
    react();
    EXPECT_EQ(addressee(report("ext_5", {})), "5/1");
    EXPECT_EQ(addressee(report("other", {payment_id(5, 1)})), "nobody's") << "the run has another id";
    append(5, events::PayrollRunFailed{1, "None was made.", false});
    react();
    EXPECT_EQ(addressee(report("ext_5", {})), "5/1 ended");
    approve(5, 2);
    react();
    EXPECT_EQ(addressee(report("ext_5_2", {payment_id(5, 1)})), "nobody's") << "which attempt is it?";
    submit(5, "ext_5_2", 2);
    react();
    EXPECT_EQ(addressee(report("ext_5_2", {})), "5/2");
    EXPECT_EQ(addressee(report("ext_5", {})), "5/1 ended");
}

TEST_F(PayrollWorkTest, ReportsOfTheSandboxAreNobodys) {
    record_starts();
    writer_.meta.sandbox = true;
    approve(5);
    react();
    EXPECT_EQ(addressee(report("x", {payment_id(5, 1)})), "nobody's");
    submit(5, "sim_pr_5");
    react();
    EXPECT_EQ(addressee(report("sim_pr_5", {})), "nobody's");
}

TEST_F(PayrollWorkTest, AReportIsKeptUntilItIsAppliedAndItsIdLonger) {
    ASSERT_TRUE(workers::store_callback(session_, "msg", report("ext_5", {})));
    EXPECT_FALSE(workers::store_callback(session_, "msg", report("ext_6", {})));
    EXPECT_EQ(callbacks().at(0).report.externalPayrollId.value, "ext_5");
    EXPECT_THAT(callbacks(), IsEmpty()) << "somebody has it";
    record_starts();
    approve(5);
    submit(5, "ext_5");
    react();
    EXPECT_EQ(callbacks().at(0).tries, 2) << "its run is known now: it is due at once";
    workers::finish_callback(session_, "msg");
    workers::postpone_callback(session_, "msg", milliseconds(0));
    EXPECT_THAT(callbacks(), IsEmpty());
    workers::prune_payroll(session_);
    EXPECT_FALSE(workers::store_callback(session_, "msg", report("ext_5", {}))) << "a replay of the same day";
    ask("UPDATE reactor.payroll_callback SET received_at = now() - interval '25 hours' RETURNING 1");
    workers::prune_payroll(session_);
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.payroll_callback"), "0");
}

TEST_F(PayrollWorkTest, NothingIsClaimedWhileTheReactorIsPaused) {
    record_starts();
    approve(5);
    approve(6);
    submit(6, "ext_6");
    react();
    ASSERT_TRUE(workers::store_callback(session_, "msg", report("ext_6", {})));
    EXPECT_TRUE(workers::pause(session_, workers::kPayrollReactor, "somebody", "no money"));
    EXPECT_THAT(submissions(), IsEmpty());
    EXPECT_THAT(polls(), IsEmpty());
    EXPECT_THAT(callbacks(), IsEmpty());
    auto const waiting = workers::count_payroll(session_);
    EXPECT_EQ(waiting.unsubmitted, 1);
    EXPECT_EQ(waiting.processing, 1);
    EXPECT_TRUE(workers::resume(session_, workers::kPayrollReactor));
    EXPECT_EQ(submissions().size(), 1U);
    EXPECT_EQ(polls().size(), 1U);
    EXPECT_EQ(callbacks().size(), 1U);
}

TEST_F(PayrollWorkTest, AttemptsThatEndedLongAgoLeave) {
    record_starts();
    approve(5);
    submit(5, "ext_5");
    append(5, events::PayrollRunPaid{});
    approve(6);
    react();
    ask("UPDATE reactor.payroll_attempt SET ended_at = now() - interval '89 days' WHERE run_id = 5 RETURNING 1");
    workers::prune_payroll(session_);
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.payroll_attempt"), "2");
    ask("UPDATE reactor.payroll_attempt SET ended_at = now() - interval '91 days' WHERE run_id = 5 RETURNING 1");
    workers::prune_payroll(session_);
    EXPECT_EQ(ask("SELECT string_agg(run_id::text, ',') FROM reactor.payroll_attempt"), "6");
}

}  // namespace
}  // namespace workforce::tests
