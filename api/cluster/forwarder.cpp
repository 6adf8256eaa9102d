// The hop: header, request, answer.
#include "api/cluster/forwarder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/ascii.hpp"
#include "core/crypto.hpp"
#include "core/logging.hpp"
#include "core/time.hpp"

namespace workforce::api {
namespace {

constexpr std::string_view kHopField = "Workforce-Forwarded";
constexpr int kWaitsSince = 3;  // the revision of calls that tells how long the answer is waited for

bool same_name(std::string_view a, std::string_view b) { return core::ascii_lower(a) == core::ascii_lower(b); }

/// Whether a field of the client's belongs to its own connection, or is for us to set. What stays behind is not signed.
bool stays_behind(std::string_view name) {
    static constexpr std::array<std::string_view, 9> kNames = {
        "connection", "keep-alive",     "te",     "trailer", "transfer-encoding",
        "upgrade",    "content-length", "expect", kHopField};
    return std::any_of(kNames.begin(), kNames.end(), [&](auto own) { return same_name(name, own); });
}

net::ClientRequest copy_of(net::Request const& request) {
    net::ClientRequest copy{request.method_name, request.target, {}, request.body};
    for (auto const& header : request.headers) {
        if (!stays_behind(header.first)) copy.headers.push_back(header);
    }
    return copy;
}

/// The fields that travel, the same for both sides: on the way, fields of one name move together, and one that has no
/// Host gets it.
std::string signed_fields(net::Request const& request) {
    std::multimap<std::string, std::string_view> fields;
    for (auto const& [name, value] : request.headers) {
        if (!stays_behind(name) && !same_name(name, "host")) fields.emplace(core::ascii_lower(name), value);
    }
    std::string text;
    for (auto const& [name, value] : fields) text.append(name).append(":").append(value).append("\n");
    return text;
}

core::LogThrottle& owner_clock_differs() {
    static core::LogThrottle throttle(
        "a forwarded request was refused, for the clocks of two processes differ too much");
    return throttle;
}

/// Whether a field is one that the dispatcher puts on every answer.
bool is_common_field(net::Header const& header) {
    static constexpr std::array<std::string_view, 6> kNames = {"service-version", "x-request-id", "cache-control",
                                                               "deprecation",     "sunset",       "link"};
    return std::any_of(kNames.begin(), kNames.end(), [&](auto common) { return same_name(header.first, common); });
}

/// What the MAC of a request that comes from `origin` is over.
std::string hop_text(net::Request const& request, std::string_view origin) {
    return fmt::format("forward\n{}\n{} {}\n{}\n{}", origin, request.method_name, request.target,
                       signed_fields(request), request.body);
}

}  // namespace

net::Header HopSigner::sign(net::Request const& request, ForwardedFrom const& from) const {
    auto const origin = fmt::format("{} {} {}", core::now().ms, from.request_id, from.client_address);
    return {std::string(kHopField), origin + ' ' + keys_.mac(hop_text(request, origin))};
}

core::Result<std::optional<ForwardedFrom>> HopSigner::verify(net::Request const& request) const {
    auto const field = request.header(kHopField);
    if (!field) return std::optional<ForwardedFrom>();
    auto const refused =
        core::refuse(core::Code::unauthenticated, "The request was not forwarded by this installation.");
    auto const last = field->rfind(' ');
    if (last == std::string_view::npos) return refused;
    auto const origin = field->substr(0, last);
    if (!keys_.is_mac(field->substr(last + 1), hop_text(request, origin))) return refused;
    auto const first = origin.find(' ');
    auto const second = origin.find(' ', first + 1);
    if (!is_recent(origin.substr(0, first))) {
        owner_clock_differs().met(core::Level::warn, {{"request_id", origin.substr(first + 1, second - first - 1)},
                                                      {"sent_ms", origin.substr(0, first)}});
        // The sender is one of us and the client has done no wrong: it may come again, on another way.
        return core::refuse(core::Code::service_unavailable,
                            "The clocks of two processes of the service differ too much.");
    }
    owner_clock_differs().over();
    return std::optional(ForwardedFrom{std::string(origin.substr(first + 1, second - first - 1)),
                                       std::string(origin.substr(second + 1))});
}

boost::asio::awaitable<core::Result<net::Reply>> Forwarder::send(workers::Owner const& owner, CallMessage message,
                                                                 std::string_view body, std::chrono::milliseconds limit,
                                                                 std::shared_ptr<net::ClientStop> stop) {
    if (owner.calls >= kWaitsSince) message.waitsMs = limit.count();
    if (owner.calls < workers::kToolsSince) {  // it would refuse what it does not know
        message.tool.reset();
        message.dedupeKey.reset();
    }
    if (owner.calls < workers::kSessionsSince) message.session.reset();
    net::ClientRequest request{"POST", std::string(kCallPath), {}, write_call(message, body)};
    request.headers.push_back(calls_.sign({owner.name, {message.organization, message.sandbox}}, request.method,
                                          request.target, request.body));
    return post(owner.admin_url, std::move(request), message.requestId, limit, std::move(stop));
}

boost::asio::awaitable<core::Result<net::Reply>> Forwarder::forward(std::string address, net::Request const& request,
                                                                    ForwardedFrom from,
                                                                    std::shared_ptr<net::ClientStop> stop) {
    auto copy = copy_of(request);
    copy.headers.push_back(hops_.sign(request, from));
    auto reply =
        co_await post(std::move(address), std::move(copy), std::move(from.request_id), kForwardLimit, std::move(stop));
    if (reply) std::erase_if(reply->headers, is_common_field);
    co_return reply;
}

boost::asio::awaitable<core::Result<net::Reply>> Forwarder::post(std::string address, net::ClientRequest request,
                                                                 std::string request_id,
                                                                 std::chrono::milliseconds limit,
                                                                 std::shared_ptr<net::ClientStop> stop) {
    auto reply = co_await client_.send(address, std::move(request), net::within_installation(limit), std::move(stop));
    if (reply && !reply->truncated) {
        unreached_.over();
        co_return *std::move(reply);
    }
    auto const failure =
        reply ? net::ClientFailure{true, net::ClientFault::broken, "the answer is too long"} : std::move(reply.error());
    ++(failure.sent ? failed_.unknown : failed_.unsent);
    unreached_.met(core::Level::warn, {{"request_id", request_id}, {"owner", address}, {"error", failure.reason}});
    if (failure.sent) {
        co_return core::refuse(core::Code::log_unavailable,
                               "The outcome is unknown: retry with the same Idempotency-Key.");
    }
    co_return core::refuse(core::Code::service_unavailable,
                           "The process that serves this organization can't be reached.");
}

}  // namespace workforce::api
