// The table of due jobs.
#include <array>
#include <string>

#include "commands/api_key.hpp"
#include "commands/approval.hpp"
#include "commands/credential.hpp"
#include "commands/payroll_run.hpp"
#include "commands/shift.hpp"
#include "commands/shift_claim.hpp"
#include "commands/shift_offer.hpp"
#include "commands/shift_swap_request.hpp"
#include "projections/engine/statements.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/jobs/triggers.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

template <class Command>
commands::Submission of_ids(std::vector<core::Id> ids, commands::Context context) {
    return commands::make_submission(Command{std::move(ids)}, std::move(context));
}

}  // namespace

std::span<DueJob const> due_jobs() {
    static std::string const late_shifts =
        projections::with_section(sql::jobs_due_shifts, "began", "s.starts_at <= $2::timestamptz - interval '7 days'");
    static std::array const all{
        // Starts and completes shifts when their time has come.
        DueJob{"shift_clock", minutes(1), sql::jobs_due_shifts, of_ids<commands::MoveDueShifts>},
        // As shift_clock, for what nobody served at its time.
        DueJob{"shift_clock_late", hours(1), late_shifts, of_ids<commands::MoveDueShifts>},
        // Records the end of rotated secrets and of API keys; neither opens anything past its end, recorded or not.
        DueJob{"key_clock", minutes(1), sql::jobs_due_api_keys, of_ids<commands::EndDueApiKeys>},
        // Marks credentials whose date has passed as expired, and has holders told of what will expire.
        DueJob{"credential_clock", minutes(10), sql::jobs_due_credentials, of_ids<commands::MoveDueCredentials>},
        // Ends what waited for a decision for too long; nobody can decide past its end, recorded or not.
        DueJob{"approval_clock", minutes(1), sql::jobs_due_approvals, of_ids<commands::ExpireApprovals>},
        // Ends claims of shifts that take nobody any more; nobody can approve one, recorded or not.
        DueJob{"shift_claim_clock", minutes(1), sql::jobs_due_shift_claims, of_ids<commands::ExpireShiftClaims>},
        // Ends requests whose swap can't happen any more; nobody can accept or approve one, ended or not.
        DueJob{"shift_swap_clock", minutes(1), sql::jobs_due_shift_swaps, of_ids<commands::ExpireShiftSwaps>},
        // Likewise offers, and those whose time is over.
        DueJob{"shift_offer_clock", minutes(1), sql::jobs_due_shift_offers, of_ids<commands::ExpireShiftOffers>},
        // Marks logs as paid whose run was settled and had more of them than the last settlement marked.
        DueJob{"payroll_clock", seconds(10), sql::jobs_due_payroll, of_ids<commands::MarkTimesheetsPaid>,
               events::kPaymentsOfEvent},
        // Has schedules fire at their moments. What their runs get is looked up, so it is an operation.
        DueJob{.name = "trigger_clock", .period = seconds(2), .due = sql::jobs_due_triggers, .verb = kFireTrigger},
    };
    return all;
}

}  // namespace workforce::workers
