// One attempt at a delivery: composed, signed, sent and judged.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "core/text.hpp"
#include "core/time.hpp"
#include "net/http_client.hpp"
#include "workers/webhooks/signature.hpp"

namespace workforce::workers {

/// What is to be sent.
struct OutgoingDelivery {
    core::Id id = 0;  ///< of the attempt
    std::string url;
    SigningSecrets secrets;
    std::string event_id;
    std::string event_type;
    std::string correlation_id;  ///< of the event's first cause; empty: none
    int attempt = 1;
    std::shared_ptr<std::string const> body;
};

/// What came of it.
struct AttemptResult {
    bool delivered = false;
    std::optional<int> status_code{};
    std::string response_body{};  ///< what of it is kept, as UTF-8
    bool response_truncated = false;
    std::optional<std::string> error{};  ///< its class and what happened: "connect: Connection refused"
    int duration_ms = 0;
};

/// Sends deliveries to addresses that customers gave (domain 7.2). Thread-safe.
class WebhookSender {
   public:
    /// Of a response's body what is kept.
    static constexpr std::size_t kKeptResponse = 4096;

    /// `allow_insecure` lets http and loopback addresses receive, for development. The client outlives it.
    WebhookSender(net::HttpClient& client, bool allow_insecure) : client_(client), allow_insecure_(allow_insecure) {}

    /// Whether that may be a subscriber's address, as far as its text and what its name resolves to now tell. Errors:
    /// why not, for the subscriber.
    boost::asio::awaitable<tl::expected<void, std::string>> check_url(std::string url) const;

    /// Makes the attempt, for ten seconds at most. Never throws for what the network or the receiver does.
    boost::asio::awaitable<AttemptResult> send(OutgoingDelivery delivery, core::Timestamp now) const;

   private:
    [[nodiscard]] net::ClientLimits limits() const;

    net::HttpClient& client_;
    bool const allow_insecure_;
};

}  // namespace workforce::workers
