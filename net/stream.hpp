// Answers that are made piece by piece, while the client reads.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace workforce::net {

/// The client's end of a streamed answer, as its producer sees it. All but what waker() gives is for the thread of the
/// connection.
class Stream {
   public:
    using Clock = std::chrono::steady_clock;

    enum class State : std::uint8_t {
        open,
        stopping,  ///< the server stops: say what must be said, within its grace, and return
        gone,      ///< the client hung up, or does not read: return
    };

    Stream() = default;
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;
    virtual ~Stream() = default;

    /// Sends a piece, and resumes once the socket has all of it: a client that does not read makes the producer wait.
    /// False when the client is gone. Pieces are sent without a copy, so memory is what the producer holds.
    virtual boost::asio::awaitable<bool> write(std::string_view bytes) = 0;
    /// Waits until then, until a waker is called or until the stream is no longer open, and gives its state. Waking
    /// while nobody waits ends the next wait.
    virtual boost::asio::awaitable<State> wait(Clock::time_point until) = 0;
    [[nodiscard]] virtual State state() const = 0;
    /// What ends a wait from any thread, also after the stream's end. The server must still exist.
    virtual std::function<void()> waker() = 0;
};

/// A body that is made while it is sent.
struct StreamBody {
    /// Writes the body and returns. It outlives the request, and so owns what it uses. An exception breaks the answer
    /// off, so that the client sees that it is not whole. Empty: the body is no stream.
    std::function<boost::asio::awaitable<void>(Stream&)> produce{};
    /// What is sent while the producer has been silent for a while; means nothing to the client. Static text, or empty.
    std::string_view heartbeat{};
    std::shared_ptr<void const> place{};  ///< held until the end

    explicit operator bool() const { return static_cast<bool>(produce); }
};

}  // namespace workforce::net
