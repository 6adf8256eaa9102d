// The HTTP/1.1 server: listens, keeps connections within limits, hands whole requests to one handler.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/networks.hpp"
#include "net/address_places.hpp"
#include "net/http.hpp"
#include "net/request_parser.hpp"

namespace workforce::net {

/// How long a connection may take for each step. A step is ended up to a quarter of the shortest of these (at most one
/// second) later, as one sweep a thread looks after all of its connections.
struct ServerTimeouts {
    std::chrono::milliseconds idle{60'000};  ///< between requests, and before the first: closed without an answer
    std::chrono::milliseconds head{10'000};  ///< from the first byte of a request to the end of its head
    std::chrono::milliseconds body{30'000};  ///< from the end of the head to the end of the body
    std::chrono::milliseconds body_window{10'000};  ///< in each of these a body brings its least rate, or its end
    std::chrono::milliseconds write{30'000};        ///< for one whole answer, of a stream for one piece
    std::chrono::milliseconds heartbeat{15'000};    ///< of silence in a stream, then it has one
    std::chrono::milliseconds linger{2'000};        ///< for the client to read a last answer while it still sends
};

/// A port to listen on.
struct ServerPort {
    std::uint16_t number = 0;       ///< 0: any free one, see Server::port()
    std::string option = "--port";  ///< what the text about a port in use tells people to change
};

/// Where to listen, and within which limits.
struct ServerOptions {
    std::string host = "127.0.0.1";                  ///< an address of this machine, or a name of one
    std::vector<ServerPort> ports = {ServerPort{}};  ///< all of that address; one at least
    std::size_t threads = 1;                         ///< I/O threads, at least one
    std::size_t max_connections = 10'000;            ///< more are told 503
    /// Connections that are being told 503 at a time; past these they are closed without an answer.
    std::size_t max_refusals = 256;
    /// Connections of one client's address at a time; more are closed without an answer. 0: any number. Those of
    /// trusted proxies are not counted.
    std::size_t connections_per_address = 0;
    core::Networks trusted_proxies{};   ///< of proxies that tell a client's address, see client_address()
    ByteLimits bodies{};                ///< of bodies that did not come with their heads; past it 503
    std::size_t least_body_rate = 512;  ///< bytes a second; a slower body is told 408
    BodyGate body_gate{};               ///< unset: bodies are anonymous
    RequestLimits limits{};
    ServerTimeouts timeouts{};
    /// Told of rare trouble (a handler that threw, no file descriptors left), from an I/O thread. May be empty.
    std::function<void(std::string)> on_error{};
};

/// What has happened since the start; read from any thread.
struct ServerCounters {
    std::atomic<std::uint64_t> open_connections{0};  ///< now
    std::atomic<std::uint64_t> accepted_connections{0};
    std::atomic<std::uint64_t> refused_connections{0};   ///< over max_connections
    std::atomic<std::uint64_t> refused_of_address{0};    ///< over connections_per_address
    std::atomic<std::uint64_t> refusing_connections{0};  ///< now, being told so
    std::atomic<std::uint64_t> open_streams{0};          ///< now
    std::atomic<std::uint64_t> requests{0};              ///< whole ones, handed to the handler
    std::atomic<std::uint64_t> faults{0};                ///< those handed to it with a fault, or with a body unread
};

/// One I/O thread of a server; an implementation detail.
class IoThread;

/// Serves HTTP/1.1 and HTTP/1.0 (RFC 9112) on ports of one address. Each I/O thread has an io_context and acceptors of
/// its own (SO_REUSEPORT), and each connection one coroutine on its thread, so a handler needs no lock against its
/// connection. Requests that were sent ahead are answered in order, each answer written before the next handler starts.
/// Construct, start, stop and destroy from one thread that is not an I/O thread.
class Server {
   public:
    /// The handler is called on several threads at once when options.threads > 1.
    Server(ServerOptions options, RequestHandler handler);
    /// Stops without grace. Handlers that still wait for something are destroyed, so whatever could resume them must be
    /// gone, or know that they are.
    ~Server();
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    /// Takes the address; connections wait there until start(). Throws std::runtime_error with one line for the
    /// operator when it cannot be had, e.g. "port 8080 on 127.0.0.1 is in use (choose another with --port)".
    void listen();
    /// Starts the threads, after listen() where that was not called yet. Throws as listen().
    void start();

    /// Stops listening and closes idle connections at once; requests under way are answered with "Connection: close",
    /// and streams are told (Stream::State::stopping). What is not done after `grace` is cut. Returns when the threads
    /// have ended; calling it again does nothing. Work of others on the executors is left undone, and is destroyed with
    /// the server.
    void stop(std::chrono::milliseconds grace);

    /// The port it listens on, by its place in the options; 0 before listen().
    [[nodiscard]] std::uint16_t port(std::size_t index = 0) const { return ports_.empty() ? 0 : ports_.at(index); }
    [[nodiscard]] std::size_t thread_count() const { return threads_.size(); }
    /// The executor of one I/O thread, index below thread_count(); usable before start().
    [[nodiscard]] boost::asio::any_io_executor executor(std::size_t index);
    [[nodiscard]] ServerCounters const& counters() const { return counters_; }
    /// Bytes of bodies at hand now that did not come with their heads.
    [[nodiscard]] std::size_t body_memory() const { return bodies_.used(); }

   private:
    ServerOptions const options_;
    RequestHandler const handler_;
    ServerCounters counters_;
    ByteBudget bodies_;
    AddressPlaces places_;
    std::vector<std::unique_ptr<IoThread>> threads_;
    std::vector<std::uint16_t> ports_;
};

}  // namespace workforce::net
