// Commands on triggers (domain 1.11, 2.5, 6.6 and "Automations" of 16). A trigger is its agent's: who may change the
// agent may change it, and for others both are NOT_FOUND.
#pragma once

#include <functional>

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/agent_run.hpp"
#include "events/trigger.hpp"

namespace workforce::commands {

/// What is known of a user by whose rights runs are to act; no part of the input.
struct RunAs {
    bool own = true;     ///< it is the caller
    bool usable = true;  ///< active, and of the agent's organization or the internal one
};

/// Whether the caller may have runs act by the rights of that user: their own, those of who is of the organization and
/// not above them, or, of an operator of the installation, whomever they may name.
bool may_borrow(View const& view, Id user, Context const& context, bool operates);
/// RUN_AS_FORBIDDEN for who would use the rights of somebody else.
tl::unexpected<core::Problem> refuse_run_as();

/// The least number of minutes between two times that a schedule names.
inline constexpr int kLeastScheduleDistance = 5;
/// Codes of a dispatch that fails, besides those that a run is refused with.
inline constexpr std::string_view kRunAsInactive = "RUN_AS_USER_INACTIVE";
inline constexpr std::string_view kInputInvalid = "PLAN_INVALID";
/// Code of a run that failed for nobody decided in time: no failure of its trigger.
inline constexpr std::string_view kApprovalExpired = "APPROVAL_EXPIRED";
/// The triggers that an agent can have.
inline constexpr std::size_t kMostTriggers = 50;

/// What is wrong with a trigger that says this.
std::vector<core::FieldError> faults_of(events::TriggerDetails const& details);

/// POST /api/agent-builder/{id}/triggers. Without a user its runs act by the rights of the caller's. Errors:
/// RUN_AS_FORBIDDEN for another user by who is no internal operator; VALIDATION_ERROR; LIMIT_REACHED; AGENT_INACTIVE
/// for one that is enabled.
struct CreateTrigger {
    using Answer = events::Trigger;
    core::Name name;
    events::TriggerType type = events::TriggerType::schedule;
    std::optional<core::ShortText> cron;
    std::optional<core::ShortText> timezone;  ///< the organization's, where none is named
    std::optional<core::ShortText> eventType;
    std::optional<events::TriggerFilter> filter;
    std::optional<events::TriggerInput> input;
    std::optional<Id> runAsUserId;
    events::RunsPerHour maxRunsPerHour = 60;
    bool isEnabled = true;
    // What follows is no part of the input.
    Id agent = 0;
    RunAs run_as{};
    bool operates = false;  ///< the caller is an internal operator

    static constexpr std::array<std::string_view, 2> kRequired{"name", "type"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(CreateTrigger, (),
                      (name, type, cron, timezone, eventType, filter, input, runAsUserId, maxRunsPerHour, isEnabled))
Result<Decision> decide(View const& view, CreateTrigger const& command, Context const& context);
events::Trigger answer(View const& view, CreateTrigger const& command, Decision const& decision);

/// PATCH /api/agent-builder/{id}/triggers/{triggerId}. Type and agent can't change (VALIDATION_ERROR). What its runs
/// see and get only those change who may use the rights that they act by. Errors: as CreateTrigger.
struct UpdateTrigger : events::TriggerChanges {
    using Answer = events::Trigger;
    std::optional<events::TriggerType> type;
    std::optional<Id> agentId;
    std::optional<Id> triggerId;  ///< read before (operations/triggers.cpp), as in all commands that have it
    // What follows is no part of the input.
    Id agent = 0;
    Id id = 0;
    RunAs run_as{};
    bool operates = false;
};
BOOST_DESCRIBE_STRUCT(UpdateTrigger, (events::TriggerChanges), (type, agentId, triggerId))
Result<Decision> decide(View const& view, UpdateTrigger const& command, Context const& context);
events::Trigger answer(View const& view, UpdateTrigger const& command, Decision const& decision);

/// DELETE /api/agent-builder/{id}/triggers/{triggerId}. For good; runs that it started go on.
struct DeleteTrigger {
    using Answer = Nothing;
    Id agent = 0;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeleteTrigger, (), ())
Result<Decision> decide(View const& view, DeleteTrigger const& command, Context const& context);

/// POST …/toggle. Without a word it becomes what it is not. Whoever enables it has its failures forgotten. Errors:
/// AGENT_INACTIVE.
struct ToggleTrigger {
    using Answer = events::Trigger;
    std::optional<bool> isEnabled;
    std::optional<Id> triggerId;
    Id agent = 0;  ///< no part of the input, as the rest
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ToggleTrigger, (), (isEnabled, triggerId))
Result<Decision> decide(View const& view, ToggleTrigger const& command, Context const& context);
events::Trigger answer(View const& view, ToggleTrigger const& command, Decision const& decision);

/// Makes a run's input of a trigger's, whose texts may be templates. Errors: what is wrong with one, for people. Pure.
using RenderInput = std::function<tl::expected<std::string, std::string>(
    std::string const& input, std::string_view timezone, core::Nullable<events::RunValue> const& event)>;

/// POST …/run-now: a run starts, with that input or the trigger's own, whether it is enabled or not. It counts as a
/// fire. Errors: RUN_AS_FORBIDDEN by who may not use its user's rights; AGENT_INACTIVE; RUN_LIMIT_REACHED where it
/// fired as often this hour as it may; INVALID_STATE_TRANSITION where the user by whose rights it acts may not act any
/// more; those of StartRun.
struct RunTriggerNow {
    using Answer = events::AgentRun;
    std::optional<events::TriggerInput> input;
    std::optional<Id> triggerId;
    Id agent = 0;  ///< no part of the input, as the rest
    Id id = 0;
    RunAs run_as{};
    bool operates = false;
    RenderInput render;
};
BOOST_DESCRIBE_STRUCT(RunTriggerNow, (), (input, triggerId))
Result<Decision> decide(View const& view, RunTriggerNow const& command, Context const& context);
events::AgentRun answer(View const& view, RunTriggerNow const& command, Decision const& decision);

/// What came of a trigger that was to fire.
enum class DispatchResult : std::uint8_t { fired, failed, skipped, ignored };
BOOST_DESCRIBE_ENUM(DispatchResult, fired, failed, skipped, ignored)

struct TriggerDispatch {
    DispatchResult result = DispatchResult::ignored;
    core::Nullable<Id> runId;
};
BOOST_DESCRIBE_STRUCT(TriggerDispatch, (), (result, runId))

/// What an event trigger has seen.
struct SeenEvent {
    std::string id;
    std::string type;
    Timestamp time;
    std::string resource;        ///< "shift:12"
    std::vector<Id> facilities;  ///< where it happened; empty: in the organization as a whole
    core::AnyObject<64 * 1024> data;
};
BOOST_DESCRIBE_STRUCT(SeenEvent, (), (id, type, time, resource, facilities, data))

/// Of the installation: an event was seen, or where there is none, a schedule's moment may have come. Of a trigger that
/// is gone, disabled or not due, or whose user does not reach the event, nothing comes. It fires once for a moment,
/// whoever asks how often; for an event once under the request's key. Errors: CONCURRENT_MODIFICATION where another
/// user was looked up than counts now.
struct FireTrigger {
    using Answer = TriggerDispatch;
    core::Nullable<SeenEvent> event;
    std::int32_t depth = 0;  ///< of the event: hops that agents caused
    Id id = 0;               ///< no part of the input, as the rest
    Id run_as_user = 0;      ///< whom `run_as` and `sees` are about
    RunAs run_as{};
    bool sees = true;  ///< that user reaches where it happened
    RenderInput render;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(FireTrigger, (), (event, depth))
Result<Decision> decide(View const& view, FireTrigger const& command, Context const& context);
TriggerDispatch answer(View const& view, FireTrigger const& command, Decision const& decision);

/// Events that agents caused so many hops after somebody's own make nothing fire.
inline constexpr std::int32_t kMostDepth = 3;
/// An event that is older makes nothing fire: under the request's key an answer is kept for a day, so that a younger
/// one never does so twice.
inline constexpr std::int64_t kOldestEventMs = 23 * 3'600'000LL;
/// How late a schedule's moment may be for it to fire.
inline constexpr std::int64_t kLatestMs = 3'600'000;

/// Adds what follows for triggers from events that end runs which they started: for whoever decides on such, in the
/// same append. An error is a failure of the trigger; an approval that expired is none.
void follow_run_ends(View const& view, std::vector<NewEvent>& events);

/// Whether the caller may use the rights by which runs of the agent's triggers act: whoever changes what they do does.
bool may_borrow_all(View const& view, Id agent, Context const& context, bool operates);

/// Adds the events that stop an agent's triggers with it.
void stop_triggers(View const& view, Id agent, std::vector<NewEvent>& events);

}  // namespace workforce::commands
