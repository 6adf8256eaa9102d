// Answers as streams of server-sent events, and their resumption (domain 6.1; MCP 2025-11-25, Streamable HTTP).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/mcp/frame_store.hpp"
#include "api/mcp/tool_call.hpp"
#include "net/byte_budget.hpp"
#include "net/stream.hpp"

namespace workforce::api::mcp {

/// Which event a client had last: "<stream>:<seq>".
struct EventId {
    std::string stream;
    std::int64_t seq = 0;
};
/// Reads what a client sends back; nothing for what we never sent.
std::optional<EventId> parse_event_id(std::string_view text);

/// A new stream's id.
std::string new_stream_id();

/// Stores the frames of one answer, in their order and one at a time. From the first that is not stored on, whatever
/// the reason, it stores none but the last one, for which it tries again, and the answer goes on.
class FrameRecorder {
   public:
    FrameRecorder(FrameStore& store, StreamName name) : store_(store), name_(std::move(name)) {}

    /// From then on the stream is found, though it has no frame yet.
    boost::asio::awaitable<void> begin() { return store({}); }
    /// Stores a frame and returns the event to send: without an id to resume at where it is not stored.
    boost::asio::awaitable<std::string> add(std::string data, bool is_final);

   private:
    boost::asio::awaitable<void> store(Frame frame);

    FrameStore& store_;
    StreamName const name_;
    std::int64_t seq_ = 0;
    bool stored_ = true;  ///< each frame of now
};

/// The last message of a stream, and what is counted for it: that is brought down to its size once it is stored, and
/// given back when it has left.
struct LastMessage {
    std::string text;
    net::HeldBytes held{};
};

/// Makes the answer to a request; the exchange's progress is set.
using Respond = std::function<boost::asio::awaitable<LastMessage>(Exchange&)>;

/// For whom frames that were not read yet count, and where.
struct FrameRoom {
    net::ByteBudget& replies;
    net::ByteHolder holder;
};

/// Reads the frames after an event, as FrameStore::read: as many as there is room for, which `held` has then. Errors:
/// SERVICE_UNAVAILABLE where there is no room for the next one.
boost::asio::awaitable<core::Result<std::optional<Frames>>> read_frames(FrameStore& store, EventId after,
                                                                        std::string holder, FrameRoom room,
                                                                        net::HeldBytes& held);

/// The body of an answer that is streamed: each frame is stored, then sent. A client that hangs up ends a call of the
/// stateless era; one of the handshake goes on, and its frames can be had later.
net::StreamBody stream_of(std::shared_ptr<FrameRecorder> recorder, std::shared_ptr<Exchange> exchange, Respond respond);

/// The body that goes on with a stream after an event: what is stored, then what comes, to the end, or until there is
/// no room for what is next; then the client resumes again. `first`: what was read of it, with the room that it takes.
net::StreamBody resumption_of(FrameStore& store, EventId after, std::string holder, Frames first, FrameRoom room,
                              net::HeldBytes held);

}  // namespace workforce::api::mcp
