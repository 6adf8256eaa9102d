// Handlers of verbs in which the payroll provider has a word.
#pragma once

#include "operations/call.hpp"
#include "workers/payroll/provider.hpp"

namespace workforce::operations {

/// Approves the run, and waits for what becomes of its submission, which a reactor makes: ten seconds at most. Answers
/// the run with the provider's id, or without it where that is not known yet; UPSTREAM_ERROR where the provider refused
/// the run.
boost::asio::awaitable<Outcome> approve_payroll_run(Call& call);

/// Cancels the run. One that is processing, only if the provider still can. Errors: unanswered_problem() where it does
/// not say; nothing is recorded then.
boost::asio::awaitable<Outcome> cancel_payroll_run(Call& call);

/// What the installation asks for when a provider says something of a run: payroll_runs.record_submission,
/// .record_refusal, .settle_payments and .record_cancellation.
std::vector<Operation> payroll_provider_operations();

}  // namespace workforce::operations
