// Triggers: what starts runs of an agent by itself, at times or when something happens (domain 1.11, 6.6); their
// events, and how they fold. Nothing in them is personal.
#pragma once

#include <array>
#include <string>
#include <variant>

#include "core/any_json.hpp"
#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class TriggerType : std::uint8_t { schedule, event };
BOOST_DESCRIBE_ENUM(TriggerType, schedule, event)

using TriggerFilter = core::AnyObject<4 * 1024>;
using TriggerInput = core::AnyObject<16 * 1024>;
using RunsPerHour = core::Int<1, 600>;

/// When it fires, and what with. Of a schedule `cron` and `timezone` are set, of an event trigger `eventType`.
struct TriggerDetails {
    core::Name name;
    TriggerType type = TriggerType::schedule;
    core::ShortText cron;
    core::ShortText timezone;
    core::ShortText eventType;
    TriggerFilter filter;
    TriggerInput input;  ///< of its runs; texts may be templates over `event` and `now`
    Id runAsUserId = 0;  ///< by whose rights its runs act
    RunsPerHour maxRunsPerHour = 60;
};
BOOST_DESCRIBE_STRUCT(TriggerDetails, (),
                      (name, type, cron, timezone, eventType, filter, input, runAsUserId, maxRunsPerHour))

/// The fields of an update: absent means unchanged.
struct TriggerChanges {
    std::optional<core::Name> name;
    std::optional<core::ShortText> cron;
    std::optional<core::ShortText> timezone;
    std::optional<core::ShortText> eventType;
    std::optional<TriggerFilter> filter;
    std::optional<TriggerInput> input;
    std::optional<Id> runAsUserId;
    std::optional<RunsPerHour> maxRunsPerHour;
};
BOOST_DESCRIBE_STRUCT(TriggerChanges, (), (name, cron, timezone, eventType, filter, input, runAsUserId, maxRunsPerHour))

/// Whose it is; fixed.
struct TriggerPlace {
    Id agentId = 0;
    core::Nullable<Id> facilityId;  ///< the agent's: where it hears of events; null: anywhere
    core::Nullable<Id> createdBy;   ///< user who is told when it is given up; null: nobody stands behind the credential
};
BOOST_DESCRIBE_STRUCT(TriggerPlace, (), (agentId, facilityId, createdBy))

/// Why a dispatch, or a run, failed: a code of domain 5, and for people what happened.
struct TriggerError {
    std::string code;
    std::string message;
};
BOOST_DESCRIBE_STRUCT(TriggerError, (), (code, message))

struct TriggerStanding {
    bool isEnabled = true;
    std::int64_t consecutiveFailures = 0;  ///< dispatches and runs that failed by an error, since one completed
    core::Nullable<Id> lastRunId;
    std::string lastRunStatus;  ///< `queued` until it ended; empty: it never fired
    core::Nullable<Timestamp> lastFiredAt;
    core::Nullable<Timestamp> nextRunAt;  ///< of a schedule that is enabled
    std::string disabledReason;           ///< kDisabledByHand and the like; empty while it is enabled
    core::Nullable<Timestamp> disabledAt;
    core::Nullable<TriggerError> lastError;  ///< of the last failure, until one succeeds
};
BOOST_DESCRIBE_STRUCT(TriggerStanding, (),
                      (isEnabled, consecutiveFailures, lastRunId, lastRunStatus, lastFiredAt, nextRunAt, disabledReason,
                       disabledAt, lastError))

/// Why a trigger is disabled.
inline constexpr std::string_view kDisabledByHand = "manual";
inline constexpr std::string_view kDisabledByFailures = "max_consecutive_failures";
inline constexpr std::string_view kDisabledWithAgent = "agent_deactivated";

struct Trigger : Identified, TriggerPlace, TriggerDetails, TriggerStanding, Stamped {};
BOOST_DESCRIBE_STRUCT(Trigger, (Identified, TriggerPlace, TriggerDetails, TriggerStanding, Stamped), ())

struct TriggerCreated : TriggerPlace, TriggerDetails {
    static constexpr std::string_view kType = "trigger.created";
    static constexpr std::int32_t kVersion = 1;
    bool isEnabled = true;
    core::Nullable<Timestamp> nextRunAt;
};
BOOST_DESCRIBE_STRUCT(TriggerCreated, (TriggerPlace, TriggerDetails), (isEnabled, nextRunAt))

struct TriggerUpdated : TriggerChanges {
    static constexpr std::string_view kType = "trigger.updated";
    static constexpr std::int32_t kVersion = 1;
    core::Nullable<Timestamp> nextRunAt;  ///< from now on, as in all events that say it
};
BOOST_DESCRIBE_STRUCT(TriggerUpdated, (TriggerChanges), (nextRunAt))

/// It fires again, and its failures are forgotten.
struct TriggerEnabled {
    static constexpr std::string_view kType = "trigger.enabled";
    static constexpr std::int32_t kVersion = 1;
    core::Nullable<Timestamp> nextRunAt;
};
BOOST_DESCRIBE_STRUCT(TriggerEnabled, (), (nextRunAt))

/// Version 1 of this event named the user `creator`, 0 for nobody.
struct TriggerDisabled {
    static constexpr std::string_view kType = "trigger.disabled";
    static constexpr std::int32_t kVersion = 2;
    std::string reason;
    core::Nullable<TriggerError> lastError;
    core::Nullable<Id> createdBy;  ///< user who is to hear of it; null: nobody
    std::string name;              ///< the trigger's, for whoever hears of it
};
BOOST_DESCRIBE_STRUCT(TriggerDisabled, (), (reason, lastError, createdBy, name))

struct TriggerDeleted {
    static constexpr std::string_view kType = "trigger.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(TriggerDeleted, (), ())

/// What made a trigger act: a moment of its schedule, an event, or, where it is neither, a person.
struct TriggerCause {
    core::Nullable<Timestamp> dueAt;
    std::string eventId;
    std::string eventType;
};
BOOST_DESCRIBE_STRUCT(TriggerCause, (), (dueAt, eventId, eventType))

/// It started a run, whose first event stands beside this one.
struct TriggerFired : TriggerCause {
    static constexpr std::string_view kType = "trigger.fired";
    static constexpr std::int32_t kVersion = 1;
    Id runId = 0;
    core::Nullable<Timestamp> nextRunAt;
};
BOOST_DESCRIBE_STRUCT(TriggerFired, (TriggerCause), (runId, nextRunAt))

/// It should have started a run and could not.
struct TriggerDispatchFailed : TriggerCause {
    static constexpr std::string_view kType = "trigger.dispatch_failed";
    static constexpr std::int32_t kVersion = 1;
    TriggerError error;
    core::Nullable<Timestamp> nextRunAt;
};
BOOST_DESCRIBE_STRUCT(TriggerDispatchFailed, (TriggerCause), (error, nextRunAt))

/// Why a trigger that was to fire did not, without a failure: by the third hop of agents, by its fires of the hour, too
/// late, or as many of its agent's runs as may are queued. Version 1 of the event says `rate` for the last.
enum class SkipReason : std::uint8_t { depth, rate, late, queue_full };
BOOST_DESCRIBE_ENUM(SkipReason, depth, rate, late, queue_full)

struct TriggerSkipped : TriggerCause {
    static constexpr std::string_view kType = "trigger.skipped";
    static constexpr std::int32_t kVersion = 2;
    SkipReason reason = SkipReason::rate;
    core::Nullable<Timestamp> nextRunAt;
};
BOOST_DESCRIBE_STRUCT(TriggerSkipped, (TriggerCause), (reason, nextRunAt))

/// Statuses of runs that triggers go by.
inline constexpr std::string_view kQueuedRun = "queued";
inline constexpr std::string_view kCompletedRun = "completed";

/// A run that it started ended.
struct TriggerRunEnded {
    static constexpr std::string_view kType = "trigger.run_ended";
    static constexpr std::int32_t kVersion = 1;
    Id runId = 0;
    std::string status;                  ///< the run's
    core::Nullable<TriggerError> error;  ///< where it failed by one: what counts as a failure of the trigger
};
BOOST_DESCRIBE_STRUCT(TriggerRunEnded, (), (runId, status, error))

using TriggerEvents = std::variant<TriggerCreated, TriggerUpdated, TriggerEnabled, TriggerDisabled, TriggerDeleted,
                                   TriggerFired, TriggerDispatchFailed, TriggerSkipped, TriggerRunEnded>;

/// How often it fired in an hour, which began with the first of these times.
struct TriggerInternals {
    Timestamp hourStartedAt;
    std::int64_t fires = 0;
};
BOOST_DESCRIBE_STRUCT(TriggerInternals, (), (hourStartedAt, fires))

inline constexpr std::int64_t kTriggerHourMs = 3'600'000;

/// A trigger with what callers don't see of it.
struct TriggerRecord : Trigger {
    static constexpr Kind kKind = Kind::trigger;
    TriggerInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(TriggerRecord, (Trigger), (internals, deleted))
inline Trigger const& resource_of(TriggerRecord const& record) { return record; }

/// An agent's.
struct TriggersOfAgent : Index<Kind::trigger, Value<&Trigger::agentId>> {
    static constexpr bool kDeleted = false;
};
/// Those of a facility in its sandbox.
struct TriggersOfFacility : OfFacility<Kind::trigger, Value<&Trigger::facilityId>> {};

/// Folds one event into the trigger.
void evolve(TriggerRecord& trigger, TriggerEvents const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::trigger> : Declared<TriggerRecord, TriggerEvents> {
    static constexpr bool kInActivity = false;
    using Deleted = TriggerDeleted;
    using Indexes = boost::mp11::mp_list<TriggersOfAgent, TriggersOfFacility>;
};

}  // namespace workforce::events
