// A streamed answer on its connection.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "net/stream.hpp"

namespace workforce::net {

/// How a stream is cut into pieces and how long each may take.
struct StreamRules {
    bool chunked = true;           ///< RFC 9112 7.1; else the end of the connection is the end of the body
    std::string_view heartbeat{};  ///< as StreamBody
    std::chrono::milliseconds beat_after{15'000};  ///< of silence
    std::chrono::milliseconds write{30'000};       ///< for the client to take a piece of kPiece bytes
};

/// Writes to the connection's socket, at most kPiece bytes in flight. The owner of the connection calls look() now and
/// then, which is what notices a client that hung up.
class StreamWriter final : public Stream {
   public:
    static constexpr std::size_t kPiece = 64 * 1024;

    /// The socket outlives it, and is not blocking.
    StreamWriter(boost::asio::ip::tcp::socket& socket, StreamRules const& rules);
    ~StreamWriter() override;

    /// Sends the head of the answer.
    boost::asio::awaitable<bool> begin(std::string_view head);
    /// Says that the body is whole; false when the client does not have all of it.
    boost::asio::awaitable<bool> end();

    boost::asio::awaitable<bool> write(std::string_view bytes) override;
    boost::asio::awaitable<State> wait(Clock::time_point until) override;
    [[nodiscard]] State state() const override;
    std::function<void()> waker() override;

    /// Sends a heartbeat where one is due, and gives the client up that hung up or has had its time.
    void look(Clock::time_point now);
    /// The server stops.
    void stop();
    /// The connection is closed.
    void leave();

   private:
    using Buffers = std::array<boost::asio::const_buffer, 4>;
    struct Alarm;

    boost::asio::awaitable<bool> write_piece(std::string_view bytes);
    boost::asio::awaitable<bool> send(std::string_view before, std::string_view bytes, std::string_view after);
    boost::asio::awaitable<bool> send_rest(Buffers const& buffers);
    void beat(Clock::time_point now);
    [[nodiscard]] bool hung_up();

    boost::asio::ip::tcp::socket& socket_;
    StreamRules const rules_;
    std::string beat_;            // the heartbeat as it is sent
    std::string_view half_beat_;  // what the socket had no room for
    std::shared_ptr<Alarm> alarm_;
    Clock::time_point last_write_ = Clock::now();
    Clock::time_point deadline_ = Clock::time_point::max();  // for what the client is to take
    std::size_t in_turn_ = 0;                                // bytes since others had theirs
    bool writing_ = false;
    bool stopping_ = false;
    bool gone_ = false;
};

}  // namespace workforce::net
