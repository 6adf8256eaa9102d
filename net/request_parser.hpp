// Bytes of a connection into Requests, within limits. Beast is known here and in reply_writer.cpp only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "net/byte_budget.hpp"
#include "net/http.hpp"

namespace workforce::net {

/// How much of a request is taken before it is refused.
struct RequestLimits {
    std::uint32_t max_head_bytes = 16 * 1024;  ///< request line and fields; also chunk extensions and trailers
    std::size_t max_target_bytes = 8 * 1024;   ///< the request target alone
    /// Largest body in bytes for a method and path (Request::path()); unset: 256 KiB for all. Called once for a request
    /// that announces a body.
    std::function<std::uint64_t(Method method, std::string_view path)> max_body_bytes{};
};

/// Parses the requests of one connection, one after the other, into one Request whose memory is used again.
/// Framing follows RFC 9112; what would let two servers disagree on where a request ends is refused: Content-Length
/// with Transfer-Encoding, codings other than chunked, a missing or repeated Host. Not thread-safe.
class RequestParser {
   public:
    enum class State : std::uint8_t { need_more, complete, fault };

    /// All that is passed must outlive the parser. `request` is filled as bytes come in; remote_address is left alone.
    RequestParser(RequestLimits const& limits, Request& request);
    ~RequestParser();
    RequestParser(RequestParser const&) = delete;
    RequestParser& operator=(RequestParser const&) = delete;

    /// Starts the next request: clears what the last one left in the Request, keeps its memory.
    void reset();

    /// Takes bytes and gives how many it used; the caller shows the rest again, with more behind it, while state() is
    /// need_more. Must not be called with nothing to show, nor once the state is another. A fault is also in the
    /// Request, which then holds what was read of the head.
    std::size_t feed(std::string_view bytes);

    /// The body counts for `holder` from now on, what has come of it included. A fault when there is no room for it,
    /// now or later. Call it once for a body, after its head. `budget` must outlive the parser.
    void charge(ByteBudget& budget, ByteHolder holder);
    /// Clears the body and gives its room back. What else is known of the request stays.
    void drop_body();

    [[nodiscard]] State state() const;
    /// The head is whole, so what is missing is body.
    [[nodiscard]] bool head_done() const;
    /// RFC 9112 section 9.3. False after a fault.
    [[nodiscard]] bool keep_alive() const;
    /// The client speaks HTTP/1.0: it must be told that the connection stays open.
    [[nodiscard]] bool http_1_0() const;
    /// The client waits for "100 Continue" before it sends the body (RFC 9110 section 10.1.1).
    [[nodiscard]] bool expects_continue() const;

   private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace workforce::net
