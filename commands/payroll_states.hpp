// What commands on payroll runs share.
#pragma once

#include <map>

#include "commands/payroll_run.hpp"
#include "events/timesheet.hpp"

namespace workforce::commands {

NewEvent run_event(Id id, core::Nullable<Id> const& facility, events::PayrollRunEvent event);
NewEvent run_event(events::PayrollRunRecord const& run, events::PayrollRunEvent event);

/// The run where the caller sees it: who is bound to facilities sees runs of these. Errors: NOT_FOUND.
Result<events::PayrollRunRecord const*> find_run(View const& view, Id id, Context const& context);

/// The run as callers see it; it is there.
events::PayrollRun shown_run(View const& view, Id id);

/// INVALID_STATE_TRANSITION of a command that the run's state forbids.
tl::unexpected<core::Problem> refuse_move(events::PayrollRunRecord const& run, std::string_view command,
                                          std::string const& reason = {});

/// TIMESHEET_LOCKED, naming the first hundred of the logs.
tl::unexpected<core::Problem> refuse_locked(std::vector<Id> timesheets, std::string message);

/// What each person gets, by their ids.
using Payments = std::map<Id, events::PaymentAmounts>;

/// What the logs and adjustments come to. The logs are looked up at once; throws NotResident.
Payments payments_of(View const& view, std::span<Id const> timesheets,
                     std::span<events::PayrollAmount const> adjustments);

/// Adds the events by which up to `most` of these logs, which the run holds, are paid or free: `settled` says what came
/// of its payments. Throws NotResident.
void release_timesheets(View const& view, events::PayrollRunRecord const& run, std::string const& settled,
                        std::span<Id const> timesheets, std::vector<NewEvent>& events);

}  // namespace workforce::commands
