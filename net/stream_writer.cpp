// Pieces, heartbeats, and noticing that nobody reads.
#include "net/stream_writer.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>

#include "net/no_throw.hpp"

namespace workforce::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::string_view kEndOfChunk = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::size_t kTurn = 256 * 1024;  // then other connections of the thread have theirs
/// What the kernel holds for a client that does not read; it would grow to megabytes on its own.
constexpr int kSendBuffer = 64 * 1024;

asio::const_buffer buffer_of(std::string_view text) { return {text.data(), text.size()}; }

std::string chunk_head(std::size_t size) { return fmt::format("{:x}\r\n", size); }

}  // namespace

/// What wait() sleeps on. Shared with wakers, which may outlive the stream.
struct StreamWriter::Alarm {
    asio::steady_timer timer;
    bool rung = false;

    void ring() {
        rung = true;
        timer.cancel();
    }
};

StreamWriter::StreamWriter(asio::ip::tcp::socket& socket, StreamRules const& rules)
    : socket_(socket), rules_(rules), alarm_(std::make_shared<Alarm>(asio::steady_timer(socket.get_executor()))) {
    error_code ignored;
    socket_.set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
    if (rules_.heartbeat.empty()) return;
    beat_ = rules_.chunked ? chunk_head(rules_.heartbeat.size()) + std::string(rules_.heartbeat) + "\r\n"
                           : std::string(rules_.heartbeat);
}

StreamWriter::~StreamWriter() = default;

asio::awaitable<bool> StreamWriter::begin(std::string_view head) { co_return co_await send(head, {}, {}); }

asio::awaitable<bool> StreamWriter::end() {
    co_return co_await send(rules_.chunked ? kLastChunk : std::string_view(), {}, {});
}

asio::awaitable<bool> StreamWriter::write(std::string_view bytes) {
    writing_ = true;  // what is written at once has no heartbeat in its midst
    bool sent = true;
    while (!bytes.empty() && !gone_ && sent) {
        auto const piece = bytes.substr(0, kPiece);
        bytes.remove_prefix(piece.size());
        sent = co_await write_piece(piece);
    }
    writing_ = false;
    co_return sent && !gone_;
}

asio::awaitable<bool> StreamWriter::write_piece(std::string_view bytes) {
    in_turn_ += bytes.size();
    if (in_turn_ >= kTurn) {
        in_turn_ = 0;
        co_await asio::post(socket_.get_executor(), asio::use_awaitable);
    }
    auto const head = rules_.chunked ? chunk_head(bytes.size()) : std::string();
    co_return co_await send(head, bytes, rules_.chunked ? kEndOfChunk : std::string_view());
}

/// Sends what is left of a heartbeat, and the texts. Mostly the socket has room: then no suspension.
asio::awaitable<bool> StreamWriter::send(std::string_view before, std::string_view bytes, std::string_view after) {
    if (gone_) co_return false;
    Buffers const buffers = {buffer_of(std::exchange(half_beat_, {})), buffer_of(before), buffer_of(bytes),
                             buffer_of(after)};
    last_write_ = Clock::now();
    deadline_ = Clock::time_point::max();
    error_code ec;
    auto const sent = socket_.write_some(buffers, ec);
    if (ec && ec != asio::error::would_block) leave();
    if (gone_ || sent == asio::buffer_size(buffers)) co_return !gone_;
    Buffers rest = buffers;
    auto skipped = ec ? 0 : sent;
    for (auto& buffer : rest) {
        auto const part = std::min(skipped, buffer.size());
        buffer += part;
        skipped -= part;
    }
    co_return co_await send_rest(rest);
}

asio::awaitable<bool> StreamWriter::send_rest(Buffers const& buffers) {
    bool const whole = std::exchange(writing_, true);
    deadline_ = Clock::now() + rules_.write;
    auto const [ec, size] = co_await asio::async_write(socket_, buffers, kNoThrow);
    writing_ = whole;
    deadline_ = Clock::time_point::max();
    last_write_ = Clock::now();
    if (ec) leave();
    co_return !gone_;
}

asio::awaitable<Stream::State> StreamWriter::wait(Clock::time_point until) {
    auto const alarm = alarm_;
    if (!alarm->rung && state() == State::open) {
        alarm->timer.expires_at(until);
        co_await alarm->timer.async_wait(kNoThrow);
    }
    alarm->rung = false;
    co_return state();
}

Stream::State StreamWriter::state() const {
    if (gone_) return State::gone;
    return stopping_ ? State::stopping : State::open;
}

std::function<void()> StreamWriter::waker() {
    return [alarm = alarm_, executor = socket_.get_executor()] { asio::post(executor, [alarm] { alarm->ring(); }); };
}

void StreamWriter::look(Clock::time_point now) {
    if (gone_) return;
    if (now >= deadline_ || hung_up()) return leave();
    if (!writing_ && !beat_.empty() && now - last_write_ >= rules_.beat_after) beat(now);
}

/// A heartbeat that the socket has no room for tells that the client has had time, and does not read.
void StreamWriter::beat(Clock::time_point now) {
    std::string_view const due = half_beat_.empty() ? std::string_view(beat_) : half_beat_;
    error_code ec;
    auto const sent = socket_.write_some(asio::buffer(due.data(), due.size()), ec);
    if (ec == asio::error::would_block) {
        half_beat_ = due.size() < beat_.size() ? due : std::string_view();
        if (deadline_ == Clock::time_point::max()) deadline_ = now + rules_.write;
        return;
    }
    if (ec) return leave();
    half_beat_ = due.substr(sent);
    last_write_ = now;
    deadline_ = Clock::time_point::max();
}

/// Also where the client merely ended its own side: nobody who waits for an answer does, and the two look alike.
bool StreamWriter::hung_up() {
    pollfd socket{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&socket, 1, 0) > 0 && (socket.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void StreamWriter::stop() {
    stopping_ = true;
    alarm_->ring();
}

void StreamWriter::leave() {
    gone_ = true;
    error_code ignored;
    if (socket_.is_open()) socket_.cancel(ignored);
    alarm_->ring();
}

}  // namespace workforce::net
