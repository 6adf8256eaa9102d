// Payments that nobody makes.
#include "workers/payroll/simulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace workforce::workers {

using boost::asio::awaitable;

namespace {

constexpr std::string_view kWhyItFails = "The simulated provider fails payments to addresses that end with +fail.";
/// So long after a question that came too early, and at most this often.
constexpr std::chrono::milliseconds kAgain{250};

}  // namespace

awaitable<SubmissionResult> SimulatedPayroll::submit(PayrollAttempt const& attempt, PayrollSource const&) const {
    co_return SubmissionResult{SubmissionResult::Kind::accepted, fmt::format("sim_pr_{}", attempt.run)};
}

awaitable<FindResult> SimulatedPayroll::find(PayrollAttempt const& attempt) const {
    co_return fmt::format("sim_pr_{}", attempt.run);
}

awaitable<tl::expected<PayrollReport, std::string>> SimulatedPayroll::get(PayrollAttempt const& attempt,
                                                                          PayrollSource const& source) const {
    PayrollReport report;
    report.externalPayrollId = attempt.external_id.value_or("");
    bool const over = attempt.submitted_at && core::now().ms >= attempt.submitted_at->ms + delay_.count();
    if (!over) co_return report;
    bool any_paid = false, any_failed = false;
    for (core::Id after = 0;;) {
        auto const due = co_await source.payments(attempt.run, after);
        if (due.payments.empty()) break;
        after = due.payments.back().paymentId;
        std::vector<core::Id> staff;
        for (auto const& payment : due.payments) staff.push_back(payment.staffId);
        auto const failing = co_await source.made_to_fail(attempt.organization, attempt.sandbox, std::move(staff));
        std::set<core::Id> const fails(failing.begin(), failing.end());
        for (auto const& payment : due.payments) {
            auto& told = report.payments.value.emplace_back();
            told.paymentId = payment.paymentId;
            bool const failed = fails.contains(payment.staffId);
            (failed ? any_failed : any_paid) = true;
            told.status.value = failed ? events::PaymentStatus::failed : events::PaymentStatus::paid;
            if (failed) {
                told.failureReason = std::string(kWhyItFails);
            } else {
                told.externalPaymentId = core::ShortText(fmt::format("sim_pp_{}", payment.paymentId));
            }
        }
    }
    report.status = !any_failed ? ReportedStatus::paid
                    : any_paid  ? ReportedStatus::partially_paid
                                : ReportedStatus::failed;
    co_return report;
}

awaitable<CancelResult> SimulatedPayroll::cancel(PayrollAttempt const& attempt) const {
    co_return attempt.submitted_at&& core::now().ms < attempt.submitted_at -> ms + delay_.count();
}

std::chrono::milliseconds SimulatedPayroll::next_poll(int polls) const { return polls == 0 ? delay_ : kAgain; }

}  // namespace workforce::workers
