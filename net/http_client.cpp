// Beast streams with a deadline each, kept by address and io_context.
#include "net/http_client.hpp"

#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>
#include <map>
#include <mutex>

#include "core/deadline.hpp"
#include "net/no_throw.hpp"

namespace workforce::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Outcome = tl::expected<Reply, ClientFailure>;

namespace {

/// Well below the time after which the other side closes an idle connection.
constexpr std::chrono::seconds kKeepIdle{20};
constexpr std::size_t kMaxIdle = 64;  // of an address and io_context

struct Line {
    explicit Line(asio::any_io_executor const& executor) : stream(executor) {}
    /// Whether an idle connection can take a request: the other side has not closed it, nor said what nobody asked for.
    [[nodiscard]] bool usable() {
        char next = 0;
        auto const got = ::recv(stream.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
        return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }

    beast::tcp_stream stream;
    beast::flat_buffer buffer;
    Clock::time_point idle_since;
};

/// The host and port of "http://host:port".
std::pair<std::string, std::string> parts_of(std::string const& address) {
    auto const begin = address.find("://");
    auto authority = begin == std::string::npos ? address : address.substr(begin + 3);
    authority = authority.substr(0, authority.find('/'));
    auto const colon = authority.rfind(':');
    if (colon == std::string::npos || authority.ends_with(']')) return {authority, "80"};
    auto host = authority.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return {host, authority.substr(colon + 1)};
}

/// Whether a field is the connection's own (RFC 9110 section 7.6.1) or made anew.
bool is_own_field(std::string_view name) {
    for (std::string_view const own : {"connection", "keep-alive", "transfer-encoding", "content-length", "date",
                                       "server", "content-type", "trailer", "upgrade"}) {
        if (beast::iequals(name, own)) return true;
    }
    return false;
}

http::request<http::string_body> message_of(ClientRequest request, std::string const& host) {
    http::request<http::string_body> message;
    message.method_string(request.method);
    message.target(request.target);
    for (auto const& [name, value] : request.headers) message.insert(name, value);
    if (message.find(http::field::host) == message.end()) message.set(http::field::host, host);
    message.body() = std::move(request.body);
    message.prepare_payload();
    return message;
}

Reply reply_of(http::response<http::string_body> message) {
    Reply reply;
    reply.status = message.result_int();
    reply.content_type = std::string(message[http::field::content_type]);
    for (auto const& field : message) {
        if (!is_own_field(field.name_string())) reply.headers.emplace_back(field.name_string(), field.value());
    }
    reply.body = std::move(message.body());
    return reply;
}

}  // namespace

struct HttpClient::Pool {
    using Key = std::pair<std::string, void const*>;

    std::unique_ptr<Line> take(Key const& key) {
        std::lock_guard const lock(mutex);
        auto& lines = idle[key];
        auto const oldest = Clock::now() - kKeepIdle;
        while (!lines.empty()) {
            auto line = std::move(lines.back());
            lines.pop_back();
            if (line->idle_since > oldest && line->usable()) return line;
        }
        return nullptr;
    }
    void keep(Key const& key, std::unique_ptr<Line> line) {
        line->stream.expires_never();
        line->idle_since = Clock::now();
        std::lock_guard const lock(mutex);
        auto& lines = idle[key];
        if (!closed && lines.size() < kMaxIdle) lines.push_back(std::move(line));
    }
    /// What is wrong with one connection is likely wrong with the others.
    void drop(Key const& key) {
        std::lock_guard const lock(mutex);
        idle.erase(key);
    }

    std::mutex mutex;
    bool closed = false;
    std::map<Key, std::vector<std::unique_ptr<Line>>> idle;
};

namespace {

using Resolved = std::pair<error_code, tcp::resolver::results_type>;

/// By value: it may go on after nobody waits for it any more.
asio::awaitable<Resolved> resolve(std::string host, std::string port) {
    tcp::resolver resolver(co_await asio::this_coro::executor);
    auto [unknown, endpoints] = co_await resolver.async_resolve(host, port, kNoThrow);
    co_return Resolved(unknown, std::move(endpoints));
}

asio::awaitable<error_code> connect(Line& line, std::string host, std::string port, std::chrono::milliseconds limit) {
    auto const begun = Clock::now();
    auto const resolved = co_await core::within(limit, resolve(std::move(host), std::move(port)));
    if (!resolved) co_return beast::error::timeout;
    if (resolved->first) co_return resolved->first;
    line.stream.expires_at(begun + limit);
    auto const [refused, endpoint] = co_await line.stream.async_connect(resolved->second, kNoThrow);
    if (refused) co_return refused;
    error_code ignored;
    line.stream.socket().set_option(tcp::no_delay(true), ignored);
    co_return error_code();
}

}  // namespace

HttpClient::HttpClient() : pool_(std::make_unique<Pool>()) {}
HttpClient::~HttpClient() = default;

void ClientStop::request(std::shared_ptr<ClientStop> stop) {
    auto const executor = stop->executor_;
    asio::post(executor, [stop = std::move(stop)] {
        stop->requested_ = true;
        if (stop->close_) stop->close_();
    });
}

asio::awaitable<Outcome> HttpClient::send(std::string address, ClientRequest request, std::chrono::milliseconds limit,
                                          std::shared_ptr<ClientStop> stop) {
    auto const executor = co_await asio::this_coro::executor;
    Pool::Key const key{address, &asio::query(executor, asio::execution::context)};
    auto const failure = [&](bool sent, error_code const& why) {
        pool_->drop(key);
        return tl::unexpected(ClientFailure{sent, why.message()});
    };
    auto const [host, port] = parts_of(address);
    auto line = pool_->take(key);
    // A stop finds the connection for as long as this waits for it, and none after that.
    struct Closing {
        ClientStop* stop;
        ~Closing() {
            if (stop != nullptr) stop->close_ = nullptr;
        }
    } const closing{stop.get()};
    auto const may_close = [&] {
        if (stop) stop->close_ = [&stream = line->stream] { stream.close(); };
    };
    if (line) {
        may_close();
        line->stream.expires_after(limit);
    } else {
        line = std::make_unique<Line>(executor);
        may_close();
        auto const refused = co_await connect(*line, host, port, limit);
        if (stop && stop->requested()) co_return failure(false, asio::error::operation_aborted);
        if (refused) co_return failure(false, refused);
    }
    auto const message = message_of(std::move(request), host + ':' + port);
    auto const [unsent, written] = co_await http::async_write(line->stream, message, kNoThrow);
    if (unsent) co_return failure(written > 0, unsent);
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    auto const [failed, size] = co_await http::async_read(line->stream, line->buffer, parser, kNoThrow);
    if (failed) co_return failure(true, failed);
    // What stands behind an answer is none that a later request asked for.
    bool const keep = parser.keep_alive() && line->buffer.size() == 0;
    auto reply = reply_of(parser.release());
    if (keep) pool_->keep(key, std::move(line));
    co_return reply;
}

void HttpClient::close_idle() {
    std::lock_guard const lock(pool_->mutex);
    pool_->closed = true;
    pool_->idle.clear();
}

}  // namespace workforce::net
