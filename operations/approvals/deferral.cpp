// From a call that waits to its approval.
#include "operations/approvals/deferral.hpp"

#include "core/any_json.hpp"
#include "core/json_values.hpp"
#include "events/named_people.hpp"
#include "operations/declare.hpp"
#include "operations/target.hpp"

namespace workforce::operations {

/// A call that waits, on its way to the owner of its partition.
struct DeferredCall {
    std::string tool;
    core::AnyObject<1 << 20> arguments;
    events::DeferralReason reason = events::DeferralReason::tool_policy;
    std::optional<std::string> guardrail;
    std::optional<Id> guardrailId;
    std::string session;
};
BOOST_DESCRIBE_STRUCT(DeferredCall, (), (tool, arguments, reason, guardrail, guardrailId, session))

namespace {

using boost::asio::awaitable;
using events::Kind;

constexpr std::string_view kRequestVerb = "approvals.request";
constexpr std::size_t kMostSession = 200;  // bytes of a client's id that are kept

Operation const& request_operation() {
    static Operation const& found = *std::ranges::find(operations(), kRequestVerb, &Operation::name);
    return found;
}

/// The tool's target as its path names it.
std::optional<events::AggregateRef> tool_target_of(Tool const& tool, core::JsonValue const& arguments) {
    auto const& operation = *tool.operation;
    if (!operation.acts_on) return std::nullopt;
    auto const input = input_of(tool, arguments);
    if (!input || input->path.begin() == input->path.end()) return std::nullopt;
    return events::AggregateRef{*operation.acts_on, input->path.id()};
}

core::Result<commands::RequestApproval> read_deferred(Call& call) {
    auto deferred = read_command<DeferredCall>(call);
    if (!deferred) return tl::unexpected(deferred.error());
    auto const* const tool = find_tool(deferred->tool);
    auto const arguments = core::parse_json(deferred->arguments.text);
    if (tool == nullptr || !arguments) {
        return core::refuse(core::Code::service_unavailable, "This process does not know the tool " + deferred->tool);
    }
    auto request = approval_request_of(*call.caller, *tool, *arguments,
                                       {deferred->reason, std::move(deferred->guardrail), deferred->guardrailId});
    request.session = std::move(deferred->session);
    return commands::RequestApproval{std::move(request)};
}

awaitable<Outcome> request_call(Call& call) {
    auto command = read_deferred(call);
    std::size_t const new_ids = command ? 1 : 0;
    return submit(call, submission_of(call, std::move(command)), new_ids);
}

}  // namespace

commands::ApprovalRequest approval_request_of(Caller const& caller, Tool const& tool, core::JsonValue const& arguments,
                                              ToolDeferral const& deferral) {
    commands::ApprovalRequest request;
    request.tool = tool.name;
    request.arguments = core::json_of(arguments);
    request.reason = deferral.reason;
    request.guardrail = deferral.guardrail;
    request.guardrail_id = deferral.guardrail_id;
    request.target = tool_target_of(tool, arguments);
    request.about = events::named_in(arguments, std::nullopt);
    auto named = request.about;
    if (request.target) named.push_back(*request.target);
    request.named = people_among(named);
    request.requested_by = {caller.user.id, caller.user.id == 0 ? caller.name : std::string()};
    request.requester = {caller.credential_type, caller.credential_id, caller.organization, caller.lineage(),
                         caller.is_client() ? caller.name : std::string()};
    return request;
}

awaitable<Outcome> defer_tool_call(Services& services, ToolRequest const& request, ToolDeferral const& deferral,
                                   std::string_view session, PerformCall const& perform) {
    auto prepared = co_await prepare_tool_call(services, request);
    if (!prepared) co_return refusal(prepared.error(), request.meta.request_id);
    DeferredCall const deferred{std::string(request.tool.name),
                                {core::json_of(request.arguments)},
                                deferral.reason,
                                deferral.guardrail,
                                deferral.guardrail_id,
                                std::string(session.substr(0, kMostSession))};
    Call call{services, request_operation(), prepared->caller, prepared->meta, {}};
    // A tool that is no command of itself keeps its caller's key too: a repeat waits for the same person.
    call.meta.idempotency = request.meta.idempotency;
    call.input.body = core::parse_json(core::to_json(deferred));
    auto const& carry_out = perform ? perform : services.perform;
    // A repeat of a call that was done is told what the tool answered, as its status says.
    co_return co_await (carry_out ? carry_out(call) : call.operation.handler(call));
}

std::vector<Operation> deferral_operations() {
    Operation row;
    row.name = kRequestVerb;
    row.summary = "A call of a tool waits for a person";
    row.effect = Effect::write;
    row.body = &request_of<DeferredCall>;
    row.handler = request_call;
    row = std::move(row).within().creates(Kind::approval, "/api/approvals");
    row.success = kWaitsStatus;
    return {std::move(row)};
}

}  // namespace workforce::operations
