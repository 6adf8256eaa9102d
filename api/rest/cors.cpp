// Fields of the Fetch standard.
#include "api/rest/cors.hpp"

namespace workforce::api {
namespace {

constexpr std::string_view kRequestFields =
    "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, Service-Version";
constexpr std::string_view kAnswerFields =
    "Deprecation, ETag, Link, Location, Retry-After, Service-Version, Sunset, WWW-Authenticate, X-Request-Id";
constexpr std::string_view kMcpAnswerFields =
    "Mcp-Stream-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Request-Id";
constexpr std::string_view kTrustSeconds = "7200";  // as long as browsers take

}  // namespace

std::optional<net::Reply> answer_preflight(net::Request const& request, Router const& router) {
    bool const asks = request.method == net::Method::options && request.fault == net::RequestFault::none &&
                      request.header("Origin") && request.header("Access-Control-Request-Method");
    if (!asks) return std::nullopt;
    auto methods = router.shared_methods(request.path());
    if (methods.empty()) return std::nullopt;
    net::Reply reply;
    reply.status = 204;
    reply.headers = {{"Access-Control-Allow-Origin", "*"},
                     {"Access-Control-Allow-Methods", std::move(methods)},
                     {"Access-Control-Allow-Headers", std::string(kRequestFields)},
                     {"Access-Control-Max-Age", std::string(kTrustSeconds)}};
    return reply;
}

net::Reply mcp_preflight(std::string_view origin) {
    net::Reply reply;
    reply.status = 204;
    reply.headers = {{"Access-Control-Allow-Methods", "GET, POST"},
                     {"Access-Control-Allow-Headers",
                      "Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, MCP-Protocol-Version, "
                      "Mcp-Method, Mcp-Name, Mcp-Session-Id"},
                     {"Access-Control-Max-Age", std::string(kTrustSeconds)}};
    allow_origin(reply, origin);
    return reply;
}

void allow_origin(net::Reply& reply, std::string_view origin) {
    reply.headers.emplace_back("Access-Control-Allow-Origin", origin);
    reply.headers.emplace_back("Access-Control-Expose-Headers", kMcpAnswerFields);
    reply.headers.emplace_back("Vary", "Origin");
}

void add_cors_headers(net::Reply& reply) {
    reply.headers.emplace_back("Access-Control-Allow-Origin", "*");
    reply.headers.emplace_back("Access-Control-Expose-Headers", kAnswerFields);
}

}  // namespace workforce::api
