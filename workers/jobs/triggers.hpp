// What has triggers fire: an operation of the installation, for schedules by a due job, for events by a reactor.
#pragma once

#include "core/connection.hpp"
#include "core/metrics.hpp"
#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// The operation that has a trigger fire.
inline constexpr std::string_view kFireTrigger = "triggers.fire";

/// For how many seconds the schedule that has waited longest is due; 0 while none is. The session is as due_session()
/// has it. Blocks. Errors: pqxx's.
double overdue_seconds(core::Connection& connection);

/// Asks as `ask` does, and counts what came of triggers that were to fire, by result. The metrics outlive it.
AskOperation counting_dispatches(core::Metrics& metrics, AskOperation ask);
/// The same for who blocks.
SubmitOperation counting_dispatches(core::Metrics& metrics, SubmitOperation submit);

}  // namespace workforce::workers
