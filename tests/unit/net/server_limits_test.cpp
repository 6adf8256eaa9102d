// What the server refuses, and when it loses patience.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "server_fixture.hpp"

namespace workforce::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct BadRequest {
    char const* name;
    char const* bytes;
};

class MalformedRequest : public ServerTest, public testing::WithParamInterface<BadRequest> {};

TEST_P(MalformedRequest, IsAnsweredAndTheConnectionCloses) {
    start();
    EXPECT_EQ(fault_of(GetParam().bytes), "malformed");
    EXPECT_EQ(server->counters().faults, 1U);
    EXPECT_EQ(server->counters().requests, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Server, MalformedRequest,
    testing::Values(
        BadRequest{"NoRequestLine", "nonsense\r\n\r\n"}, BadRequest{"BadMethod", "G@T / HTTP/1.1\r\nHost: x\r\n\r\n"},
        BadRequest{"AbsoluteWithoutHost", "GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n"},
        BadRequest{"AbsoluteOfAUser", "GET http://me@x/a HTTP/1.1\r\nHost: x\r\n\r\n"},
        BadRequest{"AbsoluteOfAnotherScheme", "GET ftp://x/a HTTP/1.1\r\nHost: x\r\n\r\n"},
        BadRequest{"AbsoluteAlone", "GET http://x/a HTTP/1.1\r\n\r\n"},
        BadRequest{"ControlInTarget", "GET /a\tb HTTP/1.1\r\nHost: x\r\n\r\n"},
        BadRequest{"Http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
        BadRequest{"SpaceInName", "GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n"},
        BadRequest{"BareLineFeed", "GET / HTTP/1.1\nHost: x\n\n"},
        BadRequest{"NoHost", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"},
        BadRequest{"TwoHosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"},
        BadRequest{"BadLength", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"},
        BadRequest{"TwoLengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"},
        BadRequest{"LengthAndChunked",
                   "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"OtherCoding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n"},
        BadRequest{"ChunkedNotLast", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"},
        BadRequest{"ChunkedInHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"BadChunkSize", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n"},
        BadRequest{"ChunkLongerThanItsSize",
                   "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n"}),
    [](auto const& info) { return std::string(info.param.name); });

TEST_F(ServerTest, LimitsTheHead) {
    start();
    EXPECT_EQ(fault_of("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(17 * 1024, 'a') + "\r\n\r\n"),
              "headers_too_large");
    std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 4000; ++i) many += "X: a\r\n";
    EXPECT_EQ(fault_of(many + "\r\n"), "headers_too_large");
    EXPECT_EQ(fault_of(std::string(17 * 1024, 'G')), "headers_too_large");
}

TEST_F(ServerTest, LimitsAreTheSameHoweverTheBytesCome) {
    start();
    constexpr std::size_t kMost = 16 * 1024;
    auto const head = [](std::size_t length) {
        std::string const line = "GET /" + std::string(5000, 't') + " HTTP/1.1\r\nHost: x\r\nX: ";
        return line + std::string(length - line.size() - 4, 'a') + "\r\n\r\n";
    };
    auto const chunked = [](std::size_t length) {
        return "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nT:" +
               std::string(length - sizeof("\r\n0\r\nT:v\r\n\r\n") + 1, ' ') + "v\r\n\r\n";
    };
    auto const answer = [&](std::string const& request, std::size_t cut) {
        auto client = connect();
        client.send(std::string_view(request).substr(0, cut));
        if (cut < request.size()) std::this_thread::sleep_for(milliseconds(20));  // so that it comes on its own
        client.send(std::string_view(request).substr(std::min(cut, request.size())));
        auto const reply = client.reply();
        return reply.status == 200U ? std::string("taken") : reply.body;
    };
    for (std::size_t const cut : {std::size_t{50}, std::size_t{4096}, kMost - 1, kMost, std::size_t{100'000}}) {
        EXPECT_EQ(answer(head(kMost), cut), "taken") << cut;
        EXPECT_EQ(answer(head(kMost + 1), cut), "headers_too_large") << cut;
        EXPECT_EQ(answer(chunked(kMost), cut), "taken") << cut;
        EXPECT_EQ(answer(chunked(kMost + 1), cut), "headers_too_large") << cut;
    }
}

TEST_F(ServerTest, LimitsTheTarget) {
    start();
    auto const get = [](std::size_t length) {
        return "GET /" + std::string(length - 1, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n";
    };
    auto client = connect();
    client.send(get(8 * 1024));
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(fault_of(get(8 * 1024 + 1)), "target_too_long");
    EXPECT_EQ(fault_of(get(100 * 1024)), "target_too_long");
}

TEST_F(ServerTest, LimitsTheBodyByMethodAndPath) {
    std::atomic<int> asked = 0;
    options.limits.max_body_bytes = [&](Method method, std::string_view path) {
        ++asked;
        return method == Method::post && path == "/large" ? 20'000U : 10U;
    };
    start();
    auto const post = [](std::string const& target, std::size_t length) {
        return "POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
    };
    auto client = connect();
    client.send(post("/large?x", 20'000) + std::string(20'000, 'b'));
    EXPECT_EQ(client.reply().status, 200U);
    client.send(post("/small", 10) + std::string(10, 'b'));
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(fault_of(post("/small", 11)), "body_too_large");  // before a byte of it was sent
    EXPECT_EQ(fault_of(post("/large", 20'001)), "body_too_large");
    EXPECT_EQ(fault_of("PUT /large HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n" +
                       std::string(11, 'b') + "\r\n0\r\n\r\n"),
              "body_too_large");
    EXPECT_EQ(asked, 5);
    client.send(kGet);  // nobody asks for the limit of no body
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(asked, 5);
}

TEST_F(ServerTest, LimitsTheBodyAsItStreams) {
    start();
    std::string chunks = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 5; ++i) chunks += "10000\r\n" + std::string(0x10000, 'b') + "\r\n";
    EXPECT_EQ(fault_of(chunks), "body_too_large");
    EXPECT_EQ(fault_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 262145\r\n\r\n"), "body_too_large");
}

TEST_F(ServerTest, LimitsTheFramingOfChunks) {
    start();
    std::string const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(fault_of(head + "1;" + std::string(40 * 1024, 'e')), "headers_too_large");
    std::string extensions = head;
    for (int i = 0; i < 200; ++i) extensions += "1;" + std::string(100, 'e') + "\r\nb\r\n";
    EXPECT_EQ(fault_of(extensions), "headers_too_large");
    EXPECT_EQ(fault_of(head + "0\r\nT: " + std::string(40 * 1024, 't')), "headers_too_large");
}

TEST_F(ServerTest, LetsTheClientReadTheRefusalWhileItSends) {
    start();
    auto client = connect();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n" + std::string(4'000'000, 'b'));
    EXPECT_EQ(client.reply().body, "body_too_large");
    EXPECT_TRUE(client.closed());
}

TEST_F(ServerTest, LosesPatienceWithASlowHead) {
    options.timeouts.head = milliseconds(100);
    start();
    EXPECT_EQ(fault_of("GET / HTTP/1.1\r\nHo"), "timed_out");
    EXPECT_EQ(fault_of("G"), "timed_out");
    auto client = connect();  // also behind a request that was sent whole
    client.send(std::string(kGet) + "GET /sl");
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(client.reply().body, "timed_out");
    EXPECT_TRUE(client.closed());
}

TEST_F(ServerTest, LosesPatienceWithASlowBody) {
    options.timeouts.body = milliseconds(100);
    start();
    EXPECT_EQ(fault_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"), "timed_out");
    EXPECT_EQ(fault_of("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"), "timed_out");
}

TEST_F(ServerTest, ClosesIdleConnectionsSilently) {
    options.timeouts.idle = milliseconds(1000);
    start();
    auto fresh = connect();
    auto used = connect();
    used.send(kGet);
    EXPECT_EQ(used.reply().status, 200U);
    EXPECT_TRUE(used.closed());
    EXPECT_TRUE(fresh.closed());
    EXPECT_EQ(server->counters().faults, 0U);
}

TEST_F(ServerTest, LosesPatienceWithAClientThatDoesNotRead) {
    options.timeouts.write = milliseconds(100);
    start([](Request const&) -> boost::asio::awaitable<Reply> {
        Reply reply;
        reply.body.assign(64 * 1024 * 1024, 'x');
        co_return reply;
    });
    auto client = connect();
    client.send(kGet);
    auto const end = std::chrono::steady_clock::now() + seconds(10);
    bool served = false;
    while (std::chrono::steady_clock::now() < end) {
        served = served || server->counters().requests == 1;
        if (served && server->counters().open_connections == 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(served);
    EXPECT_EQ(server->counters().open_connections, 0U);
}

TEST_F(ServerTest, RefusesConnectionsOverTheLimit) {
    options.max_connections = 2;
    options.max_refusals = 1;
    start();
    auto first = connect();
    auto second = connect();
    first.send(kGet);
    second.send(kGet);
    EXPECT_EQ(first.reply().status, 200U);
    EXPECT_EQ(second.reply().status, 200U);
    auto third = connect();
    EXPECT_EQ(third.reply().body, "overloaded");
    auto fourth = connect();  // while the third may still read its answer
    EXPECT_TRUE(fourth.closed());
    EXPECT_EQ(server->counters().refused_connections, 2U);
    EXPECT_EQ(server->counters().open_connections, 2U);
    first.send(kGet);
    EXPECT_EQ(first.reply().status, 200U);
}

TEST_F(ServerTest, ClosesConnectionsOfAnAddressThatHasAsManyAsItMay) {
    options.connections_per_address = 2;
    options.threads = 2;
    start();
    {
        auto first = connect();
        auto second = connect();
        first.send(kGet);
        second.send(kGet);
        EXPECT_EQ(first.reply().status, 200U);
        EXPECT_EQ(second.reply().status, 200U);
        EXPECT_TRUE(connect().closed());
        EXPECT_EQ(server->counters().refused_of_address, 1U);
        EXPECT_EQ(server->counters().refused_connections, 0U);
    }
    eventually([&] { return server->counters().open_connections == 0; });
    auto again = connect();
    again.send(kGet);
    EXPECT_EQ(again.reply().status, 200U) << "the places came back";
}

TEST_F(ServerTest, TrustedProxiesHaveAnyNumberOfConnections) {
    options.connections_per_address = 1;
    options.trusted_proxies = core::Networks::parse("127.0.0.1").value();
    start();
    auto first = connect();
    auto second = connect();
    first.send(kGet);
    second.send(kGet);
    EXPECT_EQ(first.reply().status, 200U);
    EXPECT_EQ(second.reply().status, 200U);
    EXPECT_EQ(server->counters().refused_of_address, 0U);
}

TEST_F(ServerTest, GivesARefusedConnectionsPlaceBack) {
    options.max_connections = 1;
    options.max_refusals = 1;
    start();
    auto first = connect();
    first.send(kGet);
    EXPECT_EQ(first.reply().status, 200U);
    for (int i = 0; i < 3; ++i) {
        {
            auto refused = connect();
            EXPECT_EQ(refused.reply().body, "overloaded");
        }
        eventually([&] { return server->counters().refusing_connections == 0; });
    }
}

}  // namespace
}  // namespace workforce::net
