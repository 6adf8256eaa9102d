// Beast streams with a deadline each, kept by address and io_context.
#include "net/http_client.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cerrno>
#include <mutex>
#include <optional>
#include <variant>

#include "net/idle_pool.hpp"
#include "net/no_throw.hpp"
#include "net/tls_client.hpp"

namespace workforce::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Outcome = tl::expected<Reply, ClientFailure>;
using Addresses = tl::expected<std::vector<asio::ip::address>, ClientFailure>;

namespace {

constexpr std::uint32_t kMostHeadBytes = 16 * 1024;
/// How much of a body is read at once.
constexpr std::size_t kBodyStep = 16 * 1024;
/// No address is tried for less, however many there are.
constexpr std::chrono::milliseconds kLeastTry{250};

using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;
using ReplyParser = http::response_parser<http::buffer_body>;

struct Line {
    Line(asio::any_io_executor const& executor, std::string p)
        : peer(std::move(p)), stream(std::in_place_type<Plain>, executor) {}
    Line(asio::any_io_executor const& executor, std::string p, asio::ssl::context& context)
        : peer(std::move(p)), stream(std::in_place_type<Secure>, executor, context) {}
    Line(Line const&) = delete;
    Line& operator=(Line const&) = delete;
    /// To OpenSSL, a connection that ends without a farewell spoils its session.
    ~Line() {
        if (auto* secure = std::get_if<Secure>(&stream)) {
            SSL_set_shutdown(secure->native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        }
    }

    Plain& tcp() {
        auto* const plain = std::get_if<Plain>(&stream);
        return plain != nullptr ? *plain : std::get<Secure>(stream).next_layer();
    }
    /// Whether an idle connection can take a request: its address is allowed, the other side has not closed it, nor
    /// said what nobody asked for.
    bool usable(AddressPolicy policy) {
        char next = 0;
        auto const got = ::recv(tcp().socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
        return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && is_allowed(address, policy);
    }

    std::string const peer;  // by which its TLS session is known
    std::variant<Plain, Secure> stream;
    beast::flat_buffer buffer;
    asio::ip::address address;
};

/// Whether a field is the connection's own (RFC 9110 section 7.6.1) or made anew.
bool is_own_field(std::string_view name) {
    for (std::string_view const own : {"connection", "keep-alive", "transfer-encoding", "content-length", "date",
                                       "server", "content-type", "trailer", "upgrade"}) {
        if (beast::iequals(name, own)) return true;
    }
    return false;
}

http::request<http::string_body> message_of(ClientRequest request, OutboundUrl const& url) {
    http::request<http::string_body> message;
    message.method_string(request.method);
    message.target(request.target.empty() ? url.target : request.target);
    for (auto const& [name, value] : request.headers) message.insert(name, value);
    if (message.find(http::field::host) == message.end()) message.set(http::field::host, url.authority);
    message.body() = std::move(request.body);
    message.prepare_payload();
    return message;
}

/// An answer without its body.
Reply reply_of(http::response_header<> const& head) {
    Reply reply;
    reply.status = head.result_int();
    reply.content_type = std::string(head[http::field::content_type]);
    for (auto const& field : head) {
        if (!is_own_field(field.name_string())) reply.headers.emplace_back(field.name_string(), field.value());
    }
    return reply;
}

/// Whether another answer follows (RFC 9110 section 15.2).
bool is_interim(unsigned status) { return status >= 100 && status < 200 && status != 101; }

bool is_timeout(error_code const& error) { return error == beast::error::timeout; }

}  // namespace

/// What the sends of a client share.
struct HttpClient::Parts {
    explicit Parts(ClientOptions o)
        : options(std::move(o)),
          resolver(options.look_up),
          idle({options.most_idle, options.most_idle_of_peer, options.idle}) {}

    /// Made at first use: most clients need none. Throws as its constructor.
    TlsClient& tls() {
        std::lock_guard const lock(mutex);
        if (!tls_client) tls_client.emplace(options.ca_file);
        return *tls_client;
    }

    ClientOptions const options;
    NameResolver resolver;
    std::mutex mutex;
    std::optional<TlsClient> tls_client;
    IdlePool<Line> idle;
};

/// One request, from its URL to its answer.
struct HttpClient::Exchange {
    Exchange(Parts& p, OutboundUrl u, ClientLimits l, std::shared_ptr<ClientStop> s, asio::any_io_executor e)
        : parts(p),
          url(std::move(u)),
          limits(l),
          stop(std::move(s)),
          executor(std::move(e)),
          key(fmt::format("{}//{}:{}", url.tls ? "https" : "http", url.host, url.port),
              &asio::query(executor, asio::execution::context)) {}
    Exchange(Exchange const&) = delete;
    Exchange& operator=(Exchange const&) = delete;
    /// A stop finds the connection for as long as somebody waits for it, and none after that.
    ~Exchange() { at_stop(nullptr); }

    asio::awaitable<Outcome> run(ClientRequest request);
    asio::awaitable<Addresses> find();
    asio::awaitable<std::optional<ClientFailure>> connect();
    asio::awaitable<std::optional<ClientFailure>> secure(Secure& stream);
    template <class Stream>
    asio::awaitable<Outcome> talk(Stream& stream, http::request<http::string_body> const& message);
    template <class Stream>
    asio::awaitable<error_code> read_head(Stream& stream, std::optional<ReplyParser>& parser, bool bodiless);
    template <class Stream>
    asio::awaitable<error_code> read_body(Stream& stream, ReplyParser& parser, Reply& reply);

    void at_stop(std::function<void()> close) {
        if (stop) stop->close_ = std::move(close);
    }
    [[nodiscard]] ClientFailure failure(bool sent, ClientFault kind, std::string reason) const {
        if (stop && stop->requested()) return {sent, ClientFault::stopped, "stopped"};
        return {sent, kind, std::move(reason)};
    }
    [[nodiscard]] ClientFailure failure(bool sent, ClientFault kind, error_code const& error) const {
        if (is_timeout(error))
            return failure(sent, ClientFault::timeout, sent ? "no answer in time" : "no connection in time");
        return failure(sent, kind, error.message());
    }

    Parts& parts;
    OutboundUrl const url;
    ClientLimits const limits;
    std::shared_ptr<ClientStop> const stop;
    asio::any_io_executor const executor;
    IdlePool<Line>::Key const key;
    Clock::time_point const end = Clock::now() + limits.whole;
    Clock::time_point const connect_end = Clock::now() + std::min(limits.connect, limits.whole);
    std::unique_ptr<Line> line;
};

/// The addresses of the URL's host, all of them allowed, and one at least.
asio::awaitable<Addresses> HttpClient::Exchange::find() {
    std::vector<asio::ip::address> found;
    error_code no_literal;
    auto const literal = asio::ip::make_address(url.host, no_literal);
    if (no_literal) {
        auto const wait = std::make_shared<NameWait>(executor);
        wait->patience.expires_at(connect_end);
        at_stop([wait] { wait->patience.cancel(); });
        auto resolved = co_await parts.resolver.resolve(url.host, wait);
        at_stop(nullptr);
        if (!resolved) {
            co_return tl::unexpected(failure(false, ClientFault::timeout, "the name was not resolved in time"));
        }
        if (!*resolved) co_return tl::unexpected(failure(false, ClientFault::dns, std::move(resolved->error())));
        found = *std::move(*resolved);
    } else {
        found.push_back(literal);
    }
    if (found.empty()) co_return tl::unexpected(failure(false, ClientFault::dns, "the name has no address"));
    // One is enough to refuse: which of them is connected to must not be a matter of luck.
    auto const allowed = [&](auto const& address) { return is_allowed(address, limits.addresses); };
    if (!std::all_of(found.begin(), found.end(), allowed)) {
        co_return tl::unexpected(failure(false, ClientFault::blocked_address, "the address is not public"));
    }
    co_return found;
}

/// Opens `line`, or tells why not.
asio::awaitable<std::optional<ClientFailure>> HttpClient::Exchange::connect() {
    auto const found = co_await find();
    if (!found) co_return found.error();
    try {
        line = url.tls ? std::make_unique<Line>(executor, key.first, parts.tls().context())
                       : std::make_unique<Line>(executor, key.first);
    } catch (boost::system::system_error const& error) {
        co_return failure(false, ClientFault::tls, error.code().message());
    }
    auto& tcp_stream = line->tcp();
    at_stop([&tcp_stream] { tcp_stream.close(); });
    error_code refused;
    for (std::size_t i = 0; i < found->size(); ++i) {
        auto const now = Clock::now();
        auto const share = std::max<Clock::duration>((connect_end - now) / (found->size() - i), kLeastTry);
        error_code ignored;
        tcp_stream.socket().close(ignored);
        tcp_stream.expires_at(std::min(now + share, connect_end));
        std::tie(refused) = co_await tcp_stream.async_connect(tcp::endpoint((*found)[i], url.port), kNoThrow);
        line->address = (*found)[i];
        if (!refused || (stop && stop->requested()) || Clock::now() >= connect_end) break;
    }
    if (refused) co_return failure(false, ClientFault::connect, refused);
    error_code ignored;
    tcp_stream.socket().set_option(tcp::no_delay(true), ignored);
    if (auto* stream = std::get_if<Secure>(&line->stream)) co_return co_await secure(*stream);
    co_return std::nullopt;
}

asio::awaitable<std::optional<ClientFailure>> HttpClient::Exchange::secure(Secure& stream) {
    if (!parts.tls().prepare(stream.native_handle(), url.host, line->peer)) {
        co_return failure(false, ClientFault::tls, "TLS takes no such name");
    }
    line->tcp().expires_at(connect_end);
    auto const [failed] = co_await stream.async_handshake(asio::ssl::stream_base::client, kNoThrow);
    if (!failed) co_return std::nullopt;
    if (is_timeout(failed)) co_return failure(false, ClientFault::timeout, failed);
    co_return failure(false, ClientFault::tls, TlsClient::fault_of(stream.native_handle(), failed));
}

template <class Stream>
asio::awaitable<error_code> HttpClient::Exchange::read_head(Stream& stream, std::optional<ReplyParser>& parser,
                                                            bool bodiless) {
    do {
        parser.emplace();
        parser->header_limit(kMostHeadBytes);
        parser->body_limit(boost::none);  // read_body has a bound of its own
        parser->skip(bodiless);
        auto const [failed, size] = co_await http::async_read_header(stream, line->buffer, *parser, kNoThrow);
        if (failed) co_return failed;
    } while (is_interim(parser->get().result_int()));
    co_return error_code();
}

/// Reads what may be read of the body. What a server announces is not believed: memory follows what came.
template <class Stream>
asio::awaitable<error_code> HttpClient::Exchange::read_body(Stream& stream, ReplyParser& parser, Reply& reply) {
    auto& body = reply.body;
    auto const most = std::min(limits.most_body, body.max_size() - 1);
    while (!parser.is_done()) {
        auto const begin = body.size();
        auto const rest = std::min<std::uint64_t>(parser.content_length_remaining().value_or(kBodyStep), kBodyStep);
        auto const step = std::clamp<std::size_t>(rest, 1, most + 1 - begin);  // one more tells that there is more
        body.resize(begin + step);
        auto& target = parser.get().body();
        target.data = body.data() + begin;
        target.size = step;
        auto const [failed, size] = co_await http::async_read(stream, line->buffer, parser, kNoThrow);
        body.resize(begin + step - target.size);
        // Of a body without a length, servers often end TLS without a farewell.
        reply.truncated = body.size() > most || (failed == asio::ssl::error::stream_truncated && parser.need_eof());
        if (reply.truncated) break;
        if (failed && failed != http::error::need_buffer) co_return failed;
    }
    if (body.size() > most) body.resize(most);
    co_return error_code();
}

template <class Stream>
asio::awaitable<Outcome> HttpClient::Exchange::talk(Stream& stream, http::request<http::string_body> const& message) {
    auto const broken = [&](bool sent, error_code const& why) {
        return tl::unexpected(failure(sent, ClientFault::broken, why));
    };
    auto const [unsent, written] = co_await http::async_write(stream, message, kNoThrow);
    if (unsent) co_return broken(written > 0 || url.tls, unsent);
    std::optional<ReplyParser> parser;
    if (auto const failed = co_await read_head(stream, parser, message.method() == http::verb::head)) {
        co_return broken(true, failed);
    }
    auto reply = reply_of(parser->get());
    if (auto const failed = co_await read_body(stream, *parser, reply)) co_return broken(true, failed);
    // What stands behind an answer is none that a later request asked for.
    bool const keep = !reply.truncated && parser->keep_alive() && line->buffer.size() == 0;
    at_stop(nullptr);
    if (keep) {
        line->tcp().expires_never();
        parts.idle.keep(key, std::move(line));
    }
    co_return reply;
}

asio::awaitable<Outcome> HttpClient::Exchange::run(ClientRequest request) {
    if (stop && stop->requested()) co_return tl::unexpected(failure(false, ClientFault::stopped, "stopped"));
    line = parts.idle.take(key, [&](Line& kept) { return kept.usable(limits.addresses); });
    if (line) {
        at_stop([&stream = line->tcp()] { stream.close(); });
    } else if (auto failed = co_await connect()) {
        co_return tl::unexpected(*std::move(failed));
    }
    line->tcp().expires_at(end);
    auto const message = message_of(std::move(request), url);
    auto outcome = co_await std::visit([&](auto& stream) { return talk(stream, message); }, line->stream);
    // What is wrong with one connection is likely wrong with the others.
    if (!outcome) parts.idle.drop(key);
    co_return outcome;
}

HttpClient::HttpClient(ClientOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

HttpClient::~HttpClient() { close(); }

void ClientStop::request(std::shared_ptr<ClientStop> stop) {
    auto const executor = stop->executor_;
    asio::post(executor, [stop = std::move(stop)] {
        stop->requested_ = true;
        if (stop->close_) stop->close_();
    });
}

asio::awaitable<Outcome> HttpClient::send(OutboundUrl url, ClientRequest request, ClientLimits limits,
                                          std::shared_ptr<ClientStop> stop) {
    Exchange exchange(*parts_, std::move(url), limits, std::move(stop), co_await asio::this_coro::executor);
    co_return co_await exchange.run(std::move(request));
}

asio::awaitable<Outcome> HttpClient::send(std::string address, ClientRequest request, ClientLimits limits,
                                          std::shared_ptr<ClientStop> stop) {
    auto url = parse_internal_url(address);
    if (!url) co_return tl::unexpected(ClientFailure{false, ClientFault::dns, "no address of a process"});
    co_return co_await send(*std::move(url), std::move(request), limits, std::move(stop));
}

asio::awaitable<tl::expected<void, ClientFailure>> HttpClient::check(OutboundUrl url, ClientLimits limits) {
    Exchange exchange(*parts_, std::move(url), limits, nullptr, co_await asio::this_coro::executor);
    auto const found = co_await exchange.find();
    if (!found) co_return tl::unexpected(found.error());
    co_return tl::expected<void, ClientFailure>();
}

void HttpClient::close() {
    parts_->idle.close();
    parts_->resolver.close();
}

}  // namespace workforce::net
