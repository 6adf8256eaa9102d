// The server on a real socket: framing, keep-alive, answers, the orderly stop.
#include "net/server.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <optional>
#include <regex>
#include <stdexcept>

#include "server_fixture.hpp"

namespace workforce::net {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(ServerTest, AnswersWithTheFieldsOfEveryAnswer) {
    start();
    auto client = connect();
    client.send(kGet);
    auto const reply = client.reply();
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.body, "GET /a?b=c ");
    EXPECT_EQ(reply.fields.at("content-type"), "application/json");
    EXPECT_EQ(reply.fields.at("content-length"), "11");
    EXPECT_EQ(reply.fields.at("server"), "workforce");
    EXPECT_EQ(reply.fields.count("connection"), 0U);
    std::regex const date("(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d [A-Z][a-z][a-z] \\d{4} \\d\\d:\\d\\d:\\d\\d GMT");
    EXPECT_TRUE(std::regex_match(reply.fields.at("date"), date)) << reply.fields.at("date");
}

TEST_F(ServerTest, SendsATextThatAllAnswersShare) {
    static std::string const text(3 << 20, 'x');
    start([](Request const&) -> asio::awaitable<Reply> {
        Reply reply;
        reply.static_body = text;
        co_return reply;
    });
    auto client = connect();
    client.send(kGet);
    auto const reply = client.reply();
    EXPECT_EQ(reply.fields.at("content-type"), "application/json");
    EXPECT_EQ(reply.fields.at("content-length"), std::to_string(text.size()));
    EXPECT_EQ(reply.body, text);
}

TEST_F(ServerTest, HandsOverTheRequestAsReceived) {
    Request seen;
    start([&seen](Request const& request) {
        seen = request;
        return echo(request);
    });
    auto client = connect();
    std::string const body("\0\xff{}", 4);
    client.send("PATCH /x%20y?q=1 HTTP/1.1\r\nHost: h\r\nX-Two: 2\r\nx-one:  1 \r\nContent-Length: 4\r\n\r\n" + body);
    client.reply();
    EXPECT_EQ(seen.method, Method::patch);
    EXPECT_EQ(seen.path(), "/x%20y");
    EXPECT_EQ(seen.query(), "q=1");
    EXPECT_EQ(seen.headers,
              (std::vector<Header>{{"Host", "h"}, {"X-Two", "2"}, {"x-one", "1"}, {"Content-Length", "4"}}));
    EXPECT_EQ(seen.header("X-ONE"), "1");
    EXPECT_EQ(seen.header("absent"), std::nullopt);
    EXPECT_EQ(seen.body, body);
    EXPECT_EQ(seen.remote_address, "127.0.0.1");
}

TEST_F(ServerTest, ATargetInAbsoluteFormNamesTheHost) {
    Request seen;
    start([&seen](Request const& request) {
        seen = request;
        return echo(request);
    });
    auto client = connect();
    client.send("GET http://api.example:81/x?q=1 HTTP/1.1\r\nHost: other\r\nA: b\r\n\r\n");
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(seen.target, "/x?q=1");
    EXPECT_EQ(seen.headers, (std::vector<Header>{{"Host", "api.example:81"}, {"A", "b"}}));
    for (auto const& [target, kept] : {std::pair("HTTPS://h", "/"), std::pair("http://h?q=1", "/?q=1"),
                                       std::pair("http://h/a/http://x/", "/a/http://x/")}) {
        client.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: other\r\n\r\n");
        EXPECT_EQ(client.reply().status, 200U);
        EXPECT_EQ(seen.target, kept);
        EXPECT_EQ(seen.header("Host"), "h");
    }
    client.send("GET /a?at=http://x/ HTTP/1.1\r\nHost: y\r\n\r\n");
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(seen.target, "/a?at=http://x/");
    EXPECT_EQ(seen.header("Host"), "y") << "the last request's host is forgotten";
    client.send("GET http://h/ HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(seen.headers, (std::vector<Header>{{"Host", "h"}}));
}

TEST_F(ServerTest, ATrustedProxyTellsTheClientOfEachRequest) {
    options.trusted_proxies = core::Networks::parse("127.0.0.0/8").value();
    std::string gated;
    std::atomic<bool> asked = false;
    options.body_gate = [&](Request const& request) -> asio::awaitable<Admission> {
        gated = request.remote_address;
        asked = true;
        co_return Admission{holder_of(request.remote_address), {}};
    };
    std::vector<std::string> seen;
    start([&seen](Request const& request) {
        seen.push_back(request.remote_address);
        return echo(request);
    });
    auto client = connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n");
    client.reply();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.reply();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nForwarded: for=192.0.2.2\r\nContent-Length: 2\r\n\r\n");
    eventually([&] { return asked.load(); });
    client.send("hi");
    client.reply();
    EXPECT_EQ(gated, "192.0.2.2") << "before the body";
    EXPECT_EQ(seen, (std::vector<std::string>{"192.0.2.1", "127.0.0.1", "192.0.2.2"}));
}

TEST_F(ServerTest, NobodyElseTellsOfAnotherAddress) {
    options.trusted_proxies = core::Networks::parse("10.0.0.0/8").value();
    std::string seen;
    start([&seen](Request const& request) {
        seen = request.remote_address;
        return echo(request);
    });
    auto client = connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\n\r\n");
    client.reply();
    EXPECT_EQ(seen, "127.0.0.1");
}

TEST_F(ServerTest, KeepsTheConnectionAndForgetsTheLastRequest) {
    std::vector<Header> headers;
    start([&headers](Request const& request) {
        headers = request.headers;
        return echo(request);
    });
    auto client = connect();
    client.send("POST /first HTTP/1.1\r\nHost: x\r\nX-Long: 1\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_EQ(client.reply().body, "POST /first body");
    client.send("GET /2 HTTP/1.1\r\nHost: y\r\n\r\n");
    EXPECT_EQ(client.reply().body, "GET /2 ");
    EXPECT_EQ(headers, (std::vector<Header>{{"Host", "y"}}));
    EXPECT_EQ(server->counters().accepted_connections, 1U);
    EXPECT_EQ(server->counters().requests, 2U);
    EXPECT_EQ(server->counters().open_connections, 1U);
}

/// Lets the other request of a pipeline, were it run at once, overtake it.
asio::awaitable<Reply> slow_first(Request const& request) {
    if (request.path() == "/1") {
        asio::steady_timer timer(co_await asio::this_coro::executor, milliseconds(20));
        co_await timer.async_wait(asio::use_awaitable);
    }
    Reply reply;
    reply.body = request.target;
    co_return reply;
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
    start(slow_first);
    auto client = connect();
    client.send(
        "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
        "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.reply().body, "/1");
    EXPECT_EQ(client.reply().body, "/2");
    auto const last = client.reply();
    EXPECT_EQ(last.body, "/3");
    EXPECT_EQ(last.fields.at("connection"), "close");
    EXPECT_TRUE(client.closed());
    EXPECT_EQ(server->counters().requests, 3U);
}

TEST_F(ServerTest, JoinsChunksAndDropsExtensionsAndTrailers) {
    std::vector<Header> headers;
    start([&headers](Request const& request) {
        headers = request.headers;
        return echo(request);
    });
    auto client = connect();
    client.send(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nAuthorization: Bearer x\r\n\r\n");
    EXPECT_EQ(client.reply().body, "POST / abc0123456789");
    EXPECT_EQ(headers.size(), 2U);
    client.send(kGet);
    EXPECT_EQ(client.reply().status, 200U);
}

TEST_F(ServerTest, TakesRequestsByteByByte) {
    start();
    auto client = connect();
    client.send_one_by_one("\r\nPOST /len HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_EQ(client.reply().body, "POST /len hello");
    client.send_one_by_one(
        "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
    EXPECT_EQ(client.reply().body, "POST /c hello");
    client.send_one_by_one("POST /none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    EXPECT_EQ(client.reply().body, "POST /none ");
}

TEST_F(ServerTest, AnswersHeadWithoutTheBody) {
    start();
    auto client = connect();
    client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.reply(true).fields.at("content-length"), "8");
    client.send(kGet);
    EXPECT_EQ(client.reply().body, "GET /a?b=c ");
}

TEST_F(ServerTest, SendsNoLengthWhereTheStatusHasNoBody) {
    start([](Request const&) -> asio::awaitable<Reply> {
        Reply reply;
        reply.status = 204;
        co_return reply;
    });
    auto client = connect();
    client.send(kGet);
    auto const reply = client.reply();
    EXPECT_EQ(reply.status, 204U);
    EXPECT_EQ(reply.fields.count("content-length"), 0U);
    EXPECT_EQ(reply.fields.count("content-type"), 0U);
}

TEST_F(ServerTest, FollowsTheClientsWishToClose) {
    start();
    auto close = connect();
    close.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(close.reply().fields.at("connection"), "close");
    EXPECT_TRUE(close.closed());

    auto old = connect();
    old.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(old.reply().fields.at("connection"), "keep-alive");
    old.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.reply().fields.at("connection"), "close");
    EXPECT_TRUE(old.closed());
}

TEST_F(ServerTest, AsksForTheBodyThatTheClientHoldsBack) {
    start();
    auto client = connect();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(client.reply().status, 100U);
    client.send("hi");
    EXPECT_EQ(client.reply().body, "POST / hi");
    client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nho");
    EXPECT_EQ(client.reply().status, 200U);
}

TEST_F(ServerTest, WritesLargeAnswersWhole) {
    std::string const large(8 * 1024 * 1024, 'x');
    start([&large](Request const&) -> asio::awaitable<Reply> {
        Reply reply;
        reply.body = large;
        return [](Reply r) -> asio::awaitable<Reply> { co_return r; }(std::move(reply));
    });
    auto client = connect();
    client.send(kGet);
    EXPECT_EQ(client.reply().body, large);
    client.send(kGet);
    EXPECT_EQ(client.reply().body, large);
}

TEST_F(ServerTest, LetsNoHeaderValueEndItsField) {
    start([](Request const&) -> asio::awaitable<Reply> {
        Reply reply;
        reply.headers.emplace_back("Location", "/a\r\nSet-Cookie: b");
        co_return reply;
    });
    auto client = connect();
    client.send(kGet);
    auto const reply = client.reply();
    EXPECT_EQ(reply.fields.at("location"), "/a  Set-Cookie: b");
    EXPECT_EQ(reply.fields.count("set-cookie"), 0U);
}

TEST_F(ServerTest, ClosesTheConnectionOfAHandlerThatThrows) {
    std::promise<std::string> told;
    options.on_error = [&told](std::string text) { told.set_value(std::move(text)); };
    start([](Request const&) -> asio::awaitable<Reply> {
        throw std::runtime_error("broken");
        co_return Reply{};
    });
    auto client = connect();
    client.send(kGet);
    EXPECT_TRUE(client.closed());
    EXPECT_THAT(told.get_future().get(), testing::HasSubstr("broken"));
}

TEST_F(ServerTest, ServesFromSeveralThreads) {
    options.threads = 3;
    start();
    EXPECT_EQ(server->thread_count(), 3U);
    for (int i = 0; i < 30; ++i) {
        auto client = connect();
        client.send(kGet);
        EXPECT_EQ(client.reply().status, 200U);
    }
    EXPECT_EQ(server->counters().accepted_connections, 30U);
}

TEST_F(ServerTest, RunsHandlersOnTheConnectionsExecutor) {
    asio::any_io_executor seen;
    start([&seen](Request const& request) -> asio::awaitable<Reply> {
        auto const answer = [](asio::any_io_executor* out, Request const* r) -> asio::awaitable<Reply> {
            *out = co_await asio::this_coro::executor;
            co_return co_await echo(*r);
        };
        return answer(&seen, &request);
    });
    auto client = connect();
    client.send(kGet);
    client.reply();
    EXPECT_EQ(seen, server->executor(0));
}

TEST_F(ServerTest, NamesThePortThatIsInUse) {
    start();
    for (std::size_t const threads : {1U, 2U}) {
        ServerOptions other;
        other.ports = {{server->port(), "--mcp-port"}};
        other.threads = threads;
        Server second(other, echo);
        try {
            second.start();
            ADD_FAILURE() << "two servers share a port";
        } catch (std::runtime_error const& error) {
            EXPECT_EQ(error.what(), "port " + std::to_string(server->port()) +
                                        " on 127.0.0.1 is in use (choose another with --mcp-port)");
        }
    }
}

TEST_F(ServerTest, RefusesToShareThePortOfAServerWithSeveralThreads) {
    options.threads = 2;
    start();
    ServerOptions other = options;
    other.ports = {{server->port()}};
    EXPECT_THROW(Server(other, echo).start(), std::runtime_error);
}

TEST_F(ServerTest, ServesSeveralPortsByTheSameThreads) {
    options.ports = {ServerPort{}, ServerPort{}};
    start();
    EXPECT_NE(server->port(0), server->port(1));
    for (std::size_t const port : {0U, 1U}) {
        auto client = connect(port);
        client.send(kGet);
        EXPECT_EQ(client.reply().status, 200U);
    }
}

/// A handler that waits until the test lets it go on.
class Gate {
   public:
    asio::awaitable<Reply> handle(Request const& request) {
        timer_.emplace(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
        entered_.set_value();
        boost::system::error_code ignored;
        co_await timer_->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        co_return co_await echo(request);
    }

    void await_entry() { entered_.get_future().get(); }
    void open() {
        asio::post(timer_->get_executor(), [this] { timer_->cancel(); });
    }
    /// The timer belongs to a context of the server: gone before it.
    void reset() { timer_.reset(); }

   private:
    std::optional<asio::steady_timer> timer_;
    std::promise<void> entered_;
};

TEST_F(ServerTest, FinishesWhatIsUnderWayWhenStopped) {
    Gate gate;
    start([&gate](Request const& request) { return gate.handle(request); });
    auto idle = connect();
    auto busy = connect();
    busy.send(kGet);
    gate.await_entry();
    auto stopped = std::async(std::launch::async, [this] { server->stop(seconds(10)); });
    EXPECT_TRUE(idle.closed());  // so the stop has begun
    gate.open();
    auto const reply = busy.reply();
    EXPECT_EQ(reply.body, "GET /a?b=c ");
    EXPECT_EQ(reply.fields.at("connection"), "close");
    EXPECT_TRUE(busy.closed());
    stopped.get();
    EXPECT_THROW(connect(), boost::system::system_error);
    EXPECT_EQ(server->counters().open_connections, 0U);
    gate.reset();
}

TEST_F(ServerTest, CutsWhatOutlastsTheGrace) {
    Gate gate;
    start([&gate](Request const& request) { return gate.handle(request); });
    auto client = connect();
    client.send(kGet);
    gate.await_entry();
    server->stop(milliseconds(10));
    EXPECT_TRUE(client.closed());
    gate.reset();
    server.reset();
}

TEST_F(ServerTest, StopsTwiceAndUnstarted) {
    start();
    server->stop(seconds(1));
    server->stop(seconds(1));
    Server unstarted(options, echo);
    unstarted.stop(seconds(1));
}

}  // namespace
}  // namespace workforce::net
