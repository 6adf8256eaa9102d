// Payroll runs that are with a provider, or on their way there, in the database.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "workers/engine/work_table.hpp"
#include "workers/payroll/provider.hpp"

// All functions here block. Errors: pqxx's.
namespace workforce::workers {

inline constexpr std::string_view kPayrollReactor = "payroll";

/// Runs that were approved and that the provider does not have yet.
WorkTable const& payroll_work();

/// What is to be done about an attempt.
struct PayrollTask {
    PayrollAttempt attempt;
    std::string work_id{};  ///< of the row of work; empty: the provider has the run
    std::string event_id;   ///< of the approval
    std::string correlation_id;
    int tries = 0;  ///< this one included
};

/// Takes attempts that are to be submitted, at most so many, for `lease` (WorkTable::claim).
std::vector<PayrollTask> claim_submissions(core::Connection& connection, int most, std::chrono::milliseconds lease);
/// Takes attempts of which the provider is to be asked how they stand. None while the reactor is paused.
std::vector<PayrollTask> claim_polls(core::Connection& connection, int most, std::chrono::milliseconds lease);
/// Has an attempt asked for again after `pause`, unless it ended.
void postpone_poll(core::Connection& connection, PayrollAttempt const& attempt, std::chrono::milliseconds pause);

/// A report that the provider called back with, and the attempt that it is of, as far as that is known.
struct PayrollCallback {
    std::string id;
    PayrollReport report;
    std::optional<PayrollTask> task{};
    bool ended = false;  ///< the attempt came to its end before
    int tries = 0;
    std::chrono::seconds age{};
};

/// Keeps a report until it is applied. False where one of that id came before.
bool store_callback(core::Connection& connection, std::string_view id, PayrollReport const& report);
/// Takes reports that are to be applied. A report is of the live attempt that has its id; of a run that was approved
/// once alone and whose id is not known yet, if it tells of that run's payments. None while the reactor is paused.
std::vector<PayrollCallback> claim_callbacks(core::Connection& connection, int most, std::chrono::milliseconds lease);
/// It was applied, or nobody will: its id alone is kept.
void finish_callback(core::Connection& connection, std::string_view id);
void postpone_callback(core::Connection& connection, std::string_view id, std::chrono::milliseconds pause);

/// What a provider is told of a run.
PayrollBrief read_brief(core::Connection& connection, core::Id run);
DuePayments read_due_payments(core::Connection& connection, core::Id run, core::Id after);
/// The last of the run's payments; 0 where there are none any more.
core::Id read_last_payment(core::Connection& connection, core::Id run);
/// The session is of role workforce_projector.
std::vector<core::Id> made_to_fail(core::Connection& connection, core::Id organization, bool sandbox,
                                   std::vector<core::Id> const& staff);

/// What became of an approval: with neither member, nothing is known yet.
struct ApprovalOutcome {
    std::optional<std::string> external_id{};
    std::optional<core::Timestamp> submitted_at{};
    std::optional<std::string> refusal{};
};
/// That of the approval of that moment. The session is a tenant's.
ApprovalOutcome find_outcome(core::Connection& connection, core::Id run, core::Timestamp approved_at);
/// The attempt by which a provider has the run now; nothing where none does. The session is a tenant's.
std::optional<PayrollAttempt> find_processing(core::Connection& connection, core::Id run);

/// For metrics: runs whose provider does not have them, and since when the oldest waits.
struct PayrollBacklog {
    std::int64_t unsubmitted = 0;
    double oldest_seconds = 0;
    std::int64_t processing = 0;  ///< that the provider has
};
PayrollBacklog count_payroll(core::Connection& connection);

/// Deletes what nobody asks for any more: ids of reports after a day, attempts that ended 90 days ago.
void prune_payroll(core::Connection& connection);

}  // namespace workforce::workers
