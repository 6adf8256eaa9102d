// The client between processes, against our own server.
#include "net/http_client.hpp"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>
#include <vector>

#include "core/time.hpp"
#include "tests/support/await.hpp"
#include "tests/unit/net/server_fixture.hpp"

namespace workforce::net {
namespace {

using namespace std::chrono_literals;
using tests::await;

class HttpClientTest : public ServerTest {
   protected:
    std::string address() const { return "http://127.0.0.1:" + std::to_string(server->port()); }
};

TEST_F(HttpClientTest, SendsAndReceivesWhole) {
    Request seen;
    start([&](Request const& request) -> boost::asio::awaitable<Reply> {
        seen = request;
        Reply reply;
        reply.status = 201;
        reply.content_type = "text/plain";
        reply.body = std::string(1 << 20, 'y');
        reply.headers = {{"Location", "/there"}, {"Retry-After", "1"}};
        co_return reply;
    });
    HttpClient client;
    ClientRequest const request{"PATCH", "/a?b=c", {{"X-One", "1"}, {"X-One", "2"}}, std::string(100'000, 'x')};
    auto const once = [&]() -> boost::asio::awaitable<tl::expected<Reply, ClientFailure>> {
        auto answer = co_await client.send(address(), request, within_installation(10s));
        client.close();  // what it keeps is of the context that ends with this
        co_return answer;
    };
    auto const reply = await(once());
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 201U);
    EXPECT_EQ(reply->body.size(), std::size_t{1} << 20);
    EXPECT_EQ(reply->content_type, "text/plain");
    EXPECT_EQ(reply->headers, (std::vector<Header>{{"Location", "/there"}, {"Retry-After", "1"}}));
    EXPECT_EQ(seen.method, Method::patch);
    EXPECT_EQ(seen.target, "/a?b=c");
    EXPECT_EQ(seen.body, request.body);
    EXPECT_EQ(std::count_if(seen.headers.begin(), seen.headers.end(), [](auto& h) { return h.first == "X-One"; }), 2);
}

TEST_F(HttpClientTest, KeepsConnections) {
    start();
    HttpClient client;
    auto const many = [&]() -> boost::asio::awaitable<int> {
        int good = 0;
        for (int i = 0; i < 20; ++i) {
            auto const reply =
                co_await client.send(address(), {"POST", "/x", {}, std::to_string(i)}, within_installation(10s));
            good += reply && reply->body == "POST /x " + std::to_string(i) ? 1 : 0;
        }
        client.close();
        co_return good;
    };
    EXPECT_EQ(await(many()), 20);
    EXPECT_EQ(server->counters().accepted_connections, 1U);
}

TEST_F(HttpClientTest, TellsWhetherTheOtherSideMayHaveActed) {
    HttpClient client;
    auto const refused = await(client.send("http://127.0.0.1:1", {"POST", "/", {}, "x"}, within_installation(10s)));
    ASSERT_FALSE(refused);
    EXPECT_FALSE(refused.error().sent);

    boost::asio::io_context waiting;
    start([&](Request const&) -> boost::asio::awaitable<Reply> {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, 10min);
        co_await timer.async_wait(boost::asio::use_awaitable);
        co_return Reply{};
    });
    auto const silent = await(client.send(address(), {"POST", "/", {}, "x"}, within_installation(200ms)));
    ASSERT_FALSE(silent);
    EXPECT_TRUE(silent.error().sent);
}

TEST_F(HttpClientTest, AConnectionThatTheOtherSideClosedIsNotUsedAgain) {
    start();
    boost::asio::io_context context;
    HttpClient client;
    auto const send = [&] {
        auto reply =
            boost::asio::co_spawn(context, client.send(address(), {"POST", "/x", {}, "1"}, within_installation(10s)),
                                  boost::asio::use_future);
        context.restart();
        context.run();
        return reply.get();
    };
    ASSERT_TRUE(send());
    options.ports = {{server->port()}};
    server.reset();
    start();
    auto const reply = send();
    ASSERT_TRUE(reply) << reply.error().reason;
    EXPECT_EQ(reply->body, "POST /x 1");
    client.close();
}

/// Answers each connection's first request with the bytes given, and leaves the connection open.
class RawServer {
   public:
    explicit RawServer(std::string answer) : answer_(std::move(answer)) {
        boost::asio::co_spawn(context_, accept(), boost::asio::detached);
        thread_ = std::thread([this] { context_.run(); });
    }
    ~RawServer() {
        context_.stop();
        thread_.join();
    }
    [[nodiscard]] std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] int accepted() const { return accepted_; }

   private:
    boost::asio::awaitable<void> accept() {
        std::vector<boost::asio::ip::tcp::socket> sockets;
        for (;;) {
            sockets.push_back(co_await acceptor_.async_accept(boost::asio::use_awaitable));
            ++accepted_;
            std::string request;
            co_await boost::asio::async_read_until(sockets.back(), boost::asio::dynamic_buffer(request), "\r\n\r\n",
                                                   boost::asio::use_awaitable);
            co_await boost::asio::async_write(sockets.back(), boost::asio::buffer(answer_), boost::asio::use_awaitable);
        }
    }
    std::string const answer_;
    boost::asio::io_context context_{1};
    boost::asio::ip::tcp::acceptor acceptor_{context_, {boost::asio::ip::address_v4::loopback(), 0}};
    std::uint16_t const port_ = acceptor_.local_endpoint().port();
    std::atomic<int> accepted_{0};
    std::thread thread_;
};

TEST_F(HttpClientTest, WhatNobodyAskedForIsNoAnswerToTheNext) {
    // The second answer stands in the buffer behind the first.
    RawServer raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb");
    HttpClient client;
    auto const twice = [&]() -> boost::asio::awaitable<std::string> {
        std::string bodies;
        for (int i = 0; i < 2; ++i) {
            auto const reply = co_await client.send(raw.address(), {"GET", "/", {}, ""}, within_installation(10s));
            bodies += reply ? reply->body : reply.error().reason;
        }
        client.close();
        co_return bodies;
    };
    EXPECT_EQ(await(twice()), "aa");
    EXPECT_EQ(raw.accepted(), 2);
}

}  // namespace
}  // namespace workforce::net
