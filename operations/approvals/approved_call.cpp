// From an approval to the call that it is of, and from an outcome back.
#include <utility>

#include "core/ids.hpp"
#include "core/json_values.hpp"
#include "core/nesting.hpp"
#include "events/named_people.hpp"
#include "operations/approvals/approve.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMostResult = 1 << 19;  // bytes, as ApprovalResult takes
/// Half an hour, with the pauses between (workers::pause_after): less than the call's first answer is kept for.
constexpr std::int64_t kMostAttempts = 12;

std::string text_of_error(std::string_view body) {
    auto const document = core::parse_json(body);
    auto const* const error = document ? core::find_member(&*document, "error") : nullptr;
    auto const text = [&](char const* name) { return core::as_text(core::find_member(error, name)).value_or(""); };
    return std::string(text("code")) + ": " + std::string(text("message"));
}

/// The kind of what the tool's answer tells of.
std::optional<events::Kind> kind_of_answer(Operation const& operation) {
    if (operation.makes) return operation.makes;
    if (operation.acts_on) return operation.acts_on;
    return operation.reads.empty() ? std::nullopt : core::parse_enum<events::Kind>(operation.reads.front());
}

/// The requester with the rights of now. Errors: as Services::find_caller; FORBIDDEN.
boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> requester_of(Services& services,
                                                                                 FoundApproval const& found) {
    auto const& approval = found.approval;
    if (approval.runId.value && services.find_run_caller) {
        co_return co_await services.find_run_caller(approval.organizationId, approval.isSandbox, *approval.runId.value,
                                                    approval.tool);
    }
    auto const& requester = found.beside.call.requester;
    auto caller = co_await services.find_caller(requester.type, requester.credentialId, requester.organizationId);
    if (caller && found.approval.isSandbox) caller = acting_on_sandbox(*std::move(caller));
    co_return caller;
}

}  // namespace

bool is_done_outside(Tool const& tool) { return tool.operation->asks_provider; }

boost::asio::awaitable<core::Result<ApprovedCall>> approved_call(Services& services, FoundApproval const& found) {
    auto const& approval = found.approval;
    ApprovedCall call;
    call.tool = find_tool(approval.tool);
    if (call.tool == nullptr) co_return core::refuse(core::Code::not_found, "There is no tool " + approval.tool + ".");
    auto caller = co_await requester_of(services, found);
    if (!caller) co_return tl::unexpected(caller.error());
    call.caller = acting_caller(*caller);
    if (auto const problem = check_tool_access(*call.caller, *call.tool, services.model_tiers)) {
        co_return tl::unexpected(*problem);
    }
    auto arguments = core::parse_json(approval.arguments.text);
    if (!arguments) co_return tl::unexpected(arguments.error());
    call.arguments = *std::move(arguments);
    if (auto const faults = check_arguments(*call.tool, call.arguments); !faults.empty()) {
        co_return tl::unexpected(core::validation_problem(faults));
    }
    auto const& from = found.beside.call;
    call.meta.request_id = core::request_id();
    call.meta.approval = approval.id;
    call.meta.cause.correlation_id = from.correlationId;
    call.meta.cause.depth = from.depth;
    call.meta.cause.dedupe_key = from.dedupeKey;
    if (approval.origin == events::ApprovalOrigin::agent_run) call.context.channel = ToolChannel::agent;
    call.context.agent = approval.agentId.value.value_or(0);
    if (approval.runId.value) call.meta.cause.run_id = std::to_string(*approval.runId.value);
    co_return call;
}

bool is_passing(core::Code code) {
    using enum core::Code;
    auto const status = core::info(code).status;
    bool const outside = code == upstream_error || code == upstream_timeout;
    return (status >= 500 && !outside) || status == 429 || status == 408 || code == idempotency_in_progress ||
           code == concurrent_modification;
}

bool is_made_again(Outcome const& outcome, std::int64_t attempt) {
    if (outcome.refused && outcome.refused != core::Code::internal_error) return is_passing(*outcome.refused);
    return (outcome.refused || outcome.unsettled) && attempt < kMostAttempts;
}

commands::ApprovalOutcome failed_with(core::Problem const& problem) {
    auto const name = std::string(core::info(problem.code).name);
    return {.what = commands::ApprovalOutcome::What::execution_failed,
            .code = name,
            .error = name + ": " + problem.message};
}

commands::ApprovalOutcome outcome_of_call(Tool const& tool, Outcome const& outcome) {
    if (outcome.status >= 400) {
        auto text = text_of_error(outcome.body);
        return {.what = commands::ApprovalOutcome::What::execution_failed,
                .code = text.substr(0, text.find(':')),
                .error = text};
    }
    commands::ApprovalOutcome done;
    done.result = structured_content(tool, outcome.body);
    bool const fits =
        done.result.size() <= kMostResult && !core::is_nested_deeper(done.result, core::kMostResultNesting);
    if (!fits) done.result = "null";  // a record of the log has no room for it
    return done;
}

events::NamedPeople people_in_result(Tool const* tool, std::string const& result) {
    auto const document = core::parse_json(result);
    if (tool == nullptr || !document) return {};
    return people_among(named_in(*document, kind_of_answer(*tool->operation)));
}

void observe_call(Services& services, ApprovedCall const& call, Outcome const& outcome, core::Id organization,
                  bool sandbox) {
    if (!services.observe) return;
    Facts facts;
    facts.correlation = CorrelationId(call.meta.request_id);
    note_caller(facts, *call.caller, call.context.channel == ToolChannel::mcp ? kToolChannel : kAgentChannel);
    facts.verb = call.tool->operation->name;
    facts.row = call.tool->operation->row;
    facts.tool = call.tool->name;
    facts.status = outcome.status;
    facts.refused = outcome.refused;
    facts.organization = organization;
    facts.sandbox = sandbox;
    if (auto const run = core::parse_integer(call.meta.cause.run_id)) {
        facts.run = *run;
        facts.client = ShortName<64>(call.caller->name);
    }
    if (!outcome.replayed) facts.marker = outcome.marker;
    if (facts.facility == 0) facts.facility = outcome.facility;
    services.observe(facts);
}

}  // namespace workforce::operations
