// The one client: HTTP/1.1, plain and over TLS, with connections that are kept.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "net/address_policy.hpp"
#include "net/http.hpp"
#include "net/name_resolver.hpp"
#include "net/outbound_url.hpp"

namespace workforce::net {

/// A request to send; Host, Content-Length and the connection's own fields are added unless given.
struct ClientRequest {
    std::string method;
    std::string target;  ///< path and query; empty: those of the URL
    std::vector<Header> headers;
    std::string body;
};

/// What kept an answer away.
enum class ClientFault : std::uint8_t {
    dns,              ///< the name has no address, or nobody could tell
    blocked_address,  ///< the name stands for an address that the policy does not allow
    connect,          ///< no address took the connection
    tls,              ///< the server could not prove its name, or speaks no TLS of ours
    timeout,          ///< too slow at any of this
    broken,           ///< the connection ended before the answer did, or the answer is none of HTTP
    stopped,          ///< ended by its ClientStop
};

/// Why there is no answer.
struct ClientFailure {
    bool sent = false;  ///< the other side may have acted on it; false: it certainly has not
    ClientFault kind = ClientFault::broken;
    std::string reason;  ///< for people; names no address that a name resolves to
};

/// How much a request may take.
struct ClientLimits {
    std::chrono::milliseconds connect{3000};  ///< until a connection stands: look-up, TCP and TLS
    std::chrono::milliseconds whole{10'000};  ///< until the answer is whole, `connect` included
    std::size_t most_body = 64 << 10;         ///< what is more of the answer's body is cut off: Reply::truncated
    AddressPolicy addresses = AddressPolicy::public_only;
};

/// Those of requests between the processes of an installation: no answer of theirs is as large.
inline ClientLimits within_installation(std::chrono::milliseconds whole) {
    return {whole, whole, std::size_t{64} << 20, AddressPolicy::anything};
}

/// What a client is made with.
struct ClientOptions {
    std::string ca_file{};                   ///< authorities that are trusted besides the system's, in PEM; or none
    LookUp look_up = look_up_by_system;      ///< how names are resolved
    std::size_t most_idle = 256;             ///< connections that are kept
    std::size_t most_idle_of_peer = 64;      ///< of these, to one server from one io_context
    std::chrono::milliseconds idle{20'000};  ///< for so long; less than the time after which servers close them
};

/// Ends a send before its time. Made for one send, on whose executor all happens that is not said to be for any thread.
class ClientStop {
   public:
    explicit ClientStop(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    /// Ends the send if it is still under way; any thread. The executor's io_context must still exist.
    static void request(std::shared_ptr<ClientStop> stop);
    /// Whether it was ended, or is to be.
    [[nodiscard]] bool requested() const { return requested_; }

   private:
    friend class HttpClient;
    boost::asio::any_io_executor executor_;
    bool requested_ = false;
    std::function<void()> close_;  // the connection in use
};

/// Sends requests, each once: one that broke off is not repeated, a redirect is an answer, and no proxy is asked.
/// Answers are not decompressed, and none is asked for compressed. Each address that a name resolves to is checked by
/// the policy before any is connected to, at every connect; a kept connection is checked by its address again.
///
/// Thread-safe; each connection stays on the io_context that opened it, which runs on one thread. Needs no thread for
/// a send, but for a look-up (NameResolver).
class HttpClient {
   public:
    explicit HttpClient(ClientOptions options = {});
    /// As close().
    ~HttpClient();
    HttpClient(HttpClient const&) = delete;
    HttpClient& operator=(HttpClient const&) = delete;

    /// Sends to the URL and awaits the answer. Never throws for what the network does. `stop` may be null.
    boost::asio::awaitable<tl::expected<Reply, ClientFailure>> send(OutboundUrl url, ClientRequest request,
                                                                    ClientLimits limits,
                                                                    std::shared_ptr<ClientStop> stop = nullptr);
    /// The same, to an address that the operator or another process gave (parse_internal_url).
    boost::asio::awaitable<tl::expected<Reply, ClientFailure>> send(std::string address, ClientRequest request,
                                                                    ClientLimits limits,
                                                                    std::shared_ptr<ClientStop> stop = nullptr);

    /// Whether the policy allows all that the URL's host resolves to; connects to nothing. Errors: dns,
    /// blocked_address, timeout (ClientLimits::connect).
    boost::asio::awaitable<tl::expected<void, ClientFailure>> check(OutboundUrl url, ClientLimits limits);

    /// Closes the connections that are kept, keeps no more, and resolves no more names; call it while the io_contexts
    /// of those who sent still exist.
    void close();

   private:
    struct Parts;
    struct Exchange;
    std::unique_ptr<Parts> parts_;
};

}  // namespace workforce::net
