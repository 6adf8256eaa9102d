// Rules of triggers: what one may say, and when it fires (domain 1.11, 2.5, 6.6, "Automations" of 16).
#include "commands/trigger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/agent.hpp"
#include "commands/agent_run.hpp"
#include "core/cron.hpp"
#include "core/json_values.hpp"
#include "events/trigger_types.hpp"
#include "events/user.hpp"

namespace workforce::commands {
namespace {

using core::FieldError;
using events::TriggerRecord;
using events::TriggerType;

constexpr std::string_view kRunAsField = "runAsUserId";

NewEvent trigger_event(events::TriggerPlace const& place, Id id, events::TriggerEvents event) {
    return {{events::Kind::trigger, id}, place.facilityId.value.value_or(0), std::move(event)};
}
NewEvent trigger_event(TriggerRecord const& trigger, events::TriggerEvents event) {
    return trigger_event(trigger, trigger.id, std::move(event));
}

/// The agent, where its triggers are the caller's to see and to change; null where not.
events::AgentRecord const* own_agent(View const& view, Id id, Context const& context) {
    auto const* agent = visible_agent(view, id, context);
    bool const own = agent && (agent->facilityId.value || context.facilities.empty());
    return own ? agent : nullptr;
}

struct OwnTrigger {
    events::AgentRecord const* agent = nullptr;
    TriggerRecord const* trigger = nullptr;
};

/// Errors: NOT_FOUND for either.
Result<OwnTrigger> own_trigger(View const& view, Id agent, Id trigger, Context const& context) {
    OwnTrigger found;
    Requirements questions(view);
    questions.ask([&] { found.agent = own_agent(view, agent, context); });
    questions.ask([&] { found.trigger = view.get<TriggerRecord>(trigger); });
    questions.require();
    if (!found.agent) return not_found("agent", agent);
    bool const is_its = found.trigger && !found.trigger->deleted && found.trigger->agentId == agent;
    if (!is_its) return not_found("trigger", trigger);
    return found;
}

/// When it comes to fire next after `now` by its schedule; of an event trigger null.
core::Nullable<Timestamp> next_run(events::TriggerDetails const& details, Timestamp now) {
    if (details.type != TriggerType::schedule) return {};
    auto const cron = core::Cron::parse(details.cron.value);
    if (!cron) return {};  // it was taken under other rules
    core::Nullable<Timestamp> next;
    next.value = cron->next(now, details.timezone.value);
    return next;
}

/// As next_run() with another schedule or after a rest: never again at a moment at which it fired, by whatever clock.
core::Nullable<Timestamp> next_run_anew(events::TriggerDetails const& details, TriggerRecord const& trigger,
                                        Timestamp now) {
    return next_run(details, std::max(now, trigger.lastFiredAt.value.value_or(now)));
}

tl::unexpected<core::Problem> refuse_inactive_agent() {
    return refuse(Code::agent_inactive, "The agent is not active.");
}

/// Why no runs may act by that user's rights at the caller's word, or nothing. `was` is by whose they acted before.
std::optional<tl::unexpected<core::Problem>> fault_of_run_as(Id user, Id was, RunAs const& run_as, bool operates) {
    if (user == 0) {
        return invalid_field(std::string(kRunAsField), "required",
                             "needs a user, and none stands behind the credential");
    }
    if (user == was || run_as.own) return std::nullopt;
    if (!operates) return refuse_run_as();
    if (run_as.usable) return std::nullopt;
    return invalid_field(std::string(kRunAsField), "known",
                         "must be an active user of the agent's organization, or an operator of the installation");
}

void add_schedule_faults(events::TriggerDetails const& details, std::vector<FieldError>& faults) {
    auto const& cron = details.cron.value;
    if (cron.empty()) {
        faults.push_back({"cron", "required", "is required of a schedule"});
    } else if (auto const parsed = core::Cron::parse(cron); !parsed) {
        faults.push_back({"cron", "cron", parsed.error()});
    } else if (parsed->shortest_distance() < kLeastScheduleDistance) {
        faults.push_back({"cron", "distance", "names times that are less than 5 minutes apart"});
    }
    auto const& zone = details.timezone.value;
    if (!core::is_time_zone(zone)) faults.push_back({"timezone", "time_zone", "must be an IANA time zone"});
    if (!details.eventType.value.empty()) faults.push_back({"eventType", "unused", "is not for a schedule"});
    if (details.filter.text != events::TriggerFilter().text) {
        faults.push_back({"filter", "unused", "is not for a schedule"});
    }
}

void add_event_faults(events::TriggerDetails const& details, std::vector<FieldError>& faults) {
    auto const& type = details.eventType.value;
    auto const types = events::trigger_event_types();
    if (type.empty()) {
        faults.push_back({"eventType", "required", "is required of an event trigger"});
    } else if (std::ranges::find(types, type) == types.end()) {
        faults.push_back({"eventType", "enum", fmt::format("must be one of {}", fmt::join(types, ", "))});
    }
    if (!details.cron.value.empty()) faults.push_back({"cron", "unused", "is not for an event trigger"});
    if (!details.timezone.value.empty()) faults.push_back({"timezone", "unused", "is not for an event trigger"});
    auto const filter = core::parse_json(details.filter.text);
    if (filter) std::ranges::move(events::faults_of_filter(type, *filter), std::back_inserter(faults));
}

/// The first thing that the templates of an input name and its runs lack; empty where there is none. Braces stand in
/// texts alone, side by side.
std::string_view unknown_root(std::string_view input, bool has_event) {
    for (auto at = input.find("{{"); at != std::string_view::npos; at = input.find("{{", at + 2)) {
        auto path = input.substr(at + 2);
        path.remove_prefix(std::min(path.find_first_not_of(' '), path.size()));
        auto const root = path.substr(0, path.find_first_of(".[ }"));
        if (root != "now" && (root != "event" || !has_event)) return root.empty() ? "nothing" : root;
    }
    return {};
}

events::TriggerDetails details_of(CreateTrigger const& command) {
    events::TriggerDetails details;
    details.name = command.name;
    details.type = command.type;
    details.cron = command.cron.value_or("");
    details.timezone = command.timezone.value_or("");
    details.eventType = command.eventType.value_or("");
    details.filter = command.filter.value_or(events::TriggerFilter());
    details.input = command.input.value_or(events::TriggerInput());
    details.maxRunsPerHour = command.maxRunsPerHour;
    return details;
}

/// Whether it may not fire again this hour.
bool is_over_rate(TriggerRecord const& trigger, Timestamp now) {
    auto const& hour = trigger.internals;
    return now.ms < hour.hourStartedAt.ms + events::kTriggerHourMs && hour.fires >= trigger.maxRunsPerHour.value;
}

/// Whether one more failure makes the system give it up.
bool is_last_straw(View const& view, TriggerRecord const& trigger) {
    return trigger.isEnabled &&
           trigger.consecutiveFailures + 1 >= view.organization().settings.triggerFailureLimit.value;
}

NewEvent disabling(TriggerRecord const& trigger, std::string_view reason) {
    return trigger_event(trigger, events::TriggerDisabled{std::string(reason), {}, 0, trigger.name.value});
}

NewEvent given_up(TriggerRecord const& trigger, events::TriggerError error) {
    return trigger_event(trigger, events::TriggerDisabled{std::string(events::kDisabledByFailures), std::move(error),
                                                          trigger.createdBy.value.value_or(0), trigger.name.value});
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
        return skip_dispatch(dispatch, events::SkipReason::rate);
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

bool may_borrow(View const& view, Id user, Context const& context, bool operates) {
    if (operates || user == context.actor.user) return true;
    auto const* known = view.get<events::User>(user);
    if (!known || rank_of(known->role) < rank_of(context.role)) return false;
    if (context.facilities.empty()) return true;
    auto const& theirs = known->facilityIds;
    return !theirs.empty() && std::ranges::all_of(theirs, [&](Id facility) { return context.reaches(facility); });
}

tl::unexpected<core::Problem> refuse_run_as() {
    return refuse(Code::run_as_forbidden, "Only an internal operator has runs act by the rights of another user.");
}

std::vector<FieldError> faults_of(events::TriggerDetails const& details) {
    std::vector<FieldError> faults;
    auto const root = unknown_root(details.input.text, details.type == TriggerType::event);
    if (!root.empty()) faults.push_back({"input", "template", fmt::format("names {}, which its runs lack", root)});
    if (details.type == TriggerType::schedule) {
        add_schedule_faults(details, faults);
    } else {
        add_event_faults(details, faults);
    }
    return faults;
}

void CreateTrigger::check(core::FieldCheck& fields) const {
    if (!fields.sound("type")) return;
    auto details = details_of(*this);
    if (type == TriggerType::schedule && details.timezone.value.empty()) details.timezone = "UTC";
    auto faults = faults_of(details);
    std::erase_if(faults,
                  [&](FieldError const& fault) { return !fields.sound(fault.field.substr(0, fault.field.find('.'))); });
    for (auto const& fault : faults) fields.fail(fault.field, fault.rule, fault.message);
}

Result<Decision> decide(View const& view, CreateTrigger const& command, Context const& context) {
    auto const* agent = own_agent(view, command.agent, context);
    if (!agent) return not_found("agent", command.agent);
    auto const others = view.by<events::TriggersOfAgent>(command.agent);
    events::TriggerCreated created;
    static_cast<events::TriggerDetails&>(created) = details_of(command);
    if (command.type == TriggerType::schedule && created.timezone.value.empty()) {
        created.timezone = view.organization().timezone.value;
    }
    created.runAsUserId = command.runAsUserId.value_or(context.actor.user);
    if (auto fault = fault_of_run_as(created.runAsUserId, 0, command.run_as, command.operates)) return *fault;
    if (others.size() >= kMostTriggers) {
        return refuse(Code::limit_reached,
                      fmt::format("An agent may have {} triggers, and has them already.", kMostTriggers),
                      fmt::format(R"({{"resource":"trigger","limit":{}}})", kMostTriggers));
    }
    if (command.isEnabled && !agent->isActive) return refuse_inactive_agent();
    created.agentId = agent->id;
    created.facilityId = agent->facilityId;
    if (context.actor.user != 0) created.createdBy = context.actor.user;
    created.isEnabled = command.isEnabled;
    if (command.isEnabled) created.nextRunAt = next_run(created, context.now);
    events::TriggerPlace const place = created;
    return Decision{{trigger_event(place, context.new_ids.at(0), std::move(created))}, {}};
}
events::Trigger answer(View const& view, CreateTrigger const&, Decision const& decision) {
    return *view.get<TriggerRecord>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateTrigger const& command, Context const& context) {
    auto const found = own_trigger(view, command.agent, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& trigger = *found->trigger;
    std::vector<FieldError> faults;
    if (command.type && *command.type != trigger.type) {
        faults.push_back({"type", "fixed", "can't change; make another trigger"});
    }
    if (command.agentId && *command.agentId != trigger.agentId) {
        faults.push_back({"agentId", "fixed", "can't change; make another trigger"});
    }
    events::TriggerUpdated updated{command, {}};
    if (!events::keep_changed(static_cast<events::Trigger const&>(trigger),
                              static_cast<events::TriggerChanges&>(updated)) &&
        faults.empty()) {
        return Decision{};
    }
    events::TriggerDetails after = trigger;
    events::merge(after, static_cast<events::TriggerChanges const&>(updated));
    std::ranges::move(faults_of(after), std::back_inserter(faults));
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    if (updated.runAsUserId) {
        if (auto fault = fault_of_run_as(*updated.runAsUserId, trigger.runAsUserId, command.run_as, command.operates)) {
            return *fault;
        }
    }
    bool const feeds = updated.input || updated.filter || updated.eventType;
    auto const user = updated.runAsUserId.value_or(trigger.runAsUserId);
    if (feeds && !may_borrow(view, user, context, command.operates)) return refuse_run_as();
    bool const moved = updated.cron || updated.timezone;
    updated.nextRunAt = trigger.nextRunAt;
    if (moved && trigger.isEnabled) updated.nextRunAt = next_run_anew(after, trigger, context.now);
    return Decision{{trigger_event(trigger, std::move(updated))}, {}};
}
events::Trigger answer(View const& view, UpdateTrigger const& command, Decision const&) {
    return *view.get<TriggerRecord>(command.id);
}

Result<Decision> decide(View const& view, DeleteTrigger const& command, Context const& context) {
    auto const found = own_trigger(view, command.agent, command.id, context);
    if (!found) return tl::unexpected(found.error());
    return Decision{{trigger_event(*found->trigger, events::TriggerDeleted{})}, {}};
}

Result<Decision> decide(View const& view, ToggleTrigger const& command, Context const& context) {
    auto const found = own_trigger(view, command.agent, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& trigger = *found->trigger;
    bool const enable = command.isEnabled.value_or(!trigger.isEnabled);
    if (enable == trigger.isEnabled) return Decision{};
    if (!enable) return Decision{{disabling(trigger, events::kDisabledByHand)}, {}};
    if (!found->agent->isActive) return refuse_inactive_agent();
    return Decision{{trigger_event(trigger, events::TriggerEnabled{next_run_anew(trigger, trigger, context.now)})}, {}};
}
events::Trigger answer(View const& view, ToggleTrigger const& command, Decision const&) {
    return *view.get<TriggerRecord>(command.id);
}

Result<Decision> decide(View const& view, RunTriggerNow const& command, Context const& context) {
    auto const found = own_trigger(view, command.agent, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const& trigger = *found->trigger;
    if (!may_borrow(view, trigger.runAsUserId, context, command.operates)) return refuse_run_as();
    if (!found->agent->isActive) return refuse_inactive_agent();
    if (is_over_rate(trigger, context.now)) {
        return refuse(Code::run_limit_reached, fmt::format("The trigger fired {} times this hour, as often as it may.",
                                                           trigger.internals.fires));
    }
    if (is_unusable(view, trigger.runAsUserId, command.run_as)) {
        return refuse(Code::invalid_state_transition, "The user by whose rights its runs act is not active.",
                      fmt::format(R"({{"reason":"{}"}})", kRunAsInactive), "Name another runAsUserId.");
    }
    auto const& text = command.input ? command.input->text : trigger.input.text;
    auto input = command.render(text, zone_of_trigger(view, trigger), {});
    if (!input) return invalid_field("input", "template", std::move(input.error()));
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

bool may_borrow_all(View const& view, Id agent, Context const& context, bool operates) {
    return std::ranges::all_of(view.by<events::TriggersOfAgent>(agent), [&](TriggerRecord const* trigger) {
        return may_borrow(view, trigger->runAsUserId, context, operates);
    });
}

void stop_triggers(View const& view, Id agent, std::vector<NewEvent>& events) {
    for (auto const* trigger : view.by<events::TriggersOfAgent>(agent)) {
        if (trigger->isEnabled) events.push_back(disabling(*trigger, events::kDisabledWithAgent));
    }
}

}  // namespace workforce::commands
