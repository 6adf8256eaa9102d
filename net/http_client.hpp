// A client for the processes of this installation: HTTP/1.1 with connections that are kept.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "net/http.hpp"

namespace workforce::net {

/// A request to send; Host, Content-Length and the connection's own fields are added unless given.
struct ClientRequest {
    std::string method;
    std::string target;  ///< path and query
    std::vector<Header> headers;
    std::string body;
};

/// Why there is no answer.
struct ClientFailure {
    bool sent = false;  ///< the other side may have acted on it; false: it certainly has not
    std::string reason;
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

/// Sends requests to http:// addresses that the operator or another process of the installation gave, never to ones
/// from a caller. Thread-safe; each connection stays on the io_context that opened it.
class HttpClient {
   public:
    HttpClient();
    ~HttpClient();
    HttpClient(HttpClient const&) = delete;
    HttpClient& operator=(HttpClient const&) = delete;

    /// Sends and awaits the whole answer, for at most `limit`. `address` is "http://host:port". Never throws for what
    /// the network does. A request is sent once: one that broke off is not repeated. `stop` may be null.
    boost::asio::awaitable<tl::expected<Reply, ClientFailure>> send(std::string address, ClientRequest request,
                                                                    std::chrono::milliseconds limit,
                                                                    std::shared_ptr<ClientStop> stop = nullptr);

    /// Closes the connections that are kept; call it while the io_contexts of those who sent still exist.
    void close_idle();

   private:
    struct Pool;
    std::unique_ptr<Pool> pool_;
};

}  // namespace workforce::net
