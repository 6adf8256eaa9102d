// The life of one connection.
#include "net/connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <exception>

#include "net/client_address.hpp"
#include "net/no_throw.hpp"

namespace workforce::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kSmallBuffer = 4 * 1024;  // an ordinary request; what an idle connection keeps
constexpr std::size_t kBodyBuffer = 16 * 1024;  // while a body comes in
constexpr std::size_t kShortBody = 8 * 1024;    // copied behind the head rather than gathered
constexpr std::size_t kMaxDrained = 8 * 1024 * 1024;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

std::optional<core::IpAddress> peer_of(tcp::socket const& socket) {
    error_code ec;
    auto const address = socket.remote_endpoint(ec).address();
    if (ec) return std::nullopt;
    if (address.is_v6()) return address.to_v6().to_bytes();
    return asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes();
}

Connection::Connection(ConnectionSet& set, tcp::socket socket, std::optional<core::IpAddress> peer,
                       std::atomic<std::uint64_t>& count)
    : set_(set),
      socket_(std::move(socket)),
      count_(count),
      parser_(set.options.limits, request_),
      buffer_(kSmallBuffer) {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
    if (peer) {
        request_.remote_address = core::to_string(*peer);
        if (set_.options.trusted_proxies.contains(*peer)) proxy_ = peer;
    }
    self_ = set_.members.insert(set_.members.end(), this);
}

Connection::~Connection() {
    set_.members.erase(self_);
    count_.fetch_sub(1, std::memory_order_relaxed);
    if (set_.stopping && set_.members.empty()) set_.on_drained();
}

asio::awaitable<void> Connection::run() {
    for (;;) {
        bool const received = co_await receive();
        if (!received) co_return;
        bool const faulty = unread_ || request_.fault != RequestFault::none;
        auto& counter = faulty ? set_.counters.faults : set_.counters.requests;
        counter.fetch_add(1, std::memory_order_relaxed);
        find_client();
        auto reply = co_await set_.handler(request_);
        parser_.drop_body();  // a client that reads slowly holds its answer only
        bool const endless = reply.stream && parser_.http_1_0();
        bool const last = faulty || reply.close || set_.stopping || endless || !parser_.keep_alive();
        bool const sent = co_await send(reply, last);
        if (reply.on_sent) reply.on_sent();
        if (!sent) co_return;
        if (last) {
            // Closing while input waits would reset the connection and could take the answer away from the client.
            if (faulty || begin_ != end_) co_await linger();
            co_return;
        }
    }
}

asio::awaitable<void> Connection::refuse() {
    request_.fault = RequestFault::overloaded;
    set_.counters.faults.fetch_add(1, std::memory_order_relaxed);
    auto const reply = co_await set_.handler(request_);
    bool const sent = co_await send(reply, true);
    if (reply.on_sent) reply.on_sent();
    if (sent) co_await linger();
}

/// Parses what has been received; true when there is something to hand to the handler.
bool Connection::parse_buffered() {
    if (begin_ == end_) return false;
    begin_ += parser_.feed({buffer_.data() + begin_, end_ - begin_});
    return parser_.state() != RequestParser::State::need_more;
}

/// A proxy passes requests of many clients on over one connection. Call it once the request's head is there.
void Connection::find_client() {
    if (proxy_) request_.remote_address = client_address(request_, *proxy_, set_.options.trusted_proxies);
}

/// Starts the clock of the step that the request has reached, once for each step.
void Connection::note_progress() {
    if (parser_.head_done()) {
        step_ = Step::body;
    } else if (step_ == Step::idle) {
        begin(Step::head, set_.options.timeouts.head);
    }
}

void Connection::begin(Step step, std::chrono::milliseconds limit) {
    step_ = step;
    expired_ = false;
    deadline_ = Clock::now() + limit;
}

/// Starts the clock of the body, as far as it has not come.
void Connection::begin_body() {
    begin(Step::body, set_.options.timeouts.body);
    body_deadline_ = deadline_;
    begin_body_window(body_deadline_ - set_.options.timeouts.body);
}

/// The next deadline is that of the body's least rate. Nothing is measured while bytes come in.
void Connection::begin_body_window(Clock::time_point now) {
    auto const window = set_.options.timeouts.body_window;
    using Seconds = std::chrono::duration<double>;
    body_goal_ = request_.body.size() +
                 static_cast<std::size_t>(static_cast<double>(set_.options.least_body_rate) * Seconds(window).count());
    deadline_ = std::min(body_deadline_, now + window);
}

/// Asks whether the rest of the body is to be read. Takes no time of the client's.
asio::awaitable<void> Connection::admit_body() {
    asked_ = true;
    find_client();
    deadline_ = Clock::time_point::max();
    auto const& gate = set_.options.body_gate;
    Admission admission{holder_of(request_.remote_address), {}};
    if (gate) admission = co_await gate(request_);
    unread_ = !admission.holder;
    request_.admitted = gate && !unread_;
    request_.refusal = std::move(admission.refusal);
    if (admission.holder) parser_.charge(set_.bodies, *admission.holder);
    begin_body();
}

/// Room to read into, at least one byte. The parser's limits bound what can be left unparsed, hence the buffer.
std::span<char> Connection::free_space() {
    if (begin_ == end_) {
        begin_ = end_ = 0;
        auto const wanted = step_ == Step::body ? kBodyBuffer : kSmallBuffer;
        if (buffer_.size() < wanted || (step_ == Step::idle && buffer_.size() > wanted)) {
            std::vector<char>(wanted).swap(buffer_);
        }
    } else if (end_ == buffer_.size()) {
        if (begin_ > 0) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        } else {
            buffer_.resize(2 * buffer_.size());
        }
    }
    return std::span(buffer_).subspan(end_);
}

/// Reads one request, whole or with its fault; false when the connection is to end without an answer.
asio::awaitable<bool> Connection::receive() {
    parser_.reset();
    continue_sent_ = asked_ = unread_ = false;
    begin(Step::idle, set_.options.timeouts.idle);
    bool started = begin_ != end_;
    while (!parse_buffered()) {
        if (started) note_progress();
        if (step_ == Step::body && !asked_) {
            co_await admit_body();
            if (unread_ || parser_.state() == RequestParser::State::fault) break;
        }
        if (waits_for_continue()) {
            bool const told = co_await send_continue();
            if (!told) co_return false;
        }
        error_code ignored;
        if (step_ == Step::idle && set_.stopping && socket_.available(ignored) == 0) co_return false;
        auto const space = free_space();
        auto const [ec, size] = co_await socket_.async_read_some(asio::buffer(space.data(), space.size()), kNoThrow);
        end_ += size;
        started = started || size > 0;
        if (!ec) continue;
        if (step_ == Step::idle && set_.stopping && !expired_ && socket_.is_open()) continue;  // by begin_stop()
        if (!expired_ || step_ == Step::idle) co_return false;
        request_.fault = RequestFault::timed_out;
        break;
    }
    step_ = Step::other;
    deadline_ = Clock::time_point::max();
    co_return true;
}

/// The client holds the body back, and none of it has come.
bool Connection::waits_for_continue() const {
    return step_ == Step::body && parser_.expects_continue() && !continue_sent_ && begin_ == end_ &&
           request_.body.empty();
}

asio::awaitable<bool> Connection::send_continue() {
    continue_sent_ = true;
    auto const [ec, size] = co_await asio::async_write(socket_, asio::buffer(kContinue), kNoThrow);
    co_return !ec;
}

/// Writes an answer; false when the client did not take it. Most fit the socket's buffer: then no suspension.
asio::awaitable<bool> Connection::send(Reply const& reply, bool last) {
    if (reply.stream && request_.method != Method::head) {
        bool const streamed = co_await send_stream(reply, last);
        co_return streamed;
    }
    out_.clear();
    set_.writer.append_head(out_, reply, {.last = last, .http_1_0 = parser_.http_1_0()});
    bool const bodiless = request_.method == Method::head || !ReplyWriter::has_body(reply.status);
    std::string_view body = bodiless ? std::string_view() : reply.text();
    if (body.size() <= kShortBody) {
        out_.append(body);
        body = {};
    }
    error_code ec;
    std::size_t sent = 0;
    if (body.empty()) {
        sent = socket_.write_some(asio::buffer(out_), ec);
    } else {
        sent = socket_.write_some(std::array{asio::buffer(std::as_const(out_)), asio::buffer(body)}, ec);
    }
    if (ec && ec != asio::error::would_block) co_return false;
    if (sent == out_.size() + body.size()) co_return true;
    bool const whole = co_await send_rest(sent, body);
    co_return whole;
}

/// Has the producer write the answer; false when the client does not have all of it. The client's silence is no fault
/// meanwhile: only expire() and the socket end it.
asio::awaitable<bool> Connection::send_stream(Reply const& reply, bool last) {
    struct Under {
        Connection& connection;
        ~Under() {
            connection.stream_ = nullptr;
            connection.set_.counters.open_streams.fetch_sub(1, std::memory_order_relaxed);
        }
    };
    auto const& timeouts = set_.options.timeouts;
    StreamWriter writer(socket_, {!parser_.http_1_0(), reply.stream.heartbeat, timeouts.heartbeat, timeouts.write});
    if (set_.stopping) writer.stop();
    stream_ = &writer;
    set_.counters.open_streams.fetch_add(1, std::memory_order_relaxed);
    Under const under{*this};
    out_.clear();
    set_.writer.append_head(out_, reply, {.last = last, .http_1_0 = parser_.http_1_0()});
    bool const begun = co_await writer.begin(out_);
    if (!begun) co_return false;
    try {
        co_await reply.stream.produce(writer);
    } catch (std::exception const& error) {
        if (set_.options.on_error) set_.options.on_error(std::string("a stream was broken off: ") + error.what());
        co_return false;  // without its end, so that the client sees that it is not whole
    }
    bool const whole = co_await writer.end();
    co_return whole;
}

asio::awaitable<bool> Connection::send_rest(std::size_t sent, std::string_view body) {
    begin(Step::other, set_.options.timeouts.write);
    auto const head = std::min(sent, out_.size());
    std::array const rest = {asio::buffer(std::as_const(out_)) + head, asio::buffer(body) + (sent - head)};
    auto const [ec, size] = co_await asio::async_write(socket_, rest, kNoThrow);
    co_return !ec;
}

/// Ends our side, then takes what the client still sends, within bounds, so that it gets to read the answer.
asio::awaitable<void> Connection::linger() {
    error_code ec;
    socket_.shutdown(tcp::socket::shutdown_send, ec);
    begin(Step::other, set_.options.timeouts.linger);
    for (std::size_t drained = 0; drained < kMaxDrained && !ec && !expired_;) {
        auto const [error, size] = co_await socket_.async_read_some(asio::buffer(buffer_), kNoThrow);
        ec = error;
        drained += size;
    }
}

void Connection::expire(Clock::time_point now) {
    if (stream_ != nullptr) return stream_->look(now);
    if (now < deadline_) return;
    bool const goes_on = step_ == Step::body && now < body_deadline_ && request_.body.size() >= body_goal_;
    if (goes_on) return begin_body_window(now);
    deadline_ = Clock::time_point::max();
    expired_ = true;
    error_code ignored;
    socket_.cancel(ignored);
}

void Connection::begin_stop() {
    if (stream_ != nullptr) stream_->stop();
    error_code ignored;
    if (step_ == Step::idle) socket_.cancel(ignored);
}

void Connection::cut() {
    error_code ignored;
    socket_.close(ignored);
    if (stream_ != nullptr) stream_->leave();
}

}  // namespace workforce::net
