// Frames on their way to the client.
#include "api/mcp/stream.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "core/crypto.hpp"
#include "core/logging.hpp"

namespace workforce::api::mcp {
namespace {

constexpr std::chrono::milliseconds kLook{100};  // for frames that another process, or another connection, makes
constexpr std::string_view kPrefix = "st_";
constexpr std::size_t kIdLength = 24;

std::string event_text(std::string_view stream, Frame const& frame) {
    if (frame.data.empty()) return fmt::format("id: {}:{}\nretry: 1000\ndata:\n\n", stream, frame.seq);
    return fmt::format("id: {}:{}\nevent: message\ndata: {}\n\n", stream, frame.seq, frame.data);
}

/// Stores and sends the frames of one answer.
class FrameWriter {
   public:
    FrameWriter(FrameStore& store, net::Stream& client, StreamName name)
        : store_(store), client_(client), name_(std::move(name)) {}

    /// Whether the client is still there. A frame that can't be stored is sent all the same, without a name to resume
    /// at. While the client takes it, its text is all that is held.
    boost::asio::awaitable<bool> write(std::string data, bool is_final, net::HeldBytes* held = nullptr) {
        Frame frame{++seq_, std::move(data), is_final};
        auto const event = event_text(name_.id, frame);
        std::string_view sent = event;
        try {
            co_await store_.append(name_, std::move(frame));
        } catch (core::DatabaseUnavailable const&) {
            sent.remove_prefix(sent.find('\n') + 1);
        } catch (core::DatabaseBusy const&) {
            sent.remove_prefix(sent.find('\n') + 1);
        }
        if (held != nullptr && *held) held->resize(event.size());
        co_return co_await client_.write(sent);
    }

   private:
    FrameStore& store_;
    net::Stream& client_;
    StreamName const name_;
    std::int64_t seq_ = 0;
};

std::string progress_message(std::string_view token, double done, double total) {
    core::JsonWriter w;
    w.begin_object();
    w.key("progressToken");
    w.raw(token);
    w.key("progress");
    w.number(done);
    w.key("total");
    w.number(total);
    w.end_object();
    return notification("notifications/progress", w.text());
}

boost::asio::awaitable<void> answer_in_frames(FrameStore& store, std::shared_ptr<Exchange> exchange,
                                              std::string stream_id, Respond respond, net::Stream& client) {
    FrameWriter writer(store, client, {std::move(stream_id), exchange->caller->lineage(), exchange->message.id});
    bool const ends_with_client = exchange->protocol.era == Era::stateless;
    auto const note = [&](bool there) {
        if (!there && ends_with_client) exchange->cancellation->request();
        return there;
    };
    if (exchange->protocol.primed) note(co_await writer.write({}, false));
    auto const* const token = find_member(exchange->message.param("_meta"), "progressToken");
    if (token != nullptr) {
        exchange->progress = [&, token = json_of(*token)](double done, double total) -> boost::asio::awaitable<bool> {
            co_return note(co_await writer.write(progress_message(token, done, total), false));
        };
    }
    auto last = co_await respond(*exchange);
    exchange->progress = {};
    co_await writer.write(std::move(last.text), true, &last.held);
}

/// A stream that is taken up again.
struct Resumption {
    FrameStore& store;
    EventId after;
    std::string holder;
    Frames frames;
    FrameRoom room;
    net::HeldBytes held;
};

boost::asio::awaitable<void> follow(std::shared_ptr<Resumption> resumption, net::Stream& client) {
    auto& [store, after, holder, frames, room, held] = *resumption;
    for (;;) {
        for (auto& frame : frames.frames) {
            after.seq = frame.seq;
            auto const event = event_text(after.stream, frame);
            frame.data = {};
            if (!co_await client.write(event)) co_return;
        }
        held = {};
        if (!frames.goes_on) co_return;
        if (frames.frames.empty()) {
            auto const state = co_await client.wait(net::Stream::Clock::now() + kLook);
            if (state != net::Stream::State::open) co_return;
        }
        auto next = co_await store.read(after.stream, holder, after.seq);
        if (!next) co_return;
        auto taken = room.take(*next);
        if (!taken) co_return;
        frames = *std::move(next);
        held = *std::move(taken);
    }
}

}  // namespace

std::optional<EventId> parse_event_id(std::string_view text) {
    auto const colon = text.rfind(':');
    if (colon == std::string_view::npos || !text.starts_with(kPrefix)) return std::nullopt;
    EventId id{std::string(text.substr(0, colon)), 0};
    auto const number = text.substr(colon + 1);
    auto const [end, fault] = std::from_chars(number.data(), number.data() + number.size(), id.seq);
    bool const whole = fault == std::errc{} && end == number.data() + number.size() && id.seq >= 0;
    return whole ? std::optional(std::move(id)) : std::nullopt;
}

std::string new_stream_id() { return std::string(kPrefix) + core::random_base62(kIdLength); }

net::StreamBody stream_of(FrameStore& store, std::shared_ptr<Exchange> exchange, std::string stream_id,
                          Respond respond) {
    net::StreamBody body;
    body.produce = [&store, exchange = std::move(exchange), stream_id = std::move(stream_id),
                    respond = std::move(respond)](net::Stream& client) {
        return answer_in_frames(store, exchange, stream_id, respond, client);
    };
    return body;
}

std::optional<net::HeldBytes> FrameRoom::take(Frames const& frames) const {
    std::size_t bytes = 0;
    for (auto const& frame : frames.frames) bytes += frame.data.size();
    if (bytes == 0) return net::HeldBytes();
    if (!replies.take(holder, bytes)) return std::nullopt;
    return net::HeldBytes(replies, holder, bytes);
}

net::StreamBody resumption_of(FrameStore& store, EventId after, std::string holder, Frames first, FrameRoom room,
                              net::HeldBytes held) {
    net::StreamBody body;
    body.produce = [resumption = std::make_shared<Resumption>(store, std::move(after), std::move(holder),
                                                              std::move(first), room, std::move(held))](
                       net::Stream& client) { return follow(resumption, client); };
    return body;
}

}  // namespace workforce::api::mcp
