// A call: its operation, its caller, its answer.
#include "api/cluster/call_server.hpp"

#include <exception>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/cluster/owner_call.hpp"
#include "api/problem_reply.hpp"
#include "core/logging.hpp"
#include "operations/commands.hpp"
#include "operations/target.hpp"
#include "operations/tools/tool_runner.hpp"

namespace workforce::api {
namespace {

using core::Code;
using operations::Caller;
using operations::Operation;

/// The installation itself, which may do all that no person has to.
std::shared_ptr<Caller const> system_caller(core::Id organization, bool sandbox) {
    auto caller = std::make_shared<Caller>();
    caller->credential_type = events::ActorType::system;
    caller->organization = organization;
    caller->sandbox = sandbox;
    caller->permissions.set();
    caller->own_permissions.set();
    return caller;
}

/// What the caller lacks for the call, or nothing.
std::optional<core::Problem> refusal_of(Caller const& caller, Operation const& operation, CallMessage const& message) {
    if (auto problem = operations::lacking(caller, operation)) return problem;
    if (message.organization != caller.organization && !caller.across_organizations) {
        return core::Problem{Code::org_scope_violation, "The credential is of another organization."};
    }
    return std::nullopt;
}

}  // namespace

Operation const* find_operation(std::string_view verb) {
    static auto const by_name = [] {
        std::unordered_map<std::string_view, Operation const*> all;
        for (auto const& operation : operations::operations()) {
            if (operation.effect != operations::Effect::read) all.emplace(operation.name, &operation);
        }
        return all;
    }();
    auto const found = by_name.find(verb);
    return found == by_name.end() ? nullptr : found->second;
}

boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> CallServer::caller_of(CallMessage const& message) {
    if (message.credential == events::ActorType::system) co_return system_caller(message.organization, message.sandbox);
    co_return co_await find_caller_(message.credential, message.credentialId, message.credentialOrganization);
}

boost::asio::awaitable<core::Result<CallAnswer>> CallServer::run(CallMessage const& message, std::string_view body,
                                                                 std::chrono::steady_clock::time_point deadline) {
    auto const* const operation = find_operation(message.verb);
    if (operation == nullptr) {
        co_return core::refuse(Code::service_unavailable, "This process does not know the operation " + message.verb);
    }
    auto cause = cause_of(message);
    if (!cause) co_return tl::unexpected(cause.error());
    auto input = input_of(message, *operation, body);
    if (!input) co_return tl::unexpected(input.error());
    auto const refused = [&](core::Problem const& problem) {
        return CallAnswer{operations::refusal(problem, message.requestId, operation->http.errors)};
    };
    auto caller = co_await caller_of(message);
    // A person acts on the sandbox by the request, which the message is of.
    if (caller && message.sandbox && !operation->in_sandbox) {
        caller = operations::acting_on_sandbox(*std::move(caller));
    }
    if (!caller) co_return refused(caller.error());
    if (operations::is_tool_channel(cause->channel)) caller = operations::acting_caller(*caller);
    if (auto const problem = refusal_of(**caller, *operation, message)) co_return refused(*problem);
    operations::CallMeta meta{.request_id = message.requestId,
                              .session = message.session.value_or(0),
                              .organization = message.organization,
                              .sandbox = operations::is_about_sandbox(**caller, *operation),
                              .cause = *std::move(cause),
                              .expected_versions = message.expectedVersions,
                              .deadline = deadline};
    if (message.idempotency) {
        meta.idempotency = commands::Idempotency{message.idempotency->key, message.idempotency->fingerprint};
    }
    operations::Call call{services_, *operation, *caller, std::move(meta), *std::move(input)};
    bool const asks_only = message.asksOnly.value_or(false);
    auto outcome = co_await (asks_only ? operations::recall_answer(call) : operation->handler(call));
    if (outcome.status < 500) failures_.over();
    co_return CallAnswer{std::move(outcome), std::move(call.warnings), call.appended};
}

boost::asio::awaitable<net::Reply> CallServer::answer(net::Request const& request) {
    std::string request_id;
    try {
        auto const call = read_call(request.body);
        if (!call) co_return problem_reply(call.error(), "", "");
        auto const& [message, body] = *call;
        auto const deadline = deadline_of(message);
        request_id = message.requestId;
        if (co_await is_served_elsewhere(services_.processor, message.organization)) {
            co_return not_owner_reply(request_id, "");
        }
        auto const answer = co_await run(message, body, deadline);
        if (!answer) co_return problem_reply(answer.error(), request_id, "");
        // The partition may have been given away while the call came to its queue: nothing was done.
        bool const undone = answer->outcome.refused == Code::service_unavailable && !answer->appended;
        if (undone && co_await is_served_elsewhere(services_.processor, message.organization)) {
            co_return not_owner_reply(request_id, "");
        }
        core::log(core::Level::debug, "call",
                  {{"request_id", request_id},
                   {"client", message.clientAddress},
                   {"operation", message.verb},
                   {"status", static_cast<std::int64_t>(answer->outcome.status)}});
        net::Reply reply;
        reply.content_type = "application/octet-stream";
        reply.body = write_answer(*answer);
        co_return reply;
    } catch (...) {
        co_return problem_reply(
            failures_.met(std::current_exception(), {request_id, request.remote_address, kCallPath}), request_id, "");
    }
}

}  // namespace workforce::api
