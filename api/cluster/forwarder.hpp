// Calls for a partition that another process writes: sent on to that process, one hop. To a process of the release
// before calls, requests are sent on as they came.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/cluster/call_message.hpp"
#include "api/cluster/internal_requests.hpp"
#include "api/cluster/shared_keys.hpp"
#include "core/log_throttle.hpp"
#include "core/result.hpp"
#include "net/http_client.hpp"
#include "workers/cluster/owners.hpp"

namespace workforce::api {

/// What the process that took a request in says of it to the one that serves it. The owner authenticates the caller
/// itself; this only shows that the hop comes from the same installation.
struct ForwardedFrom {
    std::string request_id;
    std::string client_address;  ///< of the connection that the request came in on
};

/// Puts the hop's header on a request and takes it off again: HMAC-SHA256 over time, origin and request, all of its
/// headers that travel along included, under a key that the processes of one installation share. Thread-safe.
class HopSigner {
   public:
    explicit HopSigner(SharedKeys keys) : keys_(std::move(keys)) {}

    /// The header that forwards a request.
    [[nodiscard]] net::Header sign(net::Request const& request, ForwardedFrom const& from) const;
    /// Where a forwarded request came from; nothing for one that was not forwarded.
    /// Errors: UNAUTHENTICATED for a header that is not of this installation, or older than half a minute.
    [[nodiscard]] core::Result<std::optional<ForwardedFrom>> verify(net::Request const& request) const;

   private:
    SharedKeys keys_;
};

/// The field by which a process answers a forwarded request that it does not serve the partition, and did nothing.
inline constexpr std::string_view kNotOwnerField = "Workforce-Not-Owner";

/// How long an answer is waited for: longer than an append may take before its outcome is unknown.
inline constexpr std::chrono::milliseconds kForwardLimit{15'000};

/// The keys of the two ways to sign what is sent on.
struct ForwardingKeys {
    SharedKeys hops;   ///< of requests as they came
    SharedKeys calls;  ///< of internal requests
};

/// Sends calls and requests on. Thread-safe.
class Forwarder {
   public:
    explicit Forwarder(ForwardingKeys keys) : hops_(std::move(keys.hops)), calls_(std::move(keys.calls)) {}

    /// The owner's reply to a call, for read_reply(). Errors: as forward().
    boost::asio::awaitable<core::Result<net::Reply>> send(workers::Owner const& owner, CallMessage message,
                                                          std::string_view body, std::chrono::milliseconds limit,
                                                          std::shared_ptr<net::ClientStop> stop = nullptr);

    /// The owner's answer, without the fields that every answer of ours gets. `address` is its admin listener.
    /// Errors: SERVICE_UNAVAILABLE when the owner certainly did nothing, LOG_UNAVAILABLE when that is not known, as
    /// after a `stop` while the request was with the owner.
    boost::asio::awaitable<core::Result<net::Reply>> forward(std::string address, net::Request const& request,
                                                             ForwardedFrom from,
                                                             std::shared_ptr<net::ClientStop> stop = nullptr);

    /// Requests that failed: the owner certainly did nothing, or that is not known.
    struct Failed {
        std::atomic<std::uint64_t> unsent{0};
        std::atomic<std::uint64_t> unknown{0};
    };
    [[nodiscard]] Failed const& failed() const { return failed_; }

    /// As HttpClient::close.
    void close() { client_.close(); }

   private:
    boost::asio::awaitable<core::Result<net::Reply>> post(std::string address, net::ClientRequest request,
                                                          std::string request_id, std::chrono::milliseconds limit,
                                                          std::shared_ptr<net::ClientStop> stop);

    HopSigner const hops_;
    InternalSigner const calls_;
    net::HttpClient client_;
    Failed failed_;
    core::LogThrottle unreached_{"a request could not be forwarded to the owner of its partition"};
};

}  // namespace workforce::api
