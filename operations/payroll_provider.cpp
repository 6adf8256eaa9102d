// Waiting for a provider, and asking it.
#include "operations/payroll_provider.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "commands/payroll_run.hpp"
#include "core/logging.hpp"
#include "operations/declare.hpp"
#include "operations/provider_call.hpp"
#include "projections/payroll_runs/payroll_runs.hpp"
#include "workers/payroll/work_store.hpp"

namespace workforce::operations {

/// commands::SettlePayments as the installation asks for it: of more payments than a client's list may have.
struct PaymentSettlement {
    std::int64_t attempt = 0;
    workers::ReportedPayments payments;
};
BOOST_DESCRIBE_STRUCT(PaymentSettlement, (), (attempt, payments))

/// That a provider took an attempt back.
struct RecordedCancellation {
    std::int64_t attempt = 0;
};
BOOST_DESCRIBE_STRUCT(RecordedCancellation, (), (attempt))

namespace {

using boost::asio::awaitable;
using Clock = std::chrono::steady_clock;

/// Whoever approves waits so long for the provider (domain 16).
constexpr std::chrono::seconds kProviderPatience{10};
/// An answer needs so long to get to whoever forwarded the call.
constexpr std::chrono::milliseconds kAnswerTime{500};
constexpr std::chrono::milliseconds kFirstOutcomeLook{40};
constexpr std::chrono::milliseconds kLongestOutcomeLook{250};

core::TenantContext session_of(Call const& call) { return {call.meta.organization, call.meta.sandbox, false}; }

/// What became of the approval, once that is known or time is over. A database that is away tells nothing: the run is
/// approved whatever becomes of the wait.
awaitable<workers::ApprovalOutcome> await_submission(Call& call, Id run, core::Timestamp approved_at) {
    auto const until = std::min(Clock::now() + kProviderPatience, call.meta.deadline - kAnswerTime);
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    for (auto pause = kFirstOutcomeLook;; pause = std::min(2 * pause, kLongestOutcomeLook)) {
        timer.expires_after(pause);
        co_await timer.async_wait(boost::asio::use_awaitable);
        workers::ApprovalOutcome outcome;
        try {
            outcome = co_await call.services.reads.run(
                [run, approved_at](core::Connection& connection) {
                    return workers::find_outcome(connection, run, approved_at);
                },
                session_of(call));
        } catch (core::DatabaseUnavailable const&) {
            co_return outcome;
        } catch (core::DatabaseBusy const&) {  // it is looked for again
        }
        if (outcome.external_id || outcome.refusal || Clock::now() >= until) co_return outcome;
    }
}

/// The attempt by which the provider has a run that the caller sees, at a version that the caller expects.
awaitable<std::optional<workers::PayrollAttempt>> find_cancellable(Call& call) {
    auto const scope = read_scope(call);
    if (!scope) co_return std::nullopt;
    co_await await_own_writes(call);
    auto const run = call.input.path.id();
    auto const document = co_await projections::payroll_runs().find(call.services.database_of(*scope), *scope, run);
    if (!document) co_return std::nullopt;
    auto const& expected = call.meta.expected_versions;
    if (expected && std::ranges::count(*expected, document->version) == 0) co_return std::nullopt;
    co_return co_await call.services.reads.run(
        [run](core::Connection& connection) { return workers::find_processing(connection, run); }, session_of(call));
}

}  // namespace

awaitable<Outcome> approve_payroll_run(Call& call) {
    auto outcome = co_await run_command<commands::ApprovePayrollRun>(call);
    if (outcome.status >= 300) co_return outcome;
    auto run = core::from_stored_json<events::PayrollRun>(outcome.body);
    auto const known = co_await await_submission(call, run.id, run.approvedAt.value.value_or(core::Timestamp{}));
    if (known.refusal) {
        auto const message = "The payroll provider refused the run: " + *known.refusal;
        co_return refuse(call, {core::Code::upstream_error,
                                message,
                                {},
                                "Mend what the provider names, and approve the run again under a new key."});
    }
    outcome.unsettled = !known.external_id;
    if (outcome.unsettled) co_return outcome;
    // The outcome is that of the submission, whose event names this request.
    if (!outcome.replayed && !call.caller->sandbox) outcome.marker = "payroll_run";
    run.externalPayrollId = *known.external_id;
    run.updatedAt = known.submitted_at.value_or(run.updatedAt);
    outcome.body = core::to_json(run);
    if (outcome.version > 0) ++outcome.version;  // by the one event that tells of the submission
    co_return outcome;
}

awaitable<Outcome> cancel_payroll_run(Call& call) {
    auto command = read_command<commands::CancelPayrollRun>(call);
    if (command) {
        if (auto const attempt = co_await find_cancellable(call)) {
            auto const agreed = co_await call.services.payroll->of(call.meta.sandbox).cancel(*attempt);
            if (!agreed) {
                core::log(
                    core::Level::warn, "a payroll provider did not say whether it cancels a run",
                    {{"run", attempt->run}, {"request_id", call.meta.request_id}, {"error", agreed.error().reason}});
                co_return co_await refuse_asked(call, unanswered_problem("The payroll provider", agreed.error()));
            }
            if (*agreed) command->recalled = attempt->attempt;
        }
    }
    co_return co_await submit(call, submission_of(call, std::move(command)), 0);
}

namespace {

awaitable<Outcome> record_cancellation(Call& call) {
    auto command = read_command<RecordedCancellation>(call).map([&](RecordedCancellation const& recorded) {
        return commands::CancelPayrollRun{.id = call.input.path.id(), .recalled = recorded.attempt};
    });
    co_return co_await submit(call, submission_of(call, std::move(command)), 0);
}

awaitable<Outcome> settle_payments(Call& call) {
    auto command = read_command<PaymentSettlement>(call).map([&](PaymentSettlement settlement) {
        commands::SettlePayments settle{call.input.path.id(), settlement.attempt, {}};
        for (auto& payment : settlement.payments.value) {
            settle.payments.push_back({payment.paymentId, payment.status.value, std::move(payment.externalPaymentId),
                                       std::move(payment.failureReason)});
        }
        return settle;
    });
    co_return co_await submit(call, submission_of(call, std::move(command)), 0);
}

template <class Command>
Operation told_by_provider(std::string_view name, std::string_view summary) {
    return command<Command>(name, summary).by_installation().on(events::Kind::payroll_run);
}

}  // namespace

std::vector<Operation> payroll_provider_operations() {
    auto settled =
        told_by_provider<commands::SettlePayments>("payroll_runs.settle_payments", "What a provider says of payments");
    settled.handler = settle_payments;
    auto cancelled =
        told_by_provider<commands::CancelPayrollRun>("payroll_runs.record_cancellation", "A provider cancelled a run");
    cancelled.handler = record_cancellation;
    return {
        told_by_provider<commands::RecordPayrollSubmission>("payroll_runs.record_submission", "A provider has a run"),
        told_by_provider<commands::RecordPayrollRefusal>("payroll_runs.record_refusal", "A provider refused a run"),
        std::move(settled),
        std::move(cancelled),
    };
}

}  // namespace workforce::operations
