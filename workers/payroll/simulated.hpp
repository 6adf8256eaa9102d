// The provider that comes with the program, and pays nobody.
#pragma once

#include "workers/payroll/provider.hpp"

namespace workforce::workers {

/// Takes every run, as `sim_pr_<id>`, and settles it after a delay: payments are paid, but those of people whose e-mail
/// address ends its name with `+fail`.
class SimulatedPayroll final : public PayrollProvider {
   public:
    explicit SimulatedPayroll(std::chrono::milliseconds delay) : delay_(delay) {}

    boost::asio::awaitable<SubmissionResult> submit(PayrollAttempt const& attempt,
                                                    PayrollSource const& source) const override;
    boost::asio::awaitable<FindResult> find(PayrollAttempt const& attempt) const override;
    boost::asio::awaitable<tl::expected<PayrollReport, std::string>> get(PayrollAttempt const& attempt,
                                                                         PayrollSource const& source) const override;
    /// Until it is settled it can be taken back.
    boost::asio::awaitable<CancelResult> cancel(PayrollAttempt const& attempt) const override;
    [[nodiscard]] std::chrono::milliseconds next_poll(int polls) const override;

   private:
    std::chrono::milliseconds const delay_;
};

}  // namespace workforce::workers
