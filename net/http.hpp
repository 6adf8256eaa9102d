// HTTP as all others see it: plain values, no Beast. Only request_parser.cpp, reply_writer.cpp and http_client.cpp know
// the wire.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "net/byte_budget.hpp"
#include "net/sent_hook.hpp"
#include "net/stream.hpp"

namespace workforce::net {

/// The methods that routes use; `other` is any method that no route can have (answered 405 or 404).
enum class Method : std::uint8_t { get, head, post, put, patch, del, options, other };

/// The method's name on the wire, upper case ("DELETE" for del, "" for other).
std::string_view to_string(Method method);

/// A header field: name as received or to be sent, and its value.
using Header = std::pair<std::string, std::string>;

/// What the server refused before a request was whole. `none` for a complete request.
enum class RequestFault : std::uint8_t {
    none,
    malformed,          ///< the head or the chunk framing does not parse (400)
    headers_too_large,  ///< head over the limit (431)
    target_too_long,    ///< request target over the limit (414)
    body_too_large,     ///< body over the limit, by Content-Length or as it streamed in (413)
    timed_out,          ///< head or body did not arrive in time (408)
    overloaded,         ///< the server has as many connections, or bytes of bodies, as it may (503)
};

/// One request, whole. Owned by its connection until the reply is written.
struct Request {
    Method method = Method::get;
    std::string method_name;  ///< as received
    /// Path and query as received. A target in absolute form was taken apart: the host that it names is the value of
    /// Host, whatever was received there (RFC 9112 3.2.2).
    std::string target;
    std::string body;             ///< raw bytes, after transfer decoding
    std::vector<Header> headers;  ///< in the order received
    std::string remote_address;   ///< textual IP of the client: the peer's, or the one that a trusted proxy tells
    RequestFault fault = RequestFault::none;
    bool admitted = false;  ///< the BodyGate let its body in
    /// Why its body was not read, which the answer is to tell; see BodyGate. Nothing for a complete request.
    std::optional<core::Problem> refusal;

    /// The first header of that name (case-insensitive), or nothing.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
    /// All lines of a field that is a list, as one (RFC 9110 5.3); nothing where there is none.
    [[nodiscard]] std::optional<std::string> list(std::string_view name) const;
    /// The target up to '?', still percent-encoded.
    [[nodiscard]] std::string_view path() const;
    /// The target after '?', still percent-encoded; empty when there is none.
    [[nodiscard]] std::string_view query() const;
};

/// One answer. The server adds Date, Server, the body's framing and the connection's own fields.
struct Reply {
    unsigned status = 200;
    std::string body;
    std::string content_type = "application/json";  ///< not sent when the body is empty
    std::vector<Header> headers;
    /// Instead of `body`: a text that outlives the server. All answers share it, so that it counts for nobody.
    std::string_view static_body{};
    bool close = false;      ///< close the connection after this answer
    bool truncated = false;  ///< of one that HttpClient received: its body goes on behind `body`
    StreamBody stream{};     ///< instead of `body`; not begun for HEAD
    /// Called on the connection's thread once the answer is written, of a stream its end, or the client did not take
    /// it. It must not block, nor throw. Not called where a stop of the server cuts the answer off.
    SentHook on_sent{};
    HeldBytes held{};  ///< what its body counts for until the connection is done with the answer

    /// The bytes of an answer that is no stream.
    [[nodiscard]] std::string_view text() const { return static_body.empty() ? body : static_body; }
};

/// Answers one request, on the executor of the connection's I/O thread. Must not throw: an exception that escapes
/// closes the connection. Requests with a fault are passed in too, so that the envelope is made in one place; the
/// server closes the connection after their answer.
using RequestHandler = std::function<boost::asio::awaitable<Reply>(Request const&)>;

/// What becomes of a body that is still to come.
struct Admission {
    /// Whom the body counts for while it is read; nothing: it is not read.
    std::optional<ByteHolder> holder;
    /// Of a body that is not read: what the handler is to answer (Request::refusal). Nothing where the handler answers
    /// without a look at the body, as it does for a path that does not exist.
    std::optional<core::Problem> refusal;
};

/// Decides about a body by the head of its request, before more of it is read than came with the head; called on the
/// connection's executor. Not asked for requests that came whole. Must not throw.
using BodyGate = std::function<boost::asio::awaitable<Admission>(Request const&)>;

}  // namespace workforce::net
