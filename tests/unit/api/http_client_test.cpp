// The client that forwards requests, against our own server.
#include "api/http_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "api/forwarder.hpp"
#include "core/time.hpp"
#include "tests/unit/api/server_fixture.hpp"

namespace workforce::api {
namespace {

using namespace std::chrono_literals;

/// Runs one coroutine to its end on this thread.
template <class T>
T run(boost::asio::awaitable<T> task) {
    boost::asio::io_context context;
    auto result = boost::asio::co_spawn(context, std::move(task), boost::asio::use_future);
    context.run();
    return result.get();
}

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
    auto const reply = run(client.send(address(), request, 10s));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 201U);
    EXPECT_EQ(reply->body.size(), std::size_t{1} << 20);
    EXPECT_EQ(reply->content_type, "text/plain");
    EXPECT_EQ(reply->headers, (std::vector<Header>{{"Location", "/there"}, {"Retry-After", "1"}}));
    EXPECT_EQ(seen.method, Method::patch);
    EXPECT_EQ(seen.target, "/a?b=c");
    EXPECT_EQ(seen.body, request.body);
    EXPECT_EQ(std::count_if(seen.headers.begin(), seen.headers.end(), [](auto& h) { return h.first == "X-One"; }), 2);
    client.close_idle();
}

TEST_F(HttpClientTest, KeepsConnections) {
    start();
    HttpClient client;
    auto const many = [&]() -> boost::asio::awaitable<int> {
        int good = 0;
        for (int i = 0; i < 20; ++i) {
            auto const reply = co_await client.send(address(), {"POST", "/x", {}, std::to_string(i)}, 10s);
            good += reply && reply->body == "POST /x " + std::to_string(i) ? 1 : 0;
        }
        client.close_idle();
        co_return good;
    };
    EXPECT_EQ(run(many()), 20);
    EXPECT_EQ(server->counters().accepted_connections, 1U);
}

TEST_F(HttpClientTest, TellsWhetherTheOtherSideMayHaveActed) {
    HttpClient client;
    auto const refused = run(client.send("http://127.0.0.1:1", {"POST", "/", {}, "x"}, 10s));
    ASSERT_FALSE(refused);
    EXPECT_FALSE(refused.error().sent);

    boost::asio::io_context waiting;
    start([&](Request const&) -> boost::asio::awaitable<Reply> {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, 10min);
        co_await timer.async_wait(boost::asio::use_awaitable);
        co_return Reply{};
    });
    auto const silent = run(client.send(address(), {"POST", "/", {}, "x"}, 200ms));
    ASSERT_FALSE(silent);
    EXPECT_TRUE(silent.error().sent);
}

Request request_of(std::string method, std::string target, std::string body) {
    Request request;
    request.method_name = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    return request;
}

TEST(HopSigner, KnowsItsOwn) {
    HopSigner const signer("a key");
    auto request = request_of("POST", "/api/shifts", "{}");
    EXPECT_FALSE(signer.verify(request)->has_value()) << "not forwarded at all";
    request.headers = {signer.sign(request, {"req-1", "2001:db8::1"})};
    auto const from = signer.verify(request);
    ASSERT_TRUE(from && *from);
    EXPECT_EQ((*from)->request_id, "req-1");
    EXPECT_EQ((*from)->client_address, "2001:db8::1");
}

TEST(HopSigner, RefusesWhatWasMadeElsewhereOrChanged) {
    HopSigner const signer("a key");
    auto const request = request_of("POST", "/api/shifts", "{}");
    auto const header = signer.sign(request, {"req-1", "127.0.0.1"});
    auto const refuses = [&](Request changed, Header field) {
        changed.headers = {std::move(field)};
        return !signer.verify(changed).has_value();
    };
    EXPECT_TRUE(refuses(request_of("POST", "/api/shifts", "{ }"), header));
    EXPECT_TRUE(refuses(request_of("POST", "/api/staff", "{}"), header));
    EXPECT_TRUE(refuses(request_of("PUT", "/api/shifts", "{}"), header));
    EXPECT_TRUE(refuses(request, HopSigner("another").sign(request, {"req-1", "127.0.0.1"})));
    for (std::string const& text : {std::string(), std::string("1"), header.second.substr(1), header.second + "0",
                                    std::string("  "), std::string("0 a b c")}) {
        EXPECT_TRUE(refuses(request, {header.first, text})) << text;
    }
}

}  // namespace
}  // namespace workforce::api
