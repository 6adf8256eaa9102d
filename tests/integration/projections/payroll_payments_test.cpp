// Payments as events of their runs leave them, however the log is cut into batches.
#include "projections/payroll_payments/payroll_payments.hpp"

#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using events::PaymentStatus;
using events::PayrollRunStatus;

constexpr core::Id kFirstRun = 50;
constexpr core::Id kSecondRun = 51;

class PayrollPaymentsTest : public ProjectionsTest {
   protected:
    PayrollPaymentsTest() {
        writer_.meta.organization = 7;
        writer_.meta.facility = 3;
    }

    void tell(core::Id run, events::PayrollRunEvent event) { writer_.append(Kind::payroll_run, run, event); }
    /// Payments of the people 11 and 12, of which the run was approved.
    void approve(core::Id run) {
        events::PayrollRunPaymentsCreated created{"EUR", {}};
        for (core::Id const staff : {11, 12}) {
            events::PaymentMade made;
            made.staffId = staff;
            made.netAmount = {staff * 100};
            made.paymentId = events::payment_id(run, static_cast<std::size_t>(staff - 10));
            created.payments.push_back(made);
        }
        tell(run, created);
        tell(run, events::PayrollRunApproved{1});
    }
    void settle(core::Id run, std::size_t number, PaymentStatus status, std::string external = {}) {
        core::Nullable<std::string> id;
        if (!external.empty()) id = std::move(external);
        tell(run, events::PayrollRunPaymentsSettled{{{events::payment_id(run, number), status, id}}});
    }
    void explain(core::Id run, std::size_t number, char const* reason) {
        tell(run, events::PayrollRunPaymentExplained{events::payment_id(run, number), core::LongText(reason),
                                                     "staff/" + std::to_string(10 + number)});
    }

    /// The run's payments: "1 paid pay_1 2026-07-24 | 2 failed - Closed".
    std::string payments(core::Id run = kFirstRun) {
        fold();
        return ask(
            "SELECT string_agg(concat_ws(' ', id % 100000, status, coalesce(external_payment_id, '-'), "
            "NULLIF(failure_reason, ''), (paid_at AT TIME ZONE 'UTC')::date), ' | ' ORDER BY id) "
            "FROM read.payroll_payment WHERE organization_id = 7 AND NOT is_sandbox AND facility_id = 3 "
            "AND payroll_run_id = " +
            std::to_string(run));
    }
    /// Events that were folded one after the other make the same rows all at once.
    void expect_same_in_one_batch() {
        fold();
        auto const before = checksums();
        projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {});
        EXPECT_EQ(checksums(), before);
    }

    EventWriter writer_{*log_, keyring_, 0};
};

TEST_F(PayrollPaymentsTest, StandAsTheirRunDoesUntilTheyAreSettled) {
    approve(kFirstRun);
    EXPECT_EQ(payments(), "1 processing - | 2 processing -");
    tell(kFirstRun, events::PayrollRunFailed{1, "No cover", true});
    EXPECT_EQ(payments(), "1 pending - | 2 pending -");
    tell(kFirstRun, events::PayrollRunApproved{2});
    tell(kFirstRun, events::PayrollRunSubmitted{2, "sim_pr_50", PayrollRunStatus::processing});
    settle(kFirstRun, 1, PaymentStatus::paid, "pay_1");
    EXPECT_EQ(payments(), "1 paid pay_1 2026-07-24 | 2 processing -");
    settle(kFirstRun, 2, PaymentStatus::failed, "pay_2");
    EXPECT_EQ(payments(), "1 paid pay_1 2026-07-24 | 2 failed pay_2");
    explain(kFirstRun, 2, "Closed account");
    tell(kFirstRun, events::PayrollRunPartiallyPaid{});
    EXPECT_EQ(payments(), "1 paid pay_1 2026-07-24 | 2 failed pay_2 Closed account");
    tell(kFirstRun, events::PayrollRunPersonErased{12});
    EXPECT_EQ(payments(), "1 paid pay_1 2026-07-24 | 2 failed pay_2");
    expect_same_in_one_batch();
}

TEST_F(PayrollPaymentsTest, AnotherAttemptBeginsAnew) {
    approve(kFirstRun);
    for (std::size_t const number : {std::size_t{1}, std::size_t{2}}) {
        settle(kFirstRun, number, PaymentStatus::failed, "pay");
        explain(kFirstRun, number, "Closed account");
    }
    tell(kFirstRun, events::PayrollRunFailed{1, "None of the payments was made.", false});
    EXPECT_EQ(payments(), "1 failed pay Closed account | 2 failed pay Closed account");
    tell(kFirstRun, events::PayrollRunApproved{2});
    EXPECT_EQ(payments(), "1 processing - | 2 processing -");
    settle(kFirstRun, 2, PaymentStatus::paid);
    EXPECT_EQ(payments(), "1 processing - | 2 paid - 2026-07-24");
    expect_same_in_one_batch();
}

TEST_F(PayrollPaymentsTest, EndWithTheirRunAlone) {
    approve(kFirstRun);
    approve(kSecondRun);
    tell(kFirstRun, events::PayrollRunFailed{1, "No cover", true});
    tell(kFirstRun, events::PayrollRunCancelled{});
    EXPECT_EQ(payments(), "1 cancelled - | 2 cancelled -");
    EXPECT_EQ(payments(kSecondRun), "1 processing - | 2 processing -");
    tell(kFirstRun, events::PayrollRunDeleted{});
    EXPECT_EQ(payments(), "");
    EXPECT_EQ(payments(kSecondRun), "1 processing - | 2 processing -");
    expect_same_in_one_batch();
}

}  // namespace
}  // namespace workforce::tests
