// One client's connection: reads requests, runs the handler, writes answers; ends on time-outs and when told to stop.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/networks.hpp"
#include "net/http.hpp"
#include "net/reply_writer.hpp"
#include "net/request_parser.hpp"
#include "net/server.hpp"
#include "net/stream_writer.hpp"

namespace workforce::net {

class Connection;

/// The address at the other end of a connection; nothing once the other end is gone.
std::optional<core::IpAddress> peer_of(boost::asio::ip::tcp::socket const& socket);

/// What the connections of one I/O thread share. Touched on that thread only; outlives its connections.
struct ConnectionSet {
    ServerOptions const& options;
    RequestHandler const& handler;
    ServerCounters& counters;
    ByteBudget& bodies;
    std::function<void()> on_drained;  ///< the last connection ended while stopping
    ReplyWriter writer{};
    std::list<Connection*> members{};
    bool stopping = false;
};

/// Registers itself in its set for as long as it lives. It has no timer: the owner of the set calls expire() now and
/// then, which costs a request nothing but reading the clock.
class Connection {
   public:
    using Clock = std::chrono::steady_clock;

    /// `peer` is the socket's, as peer_of() has it. `count` counts connections of its kind, which is one less at its
    /// end.
    Connection(ConnectionSet& set, boost::asio::ip::tcp::socket socket, std::optional<core::IpAddress> peer,
               std::atomic<std::uint64_t>& count);
    ~Connection();
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;

    /// Serves until the connection is to end. Throws what the handler throws.
    boost::asio::awaitable<void> run();

    /// Tells the client that there are too many connections, whatever it asks for. Throws as run().
    boost::asio::awaitable<void> refuse();

    /// Ends the step that is under way if its time is over at `now`.
    void expire(Clock::time_point now);
    /// Ends the connection if it waits for a request, and tells a stream. Called once the set is stopping.
    void begin_stop();
    /// Closes the socket whatever is under way.
    void cut();

   private:
    enum class Step : std::uint8_t { idle, head, body, other };

    bool parse_buffered();
    void find_client();
    boost::asio::awaitable<void> admit_body();
    void note_progress();
    [[nodiscard]] bool waits_for_continue() const;
    void begin(Step step, std::chrono::milliseconds limit);
    void begin_body();
    void begin_body_window(Clock::time_point now);
    std::span<char> free_space();
    boost::asio::awaitable<bool> receive();
    boost::asio::awaitable<bool> send_continue();
    boost::asio::awaitable<bool> send(Reply const& reply, bool last);
    boost::asio::awaitable<bool> send_stream(Reply const& reply, bool last);
    boost::asio::awaitable<bool> send_rest(std::size_t sent, std::string_view body);
    boost::asio::awaitable<void> linger();

    ConnectionSet& set_;
    boost::asio::ip::tcp::socket socket_;
    std::atomic<std::uint64_t>& count_;
    std::optional<core::IpAddress> proxy_;  // the peer, where it is trusted to tell the client's address
    Request request_;
    RequestParser parser_;
    std::vector<char> buffer_;  // bytes [begin_, end_) are received and not parsed
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::string out_;                 // the answer's head, and its body when that is short
    StreamWriter* stream_ = nullptr;  // that is being sent
    Clock::time_point deadline_ = Clock::time_point::max();
    Clock::time_point body_deadline_;  // of the whole body, while it comes in
    std::size_t body_goal_ = 0;        // bytes of it that are due at the deadline
    Step step_ = Step::other;
    bool expired_ = false;
    bool continue_sent_ = false;
    bool asked_ = false;   // the gate was asked about the body
    bool unread_ = false;  // and would not have it
    std::list<Connection*>::iterator self_;
};

}  // namespace workforce::net
