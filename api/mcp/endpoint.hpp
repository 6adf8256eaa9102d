// The MCP host: messages, streams and their resumption (spec 4.1, /mcp*; domain 6.1).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tl/expected.hpp>

#include "api/mcp/stream.hpp"
#include "api/mcp/tool_call.hpp"
#include "api/stream_places.hpp"
#include "net/recent_map.hpp"
#include "operations/outcome.hpp"

namespace workforce::api::mcp {

/// Answers the requests of the MCP host, within the request path that it shares with REST. Thread-safe. What it refers
/// to outlives it, and it the connections that its answers go to.
class Endpoint {
   public:
    Endpoint(DispatcherParts const& parts, AdmissionControl& admission, StreamPlaces& streams, Failures& failures)
        : parts_(parts),
          admission_(admission),
          streams_(streams),
          failures_(failures),
          tools_(parts, admission, failures),
          client_names_(kMostClientNames) {}

    /// Refusals have JSON-RPC bodies, those of what is away as well.
    boost::asio::awaitable<net::Reply> answer(Incoming const& incoming, RequestNotes& notes);

   private:
    static constexpr std::size_t kMostClientNames = 4096;
    using ClientName = operations::ShortName<64>;

    /// What ends the requests that are under way, by lineage, the client's session and the request's id: clients that
    /// share a credential and name no session number their requests alike.
    using Cancellations = std::multimap<std::string, std::weak_ptr<Cancellation>>;
    class InFlight;

    boost::asio::awaitable<net::Reply> route(Incoming const& incoming, RequestNotes& notes);
    boost::asio::awaitable<net::Reply> post(Incoming const& incoming, RequestNotes& notes);
    /// Reads what the request asks, without its caller. Errors: the reply that refuses it.
    tl::expected<std::shared_ptr<Exchange>, net::Reply> read_exchange(Incoming const& incoming,
                                                                      RequestNotes& notes) const;
    /// Answers a request by a stream.
    boost::asio::awaitable<net::Reply> open_stream(std::shared_ptr<Exchange> exchange, Incoming const& incoming,
                                                   RequestNotes& notes);
    /// Answers a request by one reply.
    boost::asio::awaitable<net::Reply> reply_to(Exchange& exchange, Incoming const& incoming, RequestNotes& notes);
    /// Goes on with a stream. The path's `stream`, where it has one, is what the client's last event has to be of.
    boost::asio::awaitable<net::Reply> resume(Incoming const& incoming, std::string_view stream, RequestNotes& notes);
    /// Does what a notification asks for.
    void take_notice(Exchange const& exchange);
    /// The client's name: as this request tells it, or as the client did when it initialized; else that of the OAuth
    /// client, else its User-Agent.
    ClientName client_of(Exchange const& exchange);
    /// The answer to a request.
    boost::asio::awaitable<Answer> respond(Exchange& exchange);
    /// The reply whose body is the stream.
    net::Reply stream_reply(std::shared_ptr<Exchange> exchange, std::string id,
                            std::shared_ptr<FrameRecorder> recorder);
    boost::asio::awaitable<LastMessage> respond_in_stream(Exchange& exchange, std::shared_ptr<InFlight> kept);
    /// The refusal as a JSON-RPC error; notes when to come again where there were too many requests.
    [[nodiscard]] net::Reply refusal(core::Problem const& problem, Incoming const& incoming, RequestNotes& notes) const;

    DispatcherParts const& parts_;
    AdmissionControl& admission_;
    StreamPlaces& streams_;
    Failures& failures_;
    ToolCaller tools_;
    std::mutex mutex_;  // guards what follows
    Cancellations in_flight_;
    net::RecentMap<ClientName> client_names_;  // from `initialize`, which no session id connects with later requests
};

}  // namespace workforce::api::mcp
