// Frames on their way to the client.
#include "api/mcp/stream.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <limits>
#include <utility>

#include "api/reply_bytes.hpp"
#include "core/crypto.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::api::mcp {
namespace {

constexpr std::chrono::milliseconds kLook{100};  // for frames that another process, or another connection, makes
constexpr std::string_view kPrefix = "st_";
constexpr std::size_t kIdLength = 24;

std::string event_text(std::string_view stream, Frame const& frame) {
    if (frame.data.empty()) return fmt::format("id: {}:{}\nretry: 1000\ndata:\n\n", stream, frame.seq);
    return fmt::format("id: {}:{}\nevent: message\ndata: {}\n\n", stream, frame.seq, frame.data);
}

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

boost::asio::awaitable<void> answer_in_frames(std::shared_ptr<FrameRecorder> recorder,
                                              std::shared_ptr<Exchange> exchange, Respond respond,
                                              net::Stream& client) {
    bool const ends_with_client = exchange->protocol.era == Era::stateless;
    auto const note = [&](std::string data) -> boost::asio::awaitable<bool> {
        auto const event = co_await recorder->add(std::move(data), false);
        bool const there = co_await client.write(event);
        if (!there && ends_with_client) exchange->cancellation->request();
        co_return there;
    };
    if (exchange->protocol.primed) co_await note({});
    auto const* const token = find_member(exchange->message.param("_meta"), "progressToken");
    if (token != nullptr) {
        exchange->progress = [&, token = json_of(*token)](double done, double total) {
            return note(progress_message(token, done, total));
        };
    }
    auto last = co_await respond(*exchange);
    exchange->progress = {};
    exchange->message = {};  // a client that does not read holds its answer only
    auto const event = co_await recorder->add(std::move(last.text), true);
    last.held.shrink(event.size());  // its text is all that is held while the client takes it
    co_await client.write(event);
}

std::size_t data_bytes(std::optional<Frames> const& found) {
    std::size_t bytes = 0;
    if (found) {
        for (auto const& frame : found->frames) bytes += frame.data.size();
    }
    return bytes;
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
        auto next = co_await read_frames(store, after, holder, room, held);
        if (!next || !*next) co_return;
        frames = **std::move(next);
    }
}

}  // namespace

std::optional<EventId> parse_event_id(std::string_view text) {
    auto const colon = text.rfind(':');
    if (colon == std::string_view::npos || !text.starts_with(kPrefix)) return std::nullopt;
    EventId id{std::string(text.substr(0, colon)), 0};
    auto const number = text.substr(colon + 1);
    constexpr std::int64_t kMostSeq = std::numeric_limits<std::int32_t>::max();  // the column's type
    auto const [end, fault] = std::from_chars(number.data(), number.data() + number.size(), id.seq);
    bool const whole =
        fault == std::errc{} && end == number.data() + number.size() && id.seq >= 0 && id.seq <= kMostSeq;
    return whole ? std::optional(std::move(id)) : std::nullopt;
}

std::string new_stream_id() { return std::string(kPrefix) + core::random_base62(kIdLength); }

boost::asio::awaitable<std::string> FrameRecorder::add(std::string data, bool is_final) {
    Frame frame{++seq_, std::move(data), is_final};
    auto event = event_text(name_.id, frame);
    co_await store(std::move(frame));
    if (!stored_) event.erase(0, event.find('\n') + 1);
    co_return event;
}

boost::asio::awaitable<void> FrameRecorder::store(Frame frame) {
    if (!stored_ && !frame.is_final) co_return;
    try {
        stored_ = co_await store_.append(name_, std::move(frame));
    } catch (std::exception const& error) {
        stored_ = false;
        core::log(core::quiet_while_away(core::Level::warn),
                  "a stream of MCP can't be resumed, because a frame of it could not be stored",
                  {{"stream", name_.id}, {"error", error.what()}});
    }
}

net::StreamBody stream_of(std::shared_ptr<FrameRecorder> recorder, std::shared_ptr<Exchange> exchange,
                          Respond respond) {
    net::StreamBody body;
    body.produce = [recorder = std::move(recorder), exchange = std::move(exchange), respond = std::move(respond)](
                       net::Stream& client) { return answer_in_frames(recorder, exchange, respond, client); };
    return body;
}

boost::asio::awaitable<core::Result<std::optional<Frames>>> read_frames(FrameStore& store, EventId after,
                                                                        std::string holder, FrameRoom room,
                                                                        net::HeldBytes& held) {
    constexpr std::size_t kLeast = 64 << 10;
    constexpr std::size_t kMost = 1 << 20;  // but for one frame that is larger
    held = {};
    auto const share = room.replies.take_share(room.holder, kLeast, kMost);
    if (share == 0) co_return tl::unexpected(no_room());
    held = net::HeldBytes(room.replies, room.holder, share);
    auto found = co_await store.read(after.stream, holder, after.seq, share);
    if (found && found->next_bytes > 0 && data_bytes(found) < kLeast) {  // a large frame comes first, or next to it
        if (!held.resize(found->next_bytes)) co_return tl::unexpected(no_room());
        found = co_await store.read(std::move(after.stream), std::move(holder), after.seq, found->next_bytes);
    }
    held.shrink(data_bytes(found));
    co_return found;
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
