// Runs of agents (domain 1.11, 6.5), their events, and how they fold: a run is the fold of its stream, and each step is
// an event of it. What it was given, what it did and what came of it is sealed under the run's own key, so that a run
// can be forgotten as a person is.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/agent.hpp"
#include "events/agent_plan.hpp"
#include "events/approval.hpp"
#include "events/index.hpp"

namespace workforce::events {

enum class AgentRunStatus : std::uint8_t { queued, running, pending_approval, completed, failed, rejected, cancelled };
BOOST_DESCRIBE_ENUM(AgentRunStatus, queued, running, pending_approval, completed, failed, rejected, cancelled)
enum class RunStepStatus : std::uint8_t { pending, ok, error, deferred, skipped };
BOOST_DESCRIBE_ENUM(RunStepStatus, pending, ok, error, deferred, skipped)

/// Whether nothing is to come of a run any more.
constexpr bool has_ended(AgentRunStatus status) { return status > AgentRunStatus::pending_approval; }

/// The most bytes of all that a run was given and gave.
inline constexpr std::int64_t kMostRunBytes = 4 << 20;

/// Why a run or a step failed: a code of domain 5, and for people what happened.
struct RunError {
    std::string code;
    std::string message;
};
BOOST_DESCRIBE_STRUCT(RunError, (), (code, message))

/// Who had a run start: a credential and the user behind it; a trigger is the system.
struct RunRequester {
    ActorType type = ActorType::system;
    Id id = 0;
    Id userId = 0;
};
BOOST_DESCRIBE_STRUCT(RunRequester, (), (type, id, userId))

struct RunUsage {
    std::int64_t toolCalls = 0;
    std::int64_t inputTokens = 0;
    std::int64_t outputTokens = 0;
};
BOOST_DESCRIBE_STRUCT(RunUsage, (), (toolCalls, inputTokens, outputTokens))

/// One call of a step, or none where it was skipped.
struct RunCall {
    RunValue arguments{"{}"};  ///< as they were sent, without templates
    RunStepStatus status = RunStepStatus::pending;
    core::Nullable<RunError> error;
    core::Nullable<Id> approvalId;
    core::Nullable<Timestamp> startedAt;
    core::Nullable<Timestamp> finishedAt;
};
BOOST_DESCRIBE_STRUCT(RunCall, (), (arguments, status, error, approvalId, startedAt, finishedAt))

/// What became of a step. Of one with `forEach` `items` has each call, and `result` is the array of what they gave.
struct RunStep : RunCall {
    std::string id;
    std::string tool;
    core::AnyJson<static_cast<std::size_t>(kMostRunBytes)> result;  ///< null: none, or none yet
    core::AbsentOrNull<std::vector<RunCall>> items;
};
BOOST_DESCRIBE_STRUCT(RunStep, (RunCall), (id, tool, result, items))

/// What a run is of; fixed.
struct RunFacts {
    Id agentId = 0;
    core::Nullable<Id> triggerId;
    AgentExecutor executor = AgentExecutor::scripted;
    core::Nullable<Id> facilityId;  ///< that its calls are limited to
    Id runAsUserId = 0;
    RunRequester requestedBy;
};
BOOST_DESCRIBE_STRUCT(RunFacts, (), (agentId, triggerId, executor, facilityId, runAsUserId, requestedBy))

struct RunStanding {
    AgentRunStatus status = AgentRunStatus::queued;
    RunObject input;
    Plan plan;
    std::vector<RunStep> steps;
    core::Nullable<RunValue> output;
    core::Nullable<RunError> error;
    core::Nullable<Id> approvalId;  ///< that it waits for, or that ended it
    RunUsage usage;
    std::string correlationId;  ///< request id of its first cause
    core::Nullable<Timestamp> startedAt;
    core::Nullable<Timestamp> completedAt;
    bool isSandbox = false;
};
BOOST_DESCRIBE_STRUCT(RunStanding, (),
                      (status, input, plan, steps, output, error, approvalId, usage, correlationId, startedAt,
                       completedAt, isSandbox))

struct AgentRun : Identified, RunFacts, RunStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(AgentRun, (Identified, RunFacts, RunStanding, Stamped), ())

/// It is to be done. `event` is what a trigger saw, for templates. The people are those whom all of that names.
struct AgentRunQueued : RunFacts, NamedPeople {
    static constexpr std::string_view kType = "agent_run.queued";
    static constexpr std::int32_t kVersion = 2;
    /// Of the agent whose plan, output, limits and mode these are; null: version 1 of this event does not say.
    core::Nullable<std::int64_t> agentVersion;
    AgentLimits limits;
    AgentApprovalMode approvalMode = AgentApprovalMode::default_;  ///< by which its calls wait, at least
    core::Internal<std::string> lineage;  ///< of the credential that had it start; empty: none did
    std::int32_t depth = 0;               ///< hops that agents caused before it
    core::Personal<RunObject> input;
    core::Personal<Plan> plan;
    core::Personal<core::Nullable<RunValue>> output;  ///< a template
    core::Personal<core::Nullable<RunValue>> event;
};
BOOST_DESCRIBE_STRUCT(AgentRunQueued, (RunFacts, NamedPeople),
                      (agentVersion, limits, approvalMode, lineage, depth, input, plan, output, event))

/// Somebody works on it.
struct AgentRunStarted {
    static constexpr std::string_view kType = "agent_run.started";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(AgentRunStarted, (), ())

/// In the place of a tool that there is none of: what a model makes up may be anything, and stands in what is sealed.
inline constexpr std::string_view kUnknownTool = "unknown";

/// Which call of a run it is: of a step, and of one with `forEach` of an item, from 0. `tool` is kUnknownTool or names
/// one; records of before may have what a model made up.
struct RunPlace {
    std::string step;
    core::Nullable<std::int64_t> item;
    std::string tool;
};
BOOST_DESCRIBE_STRUCT(RunPlace, (), (step, item, tool))

/// What came of a call, or that none was made.
struct CallFinding {
    RunStepStatus status = RunStepStatus::ok;  ///< or error, or skipped
    core::Personal<RunValue> result;
    core::Personal<core::Nullable<RunError>> error;
};
BOOST_DESCRIBE_STRUCT(CallFinding, (), (status, result, error))

/// A call, or all of a step, is over. `last` tells that no item of the step follows.
struct AgentRunStepFinished : RunPlace, CallFinding, NamedPeople {
    static constexpr std::string_view kType = "agent_run.step_finished";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<RunValue> arguments;
    core::Nullable<Timestamp> startedAt;  ///< null: no call was made
    std::string requestId;                ///< of the call; empty: none was made
    bool last = true;
};
BOOST_DESCRIBE_STRUCT(AgentRunStepFinished, (RunPlace, CallFinding, NamedPeople),
                      (arguments, startedAt, requestId, last))

/// A turn of a model is over: what it said, as its executor keeps it, and what that cost. The agent's version tells by
/// which instructions and tools it was asked. Version 1 of this event says neither that nor the model.
struct AgentRunTurnFinished {
    static constexpr std::string_view kType = "agent_run.turn_finished";
    static constexpr std::int32_t kVersion = 2;
    core::Personal<RunValue> turn;
    std::int64_t inputTokens = 0;
    std::int64_t outputTokens = 0;
    core::Nullable<core::ShortText> model{};  ///< as the operator named it
    core::Nullable<std::int64_t> agentVersion{};
};
BOOST_DESCRIBE_STRUCT(AgentRunTurnFinished, (), (turn, inputTokens, outputTokens, model, agentVersion))

/// What whoever hears of a run alone by one event is to know of it, as it is then.
struct RunBrief {
    Id agentId = 0;
    core::Nullable<Id> triggerId;
    RunRequester requestedBy;
    core::Nullable<Timestamp> startedAt;
    std::int64_t toolCalls = 0;
};
BOOST_DESCRIBE_STRUCT(RunBrief, (), (agentId, triggerId, requestedBy, startedAt, toolCalls))

/// A call waits for a person, and the run with it.
struct AgentRunPendingApproval : RunPlace {
    static constexpr std::string_view kType = "agent_run.pending_approval";
    static constexpr std::int32_t kVersion = 1;
    Id approvalId = 0;
    Timestamp expiresAt;
    core::Personal<RunValue> arguments;
    core::Nullable<Timestamp> startedAt;
    bool last = true;
    RunBrief run{};
};
BOOST_DESCRIBE_STRUCT(AgentRunPendingApproval, (RunPlace), (approvalId, expiresAt, arguments, startedAt, last, run))

/// A person approved the call, which was done: what came of it.
struct AgentRunResumed : CallFinding {
    static constexpr std::string_view kType = "agent_run.resumed";
    static constexpr std::int32_t kVersion = 1;
    Id approvalId = 0;
};
BOOST_DESCRIBE_STRUCT(AgentRunResumed, (CallFinding), (approvalId))

struct AgentRunCompleted {
    static constexpr std::string_view kType = "agent_run.completed";
    static constexpr std::int32_t kVersion = 1;
    core::Personal<RunValue> output;
    RunBrief run{};
};
BOOST_DESCRIBE_STRUCT(AgentRunCompleted, (), (output, run))

/// It ended by an error. `message` may tell of what it was given.
struct AgentRunFailed {
    static constexpr std::string_view kType = "agent_run.failed";
    static constexpr std::int32_t kVersion = 1;
    std::string code;
    core::Personal<core::LongText> message;
    core::Nullable<Id> approvalId{};  ///< that nobody decided on in time
    RunBrief run{};
};
BOOST_DESCRIBE_STRUCT(AgentRunFailed, (), (code, message, approvalId, run))

/// Why the call that a run waited for is not made: a person rejected it, whoever asked for it took it back, or what it
/// says was erased. The names are those of RejectionCause.
enum class RunRejection : std::uint8_t { rejected, withdrawn, erased };
BOOST_DESCRIBE_ENUM(RunRejection, rejected, withdrawn, erased)

/// The call that it waited for is not made. Version 1 of this event says no cause: null.
struct AgentRunRejected {
    static constexpr std::string_view kType = "agent_run.rejected";
    static constexpr std::int32_t kVersion = 2;
    core::Nullable<RunRejection> cause;
    Id approvalId = 0;
    core::Personal<core::LongText> reason;
    RunBrief run{};
};
BOOST_DESCRIBE_STRUCT(AgentRunRejected, (), (cause, approvalId, reason, run))

/// What people are told of such a rejection, but for its reason.
std::string_view rejection_text(core::Nullable<RunRejection> const& cause);

/// Why a run goes on no more: somebody cancelled it, or all of its agent's, or the agent is not active any more. Resets
/// of sandboxes and erasures have events of their own.
enum class RunCancellation : std::uint8_t { requested, all_requested, agent_deactivated };
BOOST_DESCRIBE_ENUM(RunCancellation, requested, all_requested, agent_deactivated)

/// Version 1 of this event says no cause: null.
struct AgentRunCancelled {
    static constexpr std::string_view kType = "agent_run.cancelled";
    static constexpr std::int32_t kVersion = 2;
    core::Nullable<RunCancellation> cause;
    RunBrief run{};
};
BOOST_DESCRIBE_STRUCT(AgentRunCancelled, (), (cause, run))

/// A reset of its sandbox deleted it.
struct AgentRunDeleted {
    static constexpr std::string_view kType = "agent_run.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(AgentRunDeleted, (), ())

/// As StaffErased: what it was given and gave is gone.
struct AgentRunErased : ErasureDetails {
    static constexpr std::string_view kType = "agent_run.erased";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kErases = true;
};
BOOST_DESCRIBE_STRUCT(AgentRunErased, (ErasureDetails), ())

using AgentRunEvent = std::variant<AgentRunQueued, AgentRunStarted, AgentRunStepFinished, AgentRunTurnFinished,
                                   AgentRunPendingApproval, AgentRunResumed, AgentRunCompleted, AgentRunFailed,
                                   AgentRunRejected, AgentRunCancelled, AgentRunDeleted, AgentRunErased>;

/// What callers don't see of a run.
struct AgentRunInternals {
    AgentLimits limits;
    AgentApprovalMode approvalMode = AgentApprovalMode::default_;
    std::string lineage;
    std::int32_t depth = 0;
    core::Nullable<RunValue> outputTemplate;
    core::Nullable<RunValue> event;
    std::vector<RunValue> turns;        ///< of a model, as its executor keeps them
    core::Nullable<RunPlace> waitsFor;  ///< the call that waits for a person
    bool lastItem = true;               ///< of that call
    core::Nullable<Timestamp> waitsSince;
    core::Nullable<Timestamp> waitsUntil;
    std::int64_t waitedMs = 0;  ///< for people, so far
    std::int64_t bytes = 0;     ///< of all that it was given and gave
};
BOOST_DESCRIBE_STRUCT(AgentRunInternals, (),
                      (limits, approvalMode, lineage, depth, outputTemplate, event, turns, waitsFor, lastItem,
                       waitsSince, waitsUntil, waitedMs, bytes))

/// The people are those whom it names, but for what its approvals name.
struct AgentRunRecord : AgentRun, NamedPeople {
    static constexpr Kind kKind = Kind::agent_run;
    AgentRunInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(AgentRunRecord, (AgentRun, NamedPeople), (internals, deleted))
inline AgentRun const& resource_of(AgentRunRecord const& record) { return record; }

/// More live runs than an agent may have are not counted.
inline constexpr std::size_t kMostLiveRuns = 5;

/// An agent's runs that wait for nobody: five of them at most are taken from callers.
struct LiveRunsOfAgent : Index<Kind::agent_run, Value<&AgentRun::agentId>> {
    using Where = boost::mp11::mp_list<OneOf<&AgentRun::status, AgentRunStatus::queued, AgentRunStatus::running>>;
    static constexpr bool kDeleted = false;
    static constexpr std::size_t kMost = 100;
};
/// So many of an agent's runs wait to be worked on at most: triggers start no more.
inline constexpr std::size_t kMostQueuedRuns = 1'000;
struct QueuedRunsOfAgent : Index<Kind::agent_run, Value<&AgentRun::agentId>> {
    using Where = boost::mp11::mp_list<OneOf<&AgentRun::status, AgentRunStatus::queued>>;
    static constexpr bool kDeleted = false;
    static constexpr std::size_t kMost = kMostQueuedRuns;
};
/// Those that are worked on.
struct RunningRunsOfAgent : Index<Kind::agent_run, Value<&AgentRun::agentId>> {
    using Where = boost::mp11::mp_list<OneOf<&AgentRun::status, AgentRunStatus::running>>;
    static constexpr bool kDeleted = false;
    static constexpr std::size_t kMost = kMostLiveRuns;
};
/// Those that wait for a person.
struct WaitingRunsOfAgent : Index<Kind::agent_run, Value<&AgentRun::agentId>> {
    using Where = boost::mp11::mp_list<OneOf<&AgentRun::status, AgentRunStatus::pending_approval>>;
    static constexpr bool kDeleted = false;
    static constexpr std::size_t kMost = 100;
};
/// Those of a facility in its sandbox.
struct AgentRunsOfFacility : OfFacility<Kind::agent_run, Value<&AgentRun::facilityId>> {};

/// So many runs that name a person are emptied at a time.
inline constexpr std::size_t kErasedRunsAtOnce = 200;
/// Those that name a person.
template <auto Ids>
struct RunsNaming : Index<Kind::agent_run, Each<Ids>> {
    static constexpr std::size_t kMost = kErasedRunsAtOnce;
};
struct RunsNamingStaff : RunsNaming<&NamedPeople::namedStaffIds> {};
struct RunsNamingUser : RunsNaming<&NamedPeople::namedUserIds> {};
struct RunsNamingLead : RunsNaming<&NamedPeople::namedLeadIds> {};

/// The step of that name, or null.
RunStep const* find_step(AgentRun const& run, std::string_view name);

/// What is to be known of the run with an event of it.
RunBrief brief_of(AgentRun const& run);

/// Folds one event into the run.
void evolve(AgentRunRecord& run, AgentRunEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::agent_run> : Declared<AgentRunRecord, AgentRunEvent> {
    static constexpr bool kInActivity = false;  // what its calls did is shown
    using Deleted = AgentRunDeleted;
    using Indexes = boost::mp11::mp_list<LiveRunsOfAgent, QueuedRunsOfAgent, RunningRunsOfAgent, WaitingRunsOfAgent,
                                         AgentRunsOfFacility, RunsNamingStaff, RunsNamingUser, RunsNamingLead>;
};

}  // namespace workforce::events
