// Beast streams with a deadline each, kept by address and io_context.
#include "api/http_client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <map>
#include <mutex>

namespace workforce::api {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Outcome = tl::expected<Reply, ClientFailure>;

namespace {

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
/// Well below the time after which the other side closes an idle connection.
constexpr std::chrono::seconds kKeepIdle{20};
constexpr std::size_t kMaxIdle = 64;  // of an address and io_context

struct Line {
    explicit Line(asio::any_io_executor const& executor) : stream(executor) {}
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
            if (line->idle_since > oldest) return line;
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

    std::mutex mutex;
    bool closed = false;
    std::map<Key, std::vector<std::unique_ptr<Line>>> idle;
};

namespace {

asio::awaitable<error_code> connect(Line& line, std::string host, std::string port) {
    tcp::resolver resolver(line.stream.get_executor());
    auto const [unknown, endpoints] = co_await resolver.async_resolve(host, port, kNoThrow);
    if (unknown) co_return unknown;
    auto const [refused, endpoint] = co_await line.stream.async_connect(endpoints, kNoThrow);
    if (refused) co_return refused;
    error_code ignored;
    line.stream.socket().set_option(tcp::no_delay(true), ignored);
    co_return error_code();
}

}  // namespace

HttpClient::HttpClient() : pool_(std::make_unique<Pool>()) {}
HttpClient::~HttpClient() = default;

asio::awaitable<Outcome> HttpClient::send(std::string address, ClientRequest request, std::chrono::milliseconds limit) {
    auto const executor = co_await asio::this_coro::executor;
    Pool::Key const key{address, &asio::query(executor, asio::execution::context)};
    auto const [host, port] = parts_of(address);
    auto line = pool_->take(key);
    bool const fresh = line == nullptr;
    if (fresh) line = std::make_unique<Line>(executor);
    line->stream.expires_after(limit);
    if (fresh) {
        auto const refused = co_await connect(*line, host, port);
        if (refused) co_return tl::unexpected(ClientFailure{false, refused.message()});
    }
    auto const message = message_of(std::move(request), host + ':' + port);
    auto const [unsent, written] = co_await http::async_write(line->stream, message, kNoThrow);
    if (unsent) co_return tl::unexpected(ClientFailure{written > 0, unsent.message()});
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    auto const [failed, size] = co_await http::async_read(line->stream, line->buffer, parser, kNoThrow);
    if (failed) co_return tl::unexpected(ClientFailure{true, failed.message()});
    bool const keep = parser.keep_alive();
    auto reply = reply_of(parser.release());
    if (keep) pool_->keep(key, std::move(line));
    co_return reply;
}

void HttpClient::close_idle() {
    std::lock_guard const lock(pool_->mutex);
    pool_->closed = true;
    pool_->idle.clear();
}

}  // namespace workforce::api
