// Health, readiness, metrics and internal commands.
#include "api/admin_listener.hpp"

#include "api/administration.hpp"
#include "api/problem_reply.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"

namespace workforce::api {
namespace {

constexpr auto kReadyLag = std::chrono::seconds(10);  // domain 3.2: /readyz

Reply text_reply(unsigned status, std::string body, std::string type = "application/json") {
    Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    reply.content_type = std::move(type);
    return reply;
}

/// Whether the database answers, asked of it now.
boost::asio::awaitable<bool> database_answers(Runtime& runtime) {
    try {
        co_await runtime.writes.run([](core::Connection& connection) { connection.execute_sql("SELECT 1"); });
        co_return true;
    } catch (std::exception const&) {
        co_return false;
    }
}

void write_check(core::JsonWriter& w, std::string_view name, bool ok, std::string_view detail) {
    w.key(name);
    w.begin_object();
    w.member("ok", ok);
    if (!detail.empty()) w.member("detail", detail);
    w.end_object();
}

boost::asio::awaitable<Reply> readiness(AdminServices& services) {
    auto const status = services.progress.status();
    bool const database = co_await database_answers(services.runtime);
    bool claimed = true;
    for (auto const& partition : services.runtime.processor.partitions())
        claimed = claimed && partition->stats().epoch > 0;
    bool const fresh = status.started && status.lag < kReadyLag;
    bool const ok = database && claimed && fresh && status.stopped.empty();
    core::JsonWriter w;
    w.begin_object();
    w.member("status", ok ? "ok" : "unavailable");
    w.key("checks");
    w.begin_object();
    write_check(w, "database", database, "");
    write_check(w, "log", claimed, "");
    write_check(w, "projectionLag", fresh,
                std::to_string(status.lag_events) + " events, " + std::to_string(status.lag.count()) + " ms");
    write_check(w, "projections", status.stopped.empty(),
                status.stopped.empty()
                    ? ""
                    : status.stopped.front().projection + " stands at partition " +
                          std::to_string(status.stopped.front().partition) + " position " +
                          std::to_string(status.stopped.front().position) + ": " + status.stopped.front().reason);
    w.end_object();
    w.end_object();
    co_return text_reply(ok ? 200 : 503, w.take());
}

/// Reads a signed internal request's body.
template <class Body>
core::Result<Body> internal_body(Runtime const& runtime, Request const& request) {
    auto const signature = request.header("Workforce-Signature");
    if (!signature || !core::constant_time_equal(*signature, sign_internal(runtime, request.path(), request.body))) {
        return core::refuse(core::Code::unauthenticated, "The internal request is not signed by this installation.");
    }
    auto document = core::parse_json(request.body);
    if (!document) return tl::unexpected(document.error());
    Body body;
    core::JsonReader reader;
    core::JsonType<Body>::read(*document, body, reader);
    if (!reader.errors().empty()) return tl::unexpected(core::validation_problem(reader.errors()));
    return body;
}

boost::asio::awaitable<core::Result<std::string>> create_key(AdminServices& services, Request const& request) {
    auto body = internal_body<CreateKeyRequest>(services.runtime, request);
    if (!body) co_return tl::unexpected(body.error());
    auto created = co_await create_api_key(services.runtime, body->organizationId, body->key);
    if (!created) co_return tl::unexpected(created.error());
    // Authentication reads the read model: the key is handed out once it is there.
    co_await services.progress.wait_for(created->partition, created->position,
                                        std::chrono::steady_clock::now() + std::chrono::seconds(2));
    co_return core::to_json(*created);
}

boost::asio::awaitable<core::Result<std::string>> revoke_key(AdminServices& services, Request const& request) {
    auto body = internal_body<RevokeKeyRequest>(services.runtime, request);
    if (!body) co_return tl::unexpected(body.error());
    auto revoked = co_await revoke_api_key(services.runtime, body->organizationId, body->keyId);
    if (!revoked) co_return tl::unexpected(revoked.error());
    co_return core::to_json(*revoked);
}

/// The answer to a request that another process forwarded; nothing for any other.
boost::asio::awaitable<std::optional<Reply>> answer_forwarded(AdminServices& services, Request const& request) {
    if (services.dispatcher == nullptr || request.fault != RequestFault::none) co_return std::nullopt;
    auto const from = services.hops->verify(request);
    if (!from) co_return problem_reply(from.error(), core::request_id(), "");
    if (!*from) co_return std::nullopt;
    co_return co_await services.dispatcher->answer_forwarded(request, (*from)->request_id);
}

boost::asio::awaitable<Reply> answer(AdminServices& services, Request const& request) {
    if (auto reply = co_await answer_forwarded(services, request)) co_return *std::move(reply);
    auto const path = request.path();
    bool const reads = request.method == Method::get || request.method == Method::head;
    if (request.fault != RequestFault::none)
        co_return problem_reply(fault_problem(request.fault), core::request_id(), "");
    if (reads && path == "/healthz") co_return text_reply(200, R"({"status":"ok"})");
    if (reads && path == "/readyz") co_return co_await readiness(services);
    if (reads && path == "/metrics") co_return text_reply(200, services.metrics.render(), "text/plain; version=0.0.4");
    core::Result<std::string> result = core::refuse(core::Code::not_found, "There is nothing at this path.");
    if (path.starts_with("/internal/") && !services.writable) {
        result = core::refuse(core::Code::service_unavailable, "The service is starting.");
    } else if (request.method == Method::post && path == "/internal/api-keys") {
        result = co_await create_key(services, request);
    } else if (request.method == Method::post && path == "/internal/api-keys/revoke") {
        result = co_await revoke_key(services, request);
    }
    if (!result) co_return problem_reply(result.error(), core::request_id(), "");
    co_return text_reply(200, *std::move(result));
}

}  // namespace

std::string sign_internal(Runtime const& runtime, std::string_view path, std::string_view body) {
    auto const text = std::string(path) + '\n' + std::string(body);
    return core::hex_encode(core::bytes(core::hmac_sha256(runtime.derived_key("internal requests"), text)));
}

RequestHandler admin_handler(AdminServices& services) {
    return [&services](Request const& request) -> boost::asio::awaitable<Reply> {
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
