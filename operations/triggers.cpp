// Triggers of agents: when their runs start by themselves.
#include "commands/trigger.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "operations/agents/agents.hpp"
#include "operations/agents/templates.hpp"
#include "operations/declare.hpp"
#include "projections/agents/agents.hpp"
#include "projections/triggers/triggers.hpp"

namespace workforce::operations {

/// How a trigger is named where the path does not.
struct TriggerQuery {
    std::optional<Id> triggerId;
};
BOOST_DESCRIBE_STRUCT(TriggerQuery, (), (triggerId))

namespace {

using boost::asio::awaitable;
using core::Code;
using events::Kind;
using projections::triggers;

using TriggersQuery = ListQuery<projections::TriggerFilter>;

constexpr std::string_view kTriggerParameter = "triggerId";

/// The user as one who signed in, of now; null where runs of the call's organization may not act by their rights.
awaitable<std::shared_ptr<Caller const>> find_actor(Call& call, Id user) {
    auto const organization = co_await call.services.tenants.of(Kind::user, false, user);
    if (!organization) co_return nullptr;
    auto const found = co_await call.services.agents->find({*organization, user});
    if (!found) co_return nullptr;
    bool const theirs = *organization == call.meta.organization || (*found)->across_organizations;
    co_return theirs ? *found : nullptr;
}

/// Whether the caller is an operator of the installation (domain 4.3) who signed in: no key and no client has somebody
/// else's rights used.
bool operates_installation(Caller const& caller) {
    return caller.is_person() && caller.is_internal() && events::is_operator_role(caller.user.role);
}

/// Whether the user's rights are within the caller's.
bool is_within(Caller const& user, Caller const& caller) {
    if (rank_of(user.user.role) < rank_of(caller.user.role)) return false;
    auto const& own = caller.facilities;
    return own.empty() || (!user.facilities.empty() && std::ranges::all_of(user.facilities, [&](Id facility) {
               return std::ranges::find(own, facility) != own.end();
           }));
}

/// By whose rights runs are to act, and whether the caller may say so.
struct NamedRunAs {
    commands::RunAs run_as{};
    bool operates = false;
};

awaitable<NamedRunAs> run_as_of(Call& call, std::optional<Id> given) {
    NamedRunAs named;
    auto const& caller = *call.caller;
    named.operates = operates_installation(caller);
    named.run_as.own = !given || *given == caller.user.id;
    if (named.run_as.own) co_return named;
    auto const user = co_await find_actor(call, *given);
    named.run_as.usable = user != nullptr;
    named.operates = named.operates && (!user || is_within(*user, caller));
    co_return named;
}

/// Fills a trigger's input at that moment.
commands::RenderInput render_at(core::Timestamp now) {
    return [now](std::string const& input, std::string_view timezone,
                 core::Nullable<events::RunValue> const& event) -> tl::expected<std::string, std::string> {
        events::AgentRunRecord seen;
        seen.internals.event = event;
        TemplateScope scope(seen, now, timezone);
        auto filled = fill_templates(input, scope);
        if (!filled) return tl::unexpected(std::move(filled.error().message));
        return *std::move(filled);
    };
}

/// What is wrong with an input's templates by themselves; what they may name the command knows.
std::vector<core::FieldError> faults_of_input(std::optional<events::TriggerInput> const& input) {
    if (!input) return {};
    auto fault = fault_of_templates(input->text, {});
    if (fault.empty()) return {};
    return {{"input", "template", std::move(fault)}};
}

tl::unexpected<core::Problem> invalid_trigger_id(std::string_view rule, std::string_view message) {
    return commands::invalid_field(std::string(kTriggerParameter), std::string(rule), std::string(message));
}

/// The trigger that the path, the query or the body names, one of which has to. Errors: VALIDATION_ERROR.
core::Result<Id> named_trigger(Call const& call, std::optional<Id> by_body) {
    std::optional<Id> named;
    auto const& path = call.input.path;
    if (std::ranges::any_of(path, [](auto const& each) { return each.name == kTriggerParameter; })) {
        named = path.id(kTriggerParameter);
    } else {
        auto const query = read_query<TriggerQuery>(call.input.parameters);
        if (!query) return tl::unexpected(query.error());
        named = query->triggerId;
    }
    if (named && by_body && *named != *by_body) {
        return invalid_trigger_id("same", "names another trigger in the body than elsewhere");
    }
    if (!named) named = by_body;
    if (!named) return invalid_trigger_id("required", "is required, in the query or in the body");
    return *named;
}

template <class Command>
std::optional<Id> trigger_of_body(Command const& command) {
    if constexpr (requires { command.triggerId; }) return command.triggerId;
    return std::nullopt;
}

/// The command on the trigger that the call names.
template <class Command>
core::Result<Command> read_trigger_command(Call& call) {
    auto command = read_command<Command>(call);
    if (!command) return command;
    auto const trigger = named_trigger(call, trigger_of_body(*command));
    if (!trigger) return tl::unexpected(trigger.error());
    command->agent = call.input.path.id();
    command->id = *trigger;
    return command;
}

/// Submits what was read, about the trigger.
template <class Command>
awaitable<Outcome> submit_about_trigger(Call& call, core::Result<Command> command) {
    auto const trigger = command ? command->id : 0;
    auto submission = submission_of(call, std::move(command));
    submission.target = {Kind::trigger, trigger};
    co_return co_await submit(call, std::move(submission), 0);
}

template <class Command>
awaitable<Outcome> run_trigger_command(Call& call) {
    co_return co_await submit_about_trigger(call, read_trigger_command<Command>(call));
}

awaitable<Outcome> create_trigger(Call& call) {
    auto command = read_command<commands::CreateTrigger>(call);
    if (command) {
        if (auto faults = faults_of_input(command->input); !faults.empty()) {
            command = tl::unexpected(core::validation_problem(faults));
        }
    }
    if (command) {
        command->agent = call.input.path.id();
        auto const named = co_await run_as_of(call, command->runAsUserId);
        command->run_as = named.run_as;
        command->operates = named.operates;
    }
    std::size_t const new_ids = command ? 1 : 0;
    auto const agent = call.input.path.id();
    auto submission = submission_of(call, std::move(command));
    submission.location_prefix = "/api/agent-builder/" + std::to_string(agent) + "/triggers/";
    co_return co_await submit(call, std::move(submission), new_ids);
}

/// A trigger as the read model has it, which may be behind.
awaitable<std::optional<events::Trigger>> look_trigger_up(Call& call, Id id) {
    projections::Scope const scope{.organization = call.meta.organization, .sandbox = call.meta.sandbox};
    auto const document = co_await triggers().find(call.services.reads, scope, id);
    if (!document) co_return std::nullopt;
    co_return core::from_stored_json<events::Trigger>(document->doc);
}

awaitable<Outcome> update_trigger(Call& call) {
    auto command = read_trigger_command<commands::UpdateTrigger>(call);
    if (command) {
        if (auto faults = faults_of_input(command->input); !faults.empty()) {
            command = tl::unexpected(core::validation_problem(faults));
        }
    }
    if (command) {
        co_await await_own_writes(call);
        auto const trigger = co_await look_trigger_up(call, command->id);
        auto const was = trigger ? std::optional(trigger->runAsUserId) : std::nullopt;
        auto const named = co_await run_as_of(call, command->runAsUserId ? command->runAsUserId : was);
        if (command->runAsUserId) command->run_as = named.run_as;
        command->operates = named.operates;
    }
    co_return co_await submit_about_trigger(call, std::move(command));
}

awaitable<Outcome> run_now(Call& call) {
    auto command = read_trigger_command<commands::RunTriggerNow>(call);
    std::vector<Id> ids;
    if (command) {
        co_await await_own_writes(call);
        auto const trigger = co_await look_trigger_up(call, command->id);
        // Otherwise the decision says that there is none.
        if (trigger) {
            auto const named = co_await run_as_of(call, trigger->runAsUserId);
            command->run_as = named.run_as;
            command->operates = named.operates;
        }
        command->render = render_at(core::now());
        ids = co_await call.services.processor.ids().take(Kind::agent_run, 1);
    }
    auto const trigger = command ? command->id : 0;
    auto submission = submission_of(call, std::move(command));
    submission.target = {Kind::trigger, trigger};
    submission.context.new_ids = std::move(ids);
    co_return co_await submit(call, std::move(submission), 0);
}

/// Whether a user reaches one of the places where something happened.
bool reaches_place(Caller const& user, commands::SeenEvent const& event) {
    if (user.facilities.empty()) return true;
    return std::ranges::any_of(event.facilities, [&](Id facility) {
        return std::ranges::find(user.facilities, facility) != user.facilities.end();
    });
}

/// A schedule's moment, or an event, as jobs and reactors ask for it.
awaitable<Outcome> fire_trigger(Call& call) {
    auto command = read_command<commands::FireTrigger>(call);
    std::vector<Id> ids;
    if (command) {
        auto const trigger = co_await look_trigger_up(call, command->id);
        command->run_as_user = trigger ? trigger->runAsUserId : 0;
        if (trigger && !co_await call.services.tenants.of(Kind::user, false, trigger->runAsUserId)) {
            co_return refuse(call,
                             {Code::read_model_behind, "The user by whose rights its runs act is not known yet."});
        }
        auto const user = trigger ? co_await find_actor(call, trigger->runAsUserId) : nullptr;
        command->run_as = {false, user != nullptr};
        if (user && command->event.value) command->sees = reaches_place(*user, *command->event.value);
        command->render = render_at(core::now());
        ids = co_await call.services.processor.ids().take(Kind::agent_run, 1);
    }
    auto submission = submission_of(call, std::move(command));
    submission.context.new_ids = std::move(ids);
    submission.store_refusal = false;  // what was looked up may be behind: it is asked again
    co_return co_await submit(call, std::move(submission), 0);
}

awaitable<Outcome> get_trigger(Call& call) {
    auto const scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const id = call.input.path.id(kTriggerParameter);
    auto document = co_await triggers().find(call.services.database_of(*scope), *scope, id);
    bool const is_its =
        document && core::from_stored_json<events::Trigger>(document->doc).agentId == call.input.path.id();
    if (!is_its) co_return refuse(call, commands::not_found("trigger", id).value());
    Outcome outcome;
    outcome.body = std::move(document->doc);
    outcome.version = document->version;
    co_return outcome;
}

/// Errors: NOT_FOUND for an agent that the caller does not see.
awaitable<Outcome> list_triggers(Call& call) {
    auto const query = read_query<TriggersQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto const agent = call.input.path.id();
    if (auto const seen = co_await require_seen(call, projections::agents(), agent); !seen) {
        co_return refuse(call, seen.error());
    }
    projections::AgentTriggerFilter filter;
    static_cast<projections::TriggerFilter&>(filter) = *query;
    filter.agentId = agent;
    co_return co_await get_list(call, triggers().lists(), ListInput{*query, triggers().filters(filter)});
}

Operation trigger_list() {
    auto row = list<triggers>("triggers.list", "List the triggers of an agent");
    row.parameters = parameters_of<TriggersQuery>();
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = triggers().sort_names();
    }
    row.reads.push_back(projections::agents().spec().name);
    row.handler = list_triggers;
    return row;
}

Operation trigger_read() {
    auto row = one<triggers>("triggers.get", "Read a trigger");
    row.handler = get_trigger;
    return row;
}

Operation created_trigger() {
    auto row = command<commands::CreateTrigger>("triggers.create", "Add a trigger to an agent");
    row.handler = create_trigger;
    row.located_at = "/api/agent-builder/{id}/triggers";
    return row;
}

/// A row that acts on a trigger. Of its two spellings one names it in the path, the other in the query or the body.
template <class Command>
Operation trigger_command(std::string_view name, std::string_view summary, Handler handler, bool in_path) {
    auto row = command<Command>(name, summary);
    row.handler = handler;
    if (!in_path) {
        row.parameters = parameters_of<TriggerQuery>();
        std::ranges::move(parameters_of<TargetQuery>(), std::back_inserter(row.parameters));
    }
    return std::move(row).needs("agents.manage").on(Kind::agent).audit();
}

constexpr std::string_view kById = "/api/agent-builder/{id:int}/triggers/{triggerId:int}";
constexpr std::string_view kByQuery = "/api/agent-builder/{id:int}/triggers";

Operation trigger_update(std::string_view name, std::string_view put, std::string_view path) {
    return trigger_command<commands::UpdateTrigger>(name, "Change a trigger", update_trigger, path == kById)
        .says(
            "Changes the fields that are given; others stay, and filter and input are replaced as a whole. Returns "
            "the trigger. A schedule that changes goes by the new one at once. By whose rights its runs act only an "
            "internal operator gives to somebody else. Refused to OAuth clients.")
        .refuses({Code::run_as_forbidden})
        .not_by_clients()
        .at(net::Method::patch, path)
        .also_put(put);
}

Operation trigger_removal(std::string_view name, std::string_view path) {
    return trigger_command<commands::DeleteTrigger>(name, "Delete a trigger",
                                                    run_trigger_command<commands::DeleteTrigger>, path == kById)
        .says("Deletes a trigger for good. Runs that it started go on.")
        .destroys()
        .at(net::Method::del, path);
}

Operation trigger_toggle(std::string_view name, std::string_view path, bool in_path) {
    return trigger_command<commands::ToggleTrigger>(name, "Enable or disable a trigger",
                                                    run_trigger_command<commands::ToggleTrigger>, in_path)
        .says(
            "Makes a trigger fire again, or no more; without isEnabled it becomes what it is not. Enabling forgets "
            "its failures. Returns the trigger. Refused to OAuth clients.")
        .refuses({Code::agent_inactive})
        .not_by_clients()
        .at(net::Method::post, path);
}

Operation trigger_run_now(std::string_view name, std::string_view path, bool in_path) {
    auto row = trigger_command<commands::RunTriggerNow>(name, "Fire a trigger now", run_now, in_path);
    row.success = 202;
    row.versioned = false;
    return std::move(row)
        .says(
            "Starts a run of the agent as if the trigger had fired, with its input or the one that is given, whether "
            "it is enabled or not; that counts as a fire of the hour. Returns the run, which is queued. Refused to "
            "OAuth clients.")
        .refuses({Code::run_as_forbidden, Code::agent_inactive, Code::run_limit_reached, Code::plan_invalid,
                  Code::invalid_state_transition})
        .not_by_clients()
        .at(net::Method::post, path);
}

}  // namespace

std::vector<Operation> trigger_operations() {
    using enum net::Method;
    return {
        trigger_list()
            .says("Returns a page of an agent's triggers: when each fires next, how it went, and why one is disabled.")
            .needs("agents.manage")
            .at(get, kByQuery),
        trigger_read()
            .says("Returns one trigger with when it fires next, how often it failed in a row, and its last run.")
            .needs("agents.manage")
            .at(get, kById),
        created_trigger()
            .says("Has runs of an agent start by themselves: by a schedule as crontab has it, in the time of a zone, "
                  "or when an event is seen that passes a filter. Returns the trigger. Its runs act by the rights of "
                  "its maker; only an internal operator names another user. It is disabled after so many failures in "
                  "a row as the organization's triggerFailureLimit says, of which its maker is told. Refused to OAuth "
                  "clients, and past 50 triggers of an agent.")
            .refuses({Code::run_as_forbidden, Code::limit_reached, Code::agent_inactive})
            .needs("agents.manage")
            .not_by_clients()
            .creates(Kind::trigger, "/api/agent-builder/{id}/triggers")
            .on(Kind::agent)
            .audit()
            .at(post, kByQuery),
        trigger_update("triggers.update", "triggers.put", kById),
        trigger_update("triggers.update_named", "triggers.put_named", kByQuery),
        trigger_removal("triggers.delete", kById),
        trigger_removal("triggers.delete_named", kByQuery),
        trigger_toggle("triggers.toggle", "/api/agent-builder/{id:int}/triggers/{triggerId:int}/toggle", true),
        trigger_toggle("triggers.toggle_named", "/api/agent-builder/{id:int}/triggers/toggle", false),
        trigger_run_now("triggers.run_now", "/api/agent-builder/{id:int}/triggers/{triggerId:int}/run-now", true),
        trigger_run_now("triggers.run_now_named", "/api/agent-builder/{id:int}/triggers/run-now", false),
        [] {
            auto row = command<commands::FireTrigger>("triggers.fire", "A trigger's moment or event has come");
            row.handler = fire_trigger;
            return std::move(row).by_installation().on(Kind::trigger);
        }(),
    };
}

}  // namespace workforce::operations
