// When triggers fire, and what follows from how their runs end (domain 2.5, 6.6, "Automations" of 16).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/agent_run.hpp"
#include "commands/trigger_parts.hpp"
#include "core/cron.hpp"
#include "core/json_values.hpp"
#include "events/trigger_types.hpp"
#include "events/user.hpp"

namespace workforce::commands {
namespace {

using events::TriggerRecord;
using events::TriggerType;

/// Whether it may not fire again this hour.
bool is_over_rate(TriggerRecord const& trigger, Timestamp now) {
    auto const& hour = trigger.internals;
    return now.ms < hour.hourStartedAt.ms + events::kTriggerHourMs && hour.fires >= trigger.maxRunsPerHour.value;
}

Result<Decision> refuse_over_rate(TriggerRecord const& trigger, Timestamp now) {
    auto const& hour = trigger.internals;
    auto const left_ms = hour.hourStartedAt.ms + events::kTriggerHourMs - now.ms;
    auto const seconds = (left_ms + 999) / 1000;
    core::Problem problem{
        Code::run_limit_reached, fmt::format("The trigger fired {} times this hour, as often as it may.", hour.fires),
        fmt::format(R"({{"maxRunsPerHour":{},"retryAfter":{}}})", trigger.maxRunsPerHour.value, seconds),
        "Run it again after retryAfter seconds, or raise maxRunsPerHour.", seconds};
    return tl::unexpected(std::move(problem));
}

/// Whether one more failure makes the system give it up.
bool is_last_straw(View const& view, TriggerRecord const& trigger) {
    return trigger.isEnabled &&
           trigger.consecutiveFailures + 1 >= view.organization().settings.triggerFailureLimit.value;
}

NewEvent given_up(TriggerRecord const& trigger, events::TriggerError error) {
    return trigger_event(trigger, events::TriggerDisabled{std::string(events::kDisabledByFailures), std::move(error),
                                                          trigger.createdBy, trigger.name.value});
}

/// A dispatch in the making.
struct Dispatch {
    View const& view;
    Context const& context;
    TriggerRecord const& trigger;
    events::TriggerCause cause{};
    core::Nullable<Timestamp> next{};  ///< when it fires next
};

Decision skip_dispatch(Dispatch const& dispatch, events::SkipReason reason) {
    return {{trigger_event(dispatch.trigger, events::TriggerSkipped{dispatch.cause, reason, dispatch.next})}, {}};
}

Decision fail_dispatch(Dispatch const& dispatch, std::string_view code, std::string message) {
    events::TriggerError error{std::string(code), std::move(message)};
    Decision decision{
        {trigger_event(dispatch.trigger, events::TriggerDispatchFailed{dispatch.cause, error, dispatch.next})}, {}};
    if (is_last_straw(dispatch.view, dispatch.trigger)) {
        decision.events.push_back(given_up(dispatch.trigger, std::move(error)));
    }
    return decision;
}

/// The events of a run that starts: the trigger's own, and the run's. Errors: as StartRun.
Result<Decision> start_run_of(Dispatch const& dispatch, StartRun start) {
    auto const run = dispatch.context.new_ids.at(0);
    start.agentId = dispatch.trigger.agentId;
    start.runAs = dispatch.trigger.runAsUserId;
    start.triggerId = dispatch.trigger.id;
    auto queued = queue_run(dispatch.view, start, dispatch.context, run);
    if (!queued) return tl::unexpected(queued.error());
    return Decision{
        {trigger_event(dispatch.trigger, events::TriggerFired{dispatch.cause, run, dispatch.next}), *std::move(queued)},
        {}};
}

std::string zone_of_trigger(View const& view, TriggerRecord const& trigger) {
    auto const& own = trigger.timezone.value;
    return own.empty() ? view.organization().timezone.value : own;
}

/// What the trigger's runs see of an event.
core::Nullable<events::RunValue> event_for_runs(core::Nullable<SeenEvent> const& seen) {
    core::Nullable<events::RunValue> event;
    if (seen.value) event.value = events::RunValue{core::to_json(*seen.value)};
    return event;
}

/// Whether a user of the organization may not act any more; others the command knows of.
bool is_unusable(View const& view, Id user, RunAs const& run_as) {
    auto const* known = view.get<events::User>(user);
    return known ? !events::is_usable(*known) : !run_as.usable;
}

Result<Decision> dispatch_run(Dispatch const& dispatch, FireTrigger const& command) {
    if (is_over_rate(dispatch.trigger, dispatch.context.now)) return skip_dispatch(dispatch, events::SkipReason::rate);
    if (is_unusable(dispatch.view, dispatch.trigger.runAsUserId, command.run_as)) {
        return fail_dispatch(dispatch, kRunAsInactive, "The user by whose rights its runs act is not active.");
    }
    StartRun start;
    start.depth = command.depth;
    start.event = event_for_runs(command.event);
    auto input =
        command.render(dispatch.trigger.input.text, zone_of_trigger(dispatch.view, dispatch.trigger), start.event);
    if (!input) return fail_dispatch(dispatch, kInputInvalid, std::move(input.error()));
    start.input = events::RunObject{*std::move(input)};
    auto fired = start_run_of(dispatch, std::move(start));
    if (!fired && fired.error().code == Code::run_limit_reached) {
        return skip_dispatch(dispatch, events::SkipReason::queue_full);
    }
    if (!fired) return fail_dispatch(dispatch, core::info(fired.error().code).name, fired.error().message);
    return fired;
}

/// How a run ends.
struct RunEnd {
    events::AgentRunStatus status = events::AgentRunStatus::completed;
    bool by_error = false;
    std::string code{};  ///< of the error
};

/// Nothing for an event that does not end its run.
std::optional<RunEnd> run_end_of(events::AgentRunEvent const& event) {
    using events::AgentRunStatus;
    if (std::holds_alternative<events::AgentRunCompleted>(event)) return RunEnd{};
    if (std::holds_alternative<events::AgentRunRejected>(event)) return RunEnd{AgentRunStatus::rejected};
    if (std::holds_alternative<events::AgentRunCancelled>(event)) return RunEnd{AgentRunStatus::cancelled};
    auto const* failed = std::get_if<events::AgentRunFailed>(&event);
    if (!failed) return std::nullopt;
    return RunEnd{AgentRunStatus::failed, failed->code != kApprovalExpired, failed->code};
}

/// The latest moment of the schedule that has come, of an hour at most; nothing where all are older.
std::optional<Timestamp> latest_due(TriggerRecord const& trigger, Timestamp due, Timestamp now) {
    if (due.ms > now.ms - kLatestMs) return due;
    auto const cron = core::Cron::parse(trigger.cron.value);
    auto const within = cron ? cron->next({now.ms - kLatestMs}, trigger.timezone.value) : std::nullopt;
    return within && *within <= now ? within : std::nullopt;
}

Result<Decision> fire_schedule(View const& view, TriggerRecord const& trigger, FireTrigger const& command,
                               Context const& context) {
    auto const due = trigger.nextRunAt.value;
    if (!due || *due > context.now) return Decision{};  // it was asked for before, or by a clock that is ahead
    auto const latest = latest_due(trigger, *due, context.now);
    Dispatch const moment{view, context, trigger, {latest ? *latest : *due, {}, {}}, next_run(trigger, context.now)};
    if (!latest) return skip_dispatch(moment, events::SkipReason::late);
    return dispatch_run(moment, command);
}

Result<Decision> fire_event(View const& view, TriggerRecord const& trigger, FireTrigger const& command,
                            Context const& context) {
    auto const& seen = *command.event.value;
    if (trigger.type != TriggerType::event || !command.sees) return Decision{};
    if (!events::waits_for(trigger.eventType.value, seen.type)) return Decision{};  // it was changed meanwhile
    Dispatch const sight{view, context, trigger, {{}, seen.id, seen.type}, {}};
    if (command.depth >= kMostDepth) return skip_dispatch(sight, events::SkipReason::depth);
    if (seen.time.ms + kOldestEventMs < context.now.ms) return skip_dispatch(sight, events::SkipReason::late);
    return dispatch_run(sight, command);
}

}  // namespace

Result<Decision> decide(View const& view, RunTriggerNow const& command, Context const& context) {
    auto const found = own_trigger(view, command.agent, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& trigger = *found->trigger;
    if (!may_borrow(view, trigger.runAsUserId, context, command.operates)) return refuse_run_as();
    if (!found->agent->isActive) return refuse_inactive_agent();
    if (is_over_rate(trigger, context.now)) return refuse_over_rate(trigger, context.now);
    if (is_unusable(view, trigger.runAsUserId, command.run_as)) {
        return refuse(Code::invalid_state_transition, "The user by whose rights its runs act is not active.",
                      fmt::format(R"({{"reason":"{}"}})", kRunAsInactive), "Name another runAsUserId.");
    }
    auto const& text = command.input ? command.input->text : trigger.input.text;
    auto input = command.render(text, zone_of_trigger(view, trigger), {});
    if (!input) return invalid_field("input", "template", "has a template that can't be filled. " + input.error());
    StartRun start;
    start.input = events::RunObject{*std::move(input)};
    return start_run_of({view, context, trigger, {}, trigger.nextRunAt}, std::move(start));
}
events::AgentRun answer(View const& view, RunTriggerNow const&, Decision const& decision) {
    return *view.get<events::AgentRunRecord>(decision.events.at(1).subject.id);
}

Result<Decision> decide(View const& view, FireTrigger const& command, Context const& context) {
    auto const* trigger = view.get<TriggerRecord>(command.id);
    if (!trigger || trigger->deleted || !trigger->isEnabled || !view.organization().isActive) return Decision{};
    if (trigger->runAsUserId != command.run_as_user) {
        return refuse(Code::concurrent_modification, "Another user's rights count from now on.");
    }
    return command.event.value ? fire_event(view, *trigger, command, context)
                               : fire_schedule(view, *trigger, command, context);
}
TriggerDispatch answer(View const&, FireTrigger const&, Decision const& decision) {
    for (auto const& event : decision.events) {
        if (auto const* fired = events::get_if<events::TriggerFired>(event.data)) {
            return {DispatchResult::fired, fired->runId};
        }
        if (events::is<events::TriggerSkipped>(event.data)) return {DispatchResult::skipped, {}};
        if (events::is<events::TriggerDispatchFailed>(event.data)) return {DispatchResult::failed, {}};
    }
    return {};
}

void follow_run_ends(View const& view, std::vector<NewEvent>& events) {
    for (std::size_t i = 0, count = events.size(); i < count; ++i) {
        auto const* data = events::get_if<events::AgentRunEvent>(events[i].data);
        auto const end = data ? run_end_of(*data) : std::nullopt;
        auto const* run = end ? view.get<events::AgentRunRecord>(events[i].subject.id) : nullptr;
        if (!run || !run->triggerId.value) continue;
        auto const* trigger = view.get<TriggerRecord>(*run->triggerId.value);
        if (!trigger || trigger->deleted) continue;
        events::TriggerRunEnded ended{run->id, std::string(core::enum_name(end->status)), {}};
        // What the run's error says may be personal, and lies under the run's key.
        if (end->by_error) ended.error = events::TriggerError{end->code, fmt::format("Run {} failed.", run->id)};
        events.push_back(trigger_event(*trigger, ended));
        if (end->by_error && is_last_straw(view, *trigger)) events.push_back(given_up(*trigger, *ended.error.value));
    }
}

}  // namespace workforce::commands
