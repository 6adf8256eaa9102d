// Rules of triggers: what one may say, and who changes it (domain 1.11, 2.5, "Automations" of 16).
#include "commands/trigger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "commands/agent.hpp"
#include "commands/trigger_parts.hpp"
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
/// Runs see these members of an event: SeenEvent.
constexpr std::array<std::string_view, 6> kSeenMembers{"id", "type", "time", "resource", "facilities", "data"};

/// As next_run() with another schedule or after a rest: never again at a moment at which it fired, by whatever clock.
core::Nullable<Timestamp> next_run_anew(events::TriggerDetails const& details, TriggerRecord const& trigger,
                                        Timestamp now) {
    return next_run(details, std::max(now, trigger.lastFiredAt.value.value_or(now)));
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

/// The path's first name.
std::string_view first_name(std::string_view path) { return path.substr(0, path.find_first_of(".[ }")); }

/// Without its first name and the dot behind; empty where something else is.
std::string_view below_first(std::string_view path) {
    auto const rest = path.substr(first_name(path).size());
    return rest.starts_with('.') ? rest.substr(1) : std::string_view();
}

/// Whether events of the type have what is named below `event`, as far as names stand.
bool tells(std::string_view event_type, std::string_view path) {
    if (path.empty()) return true;
    auto const member = first_name(path);
    if (std::ranges::find(kSeenMembers, member) == kSeenMembers.end()) return false;
    auto const field = first_name(below_first(path));
    auto const fields = events::trigger_event_fields(event_type);
    return member != "data" || field.empty() || fields.empty() || std::ranges::find(fields, field) != fields.end();
}

/// The first path that the templates of an input name and its runs lack; empty where there is none. Braces stand in
/// texts alone, side by side. `event_type` is empty for a schedule, whose runs have no event.
std::string_view unknown_path(std::string_view input, std::string_view event_type) {
    for (auto at = input.find("{{"); at != std::string_view::npos; at = input.find("{{", at + 2)) {
        auto path = input.substr(at + 2);
        path.remove_prefix(std::min(path.find_first_not_of(' '), path.size()));
        auto const root = first_name(path);
        bool const has_event = root == "event" && !event_type.empty();
        if (has_event && !tells(event_type, below_first(path))) return path.substr(0, path.find_first_of("[ }"));
        if (!has_event && root != "now") return root.empty() ? "nothing" : root;
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

NewEvent disabling(TriggerRecord const& trigger, std::string_view reason) {
    return trigger_event(trigger, events::TriggerDisabled{std::string(reason), {}, {}, trigger.name.value});
}

}  // namespace

NewEvent trigger_event(events::TriggerPlace const& place, Id id, events::TriggerEvents event) {
    return {{events::Kind::trigger, id}, place.facilityId.value.value_or(0), std::move(event)};
}
NewEvent trigger_event(TriggerRecord const& trigger, events::TriggerEvents event) {
    return trigger_event(trigger, trigger.id, std::move(event));
}

Result<OwnTrigger> own_trigger(View const& view, Id agent, Id trigger, Context const& context) {
    OwnTrigger found;
    Requirements questions(view);
    questions.ask([&] { found.agent = visible_agent(view, agent, context); });
    questions.ask([&] { found.trigger = view.get<TriggerRecord>(trigger); });
    questions.require();
    if (!found.agent) return not_found("agent", agent);
    bool const is_its = found.trigger && !found.trigger->deleted && found.trigger->agentId == agent;
    if (!is_its) return not_found("trigger", trigger);
    return found;
}

core::Nullable<Timestamp> next_run(events::TriggerDetails const& details, Timestamp now) {
    if (details.type != TriggerType::schedule) return {};
    auto const cron = core::Cron::parse(details.cron.value);
    if (!cron) return {};  // it was taken under other rules
    core::Nullable<Timestamp> next;
    next.value = cron->next(now, details.timezone.value);
    return next;
}

tl::unexpected<core::Problem> refuse_inactive_agent() {
    return refuse(Code::agent_inactive, "The agent is not active.");
}

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
    bool const schedule = details.type == TriggerType::schedule;
    // An event trigger without a type is told of the type alone.
    auto const& type = details.eventType.value;
    auto const path = unknown_path(details.input.text, schedule ? "" : (type.empty() ? "none" : type));
    if (!path.empty()) faults.push_back({"input", "template", fmt::format("names {}, which its runs lack", path)});
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
    auto const* agent = visible_agent(view, command.agent, context);
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
