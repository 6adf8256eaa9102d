// From arguments to an outcome.
#include "operations/tools/tool_runner.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/log_throttle.hpp"
#include "core/outage.hpp"
#include "operations/commands.hpp"
#include "operations/target.hpp"
#include "operations/tools/guardrail_sets.hpp"
#include "operations/tools/target_facilities.hpp"
#include "projections/guardrails/guardrails.hpp"

namespace workforce::operations {

namespace {

core::LogThrottle& guardrails_behind() {
    static core::LogThrottle throttle("calls of tools are refused, for guardrails are not what the log says they are");
    return throttle;
}

/// The policies of the organization that the call is about; of all of them those of the caller's own. Null where there
/// are none at all. Errors: READ_MODEL_BEHIND where they are too old to say.
boost::asio::awaitable<core::Result<GuardrailSets::Set>> policies_for(Call const& call) {
    auto* const sets = call.services.guardrails;
    if (sets == nullptr) co_return nullptr;
    auto const organization = call.meta.organization == 0 ? call.caller->organization : call.meta.organization;
    auto const partition = co_await call.services.processor.homes().find(organization);
    auto const& model = projections::guardrails().spec().name;
    if (partition >= 0 && call.services.progress.behind(partition, model) > kMostGuardrailLag) {
        guardrails_behind().met(core::quiet_while_away(core::Level::error),
                                {{"partition", partition}, {"request_id", call.meta.request_id}});
        co_return core::refuse(core::Code::read_model_behind,
                               "The guardrails can't be read as they are now, so no tool is called.");
    }
    guardrails_behind().over();
    auto set = co_await sets->of(organization, call.meta.sandbox);
    co_return set->size() == 0 ? nullptr : std::move(set);
}

/// The facilities that the call concerns: those that it names, and that of what it is about, else the caller's. None:
/// it may concern any.
boost::asio::awaitable<std::vector<Id>> concerned_facilities(Call const& call, core::JsonValue const& arguments) {
    auto const& own = call.caller->facilities;
    auto facilities = named_facilities(arguments);
    if (own.size() == 1) {  // what lies elsewhere is not there for them
        facilities.push_back(own.front());
    } else if (auto const at = co_await target_facilities(call)) {
        if (at->empty()) co_return *at;
        std::ranges::copy(*at, std::back_inserter(facilities));
    }
    co_return facilities.empty() ? own : facilities;
}

/// The policy that decides on the call. Only where it does so for its facilities is the place of what the call is about
/// looked up.
boost::asio::awaitable<std::optional<GuardrailMatch>> deciding_policy(GuardrailSet const& policies, Call const& call,
                                                                      ToolRequest const& request) {
    auto const& user = call.caller->user;
    auto const items = calls_within(request.tool, request.arguments);
    GuardedCall guarded{.tool = request.tool.name,
                        .arguments = request.arguments,
                        .items = items,
                        .channel = request.context.channel,
                        .agent = request.context.agent,
                        .role = user.id == 0 ? std::nullopt : std::optional(user.role),
                        .facilities = {},
                        .now = core::now()};
    auto const anywhere = policies.find(guarded, request.context.approved);
    if (!anywhere || !anywhere->by_facility) co_return anywhere;
    auto const facilities = co_await concerned_facilities(call, request.arguments);
    guarded.facilities = facilities;
    co_return policies.find(guarded, request.context.approved);
}

/// What was answered under the call's idempotency key before, or is wrong with the key; nothing where it is a new one,
/// or there is none. What was done stays done, whatever policies say since. The call can't be carried out afterwards.
boost::asio::awaitable<std::optional<Outcome>> answered_before(Call& call, core::Problem const& otherwise) {
    if (!call.meta.idempotency) co_return std::nullopt;
    call.input.body.emplace(tl::unexpected(otherwise));
    auto const& recall = call.services.recall;
    auto outcome = co_await (recall ? recall(call) : recall_answer(call));
    bool const is_new = outcome.refused == otherwise.code && !outcome.replayed;
    co_return is_new ? std::nullopt : std::optional(std::move(outcome));
}

/// How a deferral is refused by those who only ask for an answer that is known.
core::Problem waits_for_approval() { return {core::Code::forbidden, "The call waits for an approval."}; }

}  // namespace

std::shared_ptr<Caller const> const& acting_caller(std::shared_ptr<Caller const> const& caller) {
    return caller->for_tools ? caller->for_tools : caller;
}

boost::asio::awaitable<core::Result<Call>> prepare_tool_call(Services& services, ToolRequest const& request) {
    auto input = input_of(request.tool, request.arguments);
    if (!input) co_return tl::unexpected(input.error());
    Call call{services, *request.tool.operation, request.caller, request.meta, *std::move(input)};
    call.meta.cause.channel = core::enum_name(request.context.channel);
    call.meta.cause.tool = std::string(request.tool.name);
    if (call.operation.effect == Effect::read || !call.operation.appends) call.meta.idempotency.reset();
    auto const target = co_await resolve_target(call);
    if (!target) co_return tl::unexpected(unless_behind(call, target.error()));
    co_return call;
}

boost::asio::awaitable<ToolResult> run_tool(Services& services, ToolRequest request, PerformCall perform) {
    auto const refused = [&](core::Problem const& problem) { return refusal(problem, request.meta.request_id); };
    auto call = co_await prepare_tool_call(services, request);
    if (!call) {
        bool const behind = call.error().code == core::Code::read_model_behind;
        co_return ToolResult{refused(call.error()), behind};
    }
    auto const result = [&](std::variant<Outcome, ToolDeferral> what) {
        return ToolResult{std::move(what), call->stale, call->meta.organization, call->meta.sandbox};
    };
    auto const policies = co_await policies_for(*call);
    std::optional<GuardrailMatch> policy;
    if (!policies) {
        call->stale = true;
        co_return result(refused(policies.error()));
    }
    if (*policies) policy = co_await deciding_policy(**policies, *call, request);
    auto verdict = check_tool_call(request.tool, request.arguments, request.context, policy);
    if (std::holds_alternative<ToolAllowed>(verdict)) {
        auto const& carry_out = perform ? perform : services.perform;
        co_return result(co_await (carry_out ? carry_out(*call) : call->operation.handler(*call)));
    }
    auto const* const problem = std::get_if<core::Problem>(&verdict);
    // Nobody is asked about a call that none can carry out.
    auto const check = call->operation.check_input;
    auto const sound = problem == nullptr && check != nullptr ? check(*call) : core::Result<void>{};
    auto known = co_await answered_before(*call, problem != nullptr ? *problem : waits_for_approval());
    if (known) co_return result(*std::move(known));
    if (problem != nullptr) co_return result(refused(*problem));
    if (!sound) co_return result(refused(sound.error()));
    co_return result(std::get<ToolDeferral>(std::move(verdict)));
}

}  // namespace workforce::operations
