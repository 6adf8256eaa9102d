// Health, readiness, metrics and internal commands.
#include "api/admin/admin_listener.hpp"

#include "api/admin/administration.hpp"
#include "api/admin/payroll_callback.hpp"
#include "api/admin/readiness.hpp"
#include "api/cluster/cluster.hpp"
#include "api/cluster/internal_signature.hpp"
#include "api/problem_reply.hpp"
#include "core/ascii.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/log_throttle.hpp"
#include "core/logging.hpp"

namespace workforce::api {
namespace {

/// As long as a read waits for what its caller wrote.
constexpr std::chrono::seconds kShownWithin{5};

net::Reply text_reply(unsigned status, std::string body, std::string type = "application/json") {
    net::Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    reply.content_type = std::move(type);
    return reply;
}

/// Whether the caller may know what the installation is made of.
bool is_administrator(AdminServices const& services, net::Request const& request) {
    if (services.loopback) return true;
    constexpr std::string_view kScheme = "bearer ";
    auto const header = request.header("Authorization").value_or("");
    bool const bearer = core::ascii_lower(header.substr(0, kScheme.size())) == kScheme;
    return bearer && !services.token.empty() &&
           core::constant_time_equal(header.substr(kScheme.size()), services.token);
}

core::LogThrottle& clocks_differ() {
    static core::LogThrottle throttle(
        "an internal request was refused, for the clocks of two processes differ too much");
    return throttle;
}

core::Problem problem_of(InternalFault fault, net::Request const& request) {
    switch (fault) {
        case InternalFault::other_addressee:
            return {core::Code::service_unavailable, "The internal request is for another process."};
        case InternalFault::clocks_differ:
            // The sender is one of us and its client has done no wrong: it may come again, on another way.
            clocks_differ().met(core::Level::warn, {{"from", request.remote_address}});
            return {core::Code::service_unavailable, "The clocks of two processes of the service differ too much."};
        case InternalFault::replayed:
            return {core::Code::unauthenticated, "The internal request was sent twice."};
        case InternalFault::forged:
            break;
    }
    return {core::Code::unauthenticated, "The internal request is not signed by this installation."};
}

/// Why an internal request is not taken, or nothing.
std::optional<core::Problem> misfit(AdminServices& services, net::Request const& request) {
    // The command line signs both ways, for processes of the release before.
    auto const as_before = request.header("Workforce-Signature");
    if (!request.header(kInternalField)) {
        bool const ours = is_signed_internal({services.runtime.master_keys, kInternalPurpose}, as_before,
                                             request.path(), request.body);
        if (!ours) return problem_of(InternalFault::forged, request);
    } else if (auto const fault = services.internal.take(request)) {
        return problem_of(*fault, request);
    }
    if (as_before && !services.internal.take_once(*as_before)) return problem_of(InternalFault::replayed, request);
    clocks_differ().over();
    return std::nullopt;
}

boost::asio::awaitable<net::Reply> answer_call(AdminServices& services, net::Request const& request) {
    if (auto const fault = services.internal.take(request)) {
        if (*fault == InternalFault::other_addressee) co_return not_owner_reply(core::request_id(), "");
        co_return problem_reply(problem_of(*fault, request), core::request_id(), "");
    }
    clocks_differ().over();
    co_return co_await services.calls->answer(request);
}

/// Reads an internal request's body.
template <class Body>
core::Result<Body> internal_body(AdminServices& services, net::Request const& request) {
    if (auto const problem = misfit(services, request)) return tl::unexpected(*problem);
    auto document = core::parse_json(request.body);
    if (!document) return tl::unexpected(document.error());
    Body body;
    core::JsonReader reader;
    core::JsonType<Body>::read(*document, body, reader);
    if (!reader.errors().empty()) return tl::unexpected(core::validation_problem(reader.errors()));
    return body;
}

/// What retries of the request have in common, where the command line says so.
std::string request_key(net::Request const& request) {
    auto const query = request.query();
    return query.starts_with(kRequestKey) ? std::string(query.substr(kRequestKey.size())) : std::string();
}

boost::asio::awaitable<core::Result<std::string>> create_key(AdminServices& services, net::Request const& request) {
    auto body = internal_body<CreateKeyRequest>(services, request);
    if (!body) co_return tl::unexpected(body.error());
    auto created = co_await create_api_key(services.runtime, body->organizationId, body->key, request_key(request));
    if (!created) co_return tl::unexpected(created.error());
    // Authentication reads the read model: the key is handed out once it is there.
    co_await services.progress.wait_for(created->partition, created->position,
                                        std::chrono::steady_clock::now() + kShownWithin);
    co_return core::to_json(*created);
}

boost::asio::awaitable<core::Result<std::string>> revoke_key(AdminServices& services, net::Request const& request) {
    auto body = internal_body<RevokeKeyRequest>(services, request);
    if (!body) co_return tl::unexpected(body.error());
    auto revoked = co_await revoke_api_key(services.runtime, body->organizationId, body->keyId);
    if (!revoked) co_return tl::unexpected(revoked.error());
    co_return core::to_json(*revoked);
}

boost::asio::awaitable<core::Result<std::string>> set_up(AdminServices& services, net::Request const& request) {
    auto body = internal_body<SetUpUserRequest>(services, request);
    if (!body) co_return tl::unexpected(body.error());
    auto done = co_await set_up_user(services.runtime, *std::move(body), request_key(request));
    if (!done) co_return tl::unexpected(done.error());
    co_return core::to_json(*done);
}

boost::asio::awaitable<core::Result<std::string>> change_account(AdminServices& services, net::Request const& request) {
    auto body = internal_body<AccountRequest>(services, request);
    if (!body) co_return tl::unexpected(body.error());
    co_return co_await set_account(services.runtime, *body);
}

boost::asio::awaitable<core::Result<std::string>> change_client(AdminServices& services, net::Request const& request) {
    auto body = internal_body<OAuthClientRequest>(services, request);
    if (!body) co_return tl::unexpected(body.error());
    auto const changed = co_await change_oauth_client(services.runtime, *std::move(body));
    if (!changed) co_return tl::unexpected(changed.error());
    co_return core::to_json(*changed);
}

boost::asio::awaitable<core::Result<std::string>> reset(AdminServices& services, net::Request const& request) {
    auto body = internal_body<ResetSandboxRequest>(services, request);
    if (!body) co_return tl::unexpected(body.error());
    auto done = co_await reset_sandbox(services.runtime, *body, request_key(request));
    if (!done) co_return tl::unexpected(done.error());
    co_return core::to_json(*done);
}

boost::asio::awaitable<core::Result<std::string>> erase(AdminServices& services, net::Request const& request) {
    auto body = internal_body<ErasePersonRequest>(services, request);
    if (!body) co_return tl::unexpected(body.error());
    auto erased = co_await erase_person(services.runtime, *std::move(body));
    if (!erased) co_return tl::unexpected(erased.error());
    // What reads show once this is answered has nothing of the person.
    co_await services.progress.wait_for(erased->partition, erased->position,
                                        std::chrono::steady_clock::now() + kShownWithin);
    co_return core::to_json(*erased);
}

/// The answer to a request that another process forwarded; nothing for any other.
boost::asio::awaitable<std::optional<net::Reply>> answer_forwarded(AdminServices& services,
                                                                   net::Request const& request) {
    if (services.dispatcher == nullptr || request.fault != net::RequestFault::none) co_return std::nullopt;
    auto from = services.hops->verify(request);
    if (!from) co_return problem_reply(from.error(), core::request_id(), "");
    if (!*from) co_return std::nullopt;
    co_return co_await services.dispatcher->answer_forwarded(request, **std::move(from));
}

boost::asio::awaitable<net::Reply> answer(AdminServices& services, net::Request const& request) {
    if (auto reply = co_await answer_forwarded(services, request)) co_return *std::move(reply);
    auto const path = request.path();
    bool const reads = request.method == net::Method::get || request.method == net::Method::head;
    if (request.fault != net::RequestFault::none)
        co_return problem_reply(fault_problem(request.fault), core::request_id(), "");
    if (reads && path == "/healthz") co_return text_reply(200, R"({"status":"ok"})");
    if (reads && path == "/readyz") {
        auto const state = co_await readiness(services);
        co_return text_reply(state.ready ? 200 : 503,
                             is_administrator(services, request) ? state.checks : state.status);
    }
    if (reads && path == "/statusz") {
        if (!is_administrator(services, request)) {
            co_return problem_reply({core::Code::unauthenticated, "This takes the token of admin_token_file."},
                                    core::request_id(), "");
        }
        co_return text_reply(200, co_await status_report(services));
    }
    if (reads && path == "/metrics") co_return text_reply(200, services.metrics.render(), "text/plain; version=0.0.4");
    bool const posts = request.method == net::Method::post;
    if (posts && path == kCallPath && services.calls != nullptr) co_return co_await answer_call(services, request);
    core::Result<std::string> result = core::refuse(core::Code::not_found, "There is nothing at this path.");
    if (posts && path == kPayrollCallbackPath) {
        result = co_await take_payroll_report(services.runtime.writes, services.payroll_secret, request);
    } else if (path.starts_with("/internal/") && !services.writable) {
        result = core::refuse(core::Code::service_unavailable, "The service is starting.");
    } else if (posts && path == "/internal/api-keys") {
        result = co_await create_key(services, request);
    } else if (posts && path == "/internal/api-keys/revoke") {
        result = co_await revoke_key(services, request);
    } else if (posts && path == "/internal/users") {
        result = co_await set_up(services, request);
    } else if (posts && path == "/internal/accounts") {
        result = co_await change_account(services, request);
    } else if (posts && path == "/internal/oauth-clients") {
        result = co_await change_client(services, request);
    } else if (posts && path == "/internal/sandbox/reset") {
        result = co_await reset(services, request);
    } else if (posts && path == "/internal/erase") {
        result = co_await erase(services, request);
    }
    if (!result) co_return problem_reply(result.error(), core::request_id(), "");
    co_return text_reply(200, *std::move(result));
}

}  // namespace

net::BodyGate admin_body_gate(AdminServices& services) {
    return [&services](net::Request const& request) -> boost::asio::awaitable<net::Admission> {
        net::Admission anonymous{net::holder_of(request.remote_address), {}};
        if (auto const lane = services.internal.lane(request)) co_return net::Admission{net::holder_of(*lane), {}};
        if (services.dispatcher == nullptr) co_return anonymous;
        auto admission = co_await services.dispatcher->admit(request);
        // What is refused is so by the handler: a process that forwards must get its whole request through.
        co_return admission.holder ? std::move(admission) : std::move(anonymous);
    };
}

net::RequestHandler admin_handler(AdminServices& services) {
    return [&services](net::Request const& request) -> boost::asio::awaitable<net::Reply> {
        try {
            co_return co_await answer(services, request);
        } catch (std::exception const& error) {
            core::log(core::Level::error, "an admin request failed",
                      {{"path", request.path()}, {"error", error.what()}});
        }
        co_return problem_reply({core::Code::internal_error, "Something went wrong on our side."}, core::request_id(),
                                "");
    };
}

}  // namespace workforce::api
