// Attempts over the one outbound client.
#include "workers/webhooks/sender.hpp"

#include <chrono>
#include <utility>

#include "core/utf8.hpp"
#include "net/outbound_url.hpp"

namespace workforce::workers {
namespace {

using Clock = std::chrono::steady_clock;

net::ClientRequest request_of(OutgoingDelivery const& delivery, net::OutboundUrl const& url, core::Timestamp now) {
    net::ClientRequest request{.method = "POST", .target = url.target, .headers = {}, .body = *delivery.body};
    auto& headers = request.headers;
    headers = signature_headers(delivery.secrets, delivery.event_id, now, *delivery.body);
    headers.emplace_back("Content-Type", "application/json");
    headers.emplace_back("User-Agent", "Service-Webhooks/1");
    headers.emplace_back("X-Service-Event", delivery.event_type);
    headers.emplace_back("X-Service-Delivery", std::to_string(delivery.id));
    if (delivery.attempt > 1) headers.emplace_back("X-Service-Retry", std::to_string(delivery.attempt));
    if (!delivery.correlation_id.empty()) headers.emplace_back("X-Service-Correlation", delivery.correlation_id);
    return request;
}

/// The class of a failure, as deliveries tell it (domain 1.12).
std::string_view name_of(net::ClientFault fault) {
    switch (fault) {
        case net::ClientFault::dns:
            return "dns";
        case net::ClientFault::blocked_address:
            return "blocked_address";
        case net::ClientFault::tls:
            return "tls";
        case net::ClientFault::timeout:
            return "timeout";
        case net::ClientFault::connect:
        case net::ClientFault::broken:
        case net::ClientFault::stopped:
            return "connect";
    }
    return "connect";
}

/// At most so many bytes of valid UTF-8, cut between characters.
std::string cut_text(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
    text.resize(most);
    return text;
}

void judge(AttemptResult& result, net::Reply const& reply) {
    result.status_code = static_cast<int>(reply.status);
    result.delivered = reply.status >= 200 && reply.status < 300;
    if (!result.delivered) result.error = "non_2xx: the receiver answered " + std::to_string(reply.status);
    auto text = core::to_valid_utf8(reply.body);
    result.response_truncated = reply.truncated || text.size() > WebhookSender::kKeptResponse;
    result.response_body = cut_text(std::move(text), WebhookSender::kKeptResponse);
}

}  // namespace

net::ClientLimits WebhookSender::limits() const {
    net::ClientLimits limits;
    limits.addresses = allow_insecure_ ? net::AddressPolicy::public_or_loopback : net::AddressPolicy::public_only;
    return limits;
}

boost::asio::awaitable<tl::expected<void, std::string>> WebhookSender::check_url(std::string url) const {
    auto const parsed = net::parse_outbound_url(url, allow_insecure_);
    if (!parsed) co_return tl::unexpected(parsed.error());
    auto const checked = co_await client_.check(*parsed, limits());
    if (!checked) co_return tl::unexpected("names a host that can't be posted to: " + checked.error().reason);
    co_return tl::expected<void, std::string>{};
}

boost::asio::awaitable<AttemptResult> WebhookSender::send(OutgoingDelivery delivery, core::Timestamp now) const {
    AttemptResult result;
    auto const url = net::parse_outbound_url(delivery.url, allow_insecure_);
    if (!url) {
        result.error = "blocked_address: the address " + url.error();
        co_return result;
    }
    auto const begun = Clock::now();
    auto reply = co_await client_.send(*url, request_of(delivery, *url, now), limits());
    auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun);
    result.duration_ms = static_cast<int>(took.count());
    if (reply) {
        judge(result, *reply);
    } else {
        result.error = std::string(name_of(reply.error().kind)) + ": " + reply.error().reason;
    }
    co_return result;
}

}  // namespace workforce::workers
