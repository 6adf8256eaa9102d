// Commands on runs of agents: how they start and end, and what is recorded of them while they are worked on.
#pragma once

#include <vector>

#include "commands/approval.hpp"
#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/agent_run.hpp"

namespace workforce::commands {

/// POST /api/agents/{id}/runs, and what triggers do: a run is queued. A plan of its own holds instead of the agent's,
/// which is trusted for what it does itself alone. Errors: AGENT_INACTIVE; PLAN_INVALID where a scripted run has no
/// plan; RUN_LIMIT_REACHED for a sixth live run, but of triggers, whose runs queue up to 1,000;
/// FACILITY_SCOPE_VIOLATION; VALIDATION_ERROR where nobody stands behind the credential.
struct StartRun {
    using Answer = events::AgentRun;
    Id agentId = 0;
    events::RunObject input;
    std::optional<events::Plan> plan;
    core::Nullable<Id> facilityId;  ///< that its calls are limited to; null: the agent's
    // The service fills in what follows; no request has it.
    Id runAs = 0;                               ///< user by whose rights it acts
    events::RunRequester requestedBy{};         ///< all zero: the caller
    core::Nullable<Id> triggerId{};             ///< that fired
    core::Nullable<events::RunValue> event{};   ///< what that saw, for templates
    core::Nullable<events::RunValue> output{};  ///< a template, instead of the agent's
    std::string lineage{};                      ///< of the credential that has it start; empty: none does
    std::int32_t depth = 0;                     ///< hops that agents caused before it
};
BOOST_DESCRIBE_STRUCT(StartRun, (), (input, plan, facilityId))
Result<Decision> decide(View const& view, StartRun const& command, Context const& context);
events::AgentRun answer(View const& view, StartRun const& command, Decision const& decision);
/// The event that queues the run, which gets that id, for who decides on more than the run: a trigger that fires.
/// Errors: as StartRun.
Result<NewEvent> queue_run(View const& view, StartRun const& command, Context const& context, Id run);

/// POST /api/agents/{id}/runs/{runId}/cancel. One that has ended stays as it is.
struct CancelRun {
    using Answer = events::AgentRun;
    Id agentId = 0;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(CancelRun, (), ())
Result<Decision> decide(View const& view, CancelRun const& command, Context const& context);
events::AgentRun answer(View const& view, CancelRun const& command, Decision const& decision);

/// What was cancelled.
struct CancelledRuns {
    std::int64_t cancelled = 0;
    std::vector<Id> runIds;
};
BOOST_DESCRIBE_STRUCT(CancelledRuns, (), (cancelled, runIds))

/// DELETE /api/agents/{id}/runs: up to 200 of the agent's live runs; nothing once none is left.
struct CancelRuns {
    using Answer = CancelledRuns;
    Id agentId = 0;
    bool deactivated = false;  ///< only what an inactive agent left behind
};
BOOST_DESCRIBE_STRUCT(CancelRuns, (), ())
Result<Decision> decide(View const& view, CancelRuns const& command, Context const& context);
CancelledRuns answer(View const& view, CancelRuns const& command, Decision const& decision);
/// Adds the events that cancel some of the live runs of an agent that is deactivated, up to 200, and reject the
/// approvals that these wait for.
void stop_runs(View const& view, Context const& context, Id agent, std::vector<NewEvent>& events);

/// A run as it is worked on, and whose it is.
struct RunInHand {
    events::AgentRunRecord run;
    std::int64_t version = 0;
    std::int64_t position = -1;  ///< in the log, of its last event before it was taken, or of one after that
    events::AgentRecord agent;
    std::int64_t agentVersion = 0;
    std::string timezone;  ///< of the run's facility, else of the organization
};
BOOST_DESCRIBE_STRUCT(RunInHand, (), (run, version, position, agent, agentVersion, timezone))

/// Of the installation: a queued run starts, where fewer than five of the agent's are worked on; one whose agent is no
/// more active is cancelled. Tells how it stands in any case. Errors: NOT_FOUND.
struct TakeRun {
    using Answer = RunInHand;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(TakeRun, (), ())
Result<Decision> decide(View const& view, TakeRun const& command, Context const& context);
RunInHand answer(View const& view, TakeRun const& command, Decision const& decision);

/// How far a run has come.
struct RunMark {
    std::int64_t version = 0;
    events::AgentRunStatus status = events::AgentRunStatus::running;
    Timestamp updatedAt;
};
BOOST_DESCRIBE_STRUCT(RunMark, (), (version, status, updatedAt))

/// Of the installation: what was done for a run that is at that version, and is running. Errors:
/// CONCURRENT_MODIFICATION where it is not, or is at another version: nothing is recorded then; those of
/// request_approval(). What follows an event that ends the run is left out.
struct RecordRun {
    using Answer = RunMark;
    Id id = 0;
    std::int64_t version = 0;
    std::vector<events::AgentRunEvent> events;
    std::optional<ApprovalRequest> approval{};    ///< of a call that waits from then on, whose id is new
    events::AgentRunPendingApproval waits_for{};  ///< that call
};
Result<Decision> decide(View const& view, RecordRun const& command, Context const& context);
RunMark answer(View const& view, RecordRun const& command, Decision const& decision);

/// What a run that waits hears of its approval: it goes on with what the call gave, or ends. As ApprovalWaiter::hear.
bool hear_run(View const& view, Context const& context, events::ApprovalRecord const& approval,
              ApprovalOutcome const& outcome, std::vector<NewEvent>& events);

/// Adds the event that rejects the approval that a run waits for, whose call is not to be made any more.
void end_wait(View const& view, Context const& context, events::AgentRunRecord const& run, events::RejectionCause cause,
              std::vector<NewEvent>& events);

/// An event of a run, which tells of it what brief_of() says. `calls` were made since, that the run does not show yet.
NewEvent run_event(events::AgentRunRecord const& run, events::AgentRunEvent event, std::int64_t calls = 0);

}  // namespace workforce::commands
