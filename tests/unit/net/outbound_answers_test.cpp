// What servers of customers may answer, and what becomes of it.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <thread>

#include "tests/unit/net/outbound_fixture.hpp"

namespace workforce::net {
namespace {

using namespace std::chrono_literals;

class OutboundAnswersTest : public OutboundTest {
   protected:
    /// Of a request that gets those bytes, after which the server closes.
    Outcome answer(std::string const& bytes) {
        ScriptedServer const server([&](Peer& peer) {
            peer.request();
            peer.write(bytes);
        });
        return post(url(server));
    }
};

TEST_F(OutboundAnswersTest, TheRequestHasNothingThatNobodyGave) {
    std::string seen;
    ScriptedServer const server([&](Peer& peer) {
        seen = peer.request();
        peer.write(wire_answer("ok"));
    });
    EXPECT_EQ(text_of(post(url(server))), "200 ok");
    EXPECT_EQ(seen, "POST /hook?x=1 HTTP/1.1\r\nX-A: 1\r\nHost: hooks.example.test:" + std::to_string(server.port()) +
                        "\r\nContent-Length: 2\r\n\r\n{}");
}

TEST_F(OutboundAnswersTest, ConnectionsAreKept) {
    ScriptedServer const server([](Peer& peer) {
        while (!peer.request().empty()) peer.write(wire_answer("ok"));
    });
    for (int i = 0; i < 5; ++i) EXPECT_EQ(text_of(post(url(server))), "200 ok");
    EXPECT_EQ(server.accepted(), 1);
}

TEST_F(OutboundAnswersTest, ARedirectIsAnAnswer) {
    ScriptedServer const server([](Peer& peer) {
        peer.request();
        peer.write("HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n");
        EXPECT_EQ(peer.request(), "");
    });
    auto const reply = post(url(server));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 307U);
    EXPECT_EQ(reply->headers, (std::vector<Header>{{"Location", "/other"}}));
    close();
    EXPECT_EQ(server.accepted(), 1);
}

TEST_F(OutboundAnswersTest, InterimAnswersAreNotTheAnswer) {
    EXPECT_EQ(text_of(answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                             "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\na")),
              "201 a");
}

TEST_F(OutboundAnswersTest, TheAnswerToHeadHasNoBody) {
    ScriptedServer const server([](Peer& peer) {
        while (!peer.request().empty()) peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    });
    open();
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(text_of(run(client->send(url(server), {"HEAD", "/", {}, ""}, limits))), "200 ");
    }
    EXPECT_EQ(server.accepted(), 1);
}

TEST_F(OutboundAnswersTest, BodiesOfEachFraming) {
    EXPECT_EQ(text_of(answer("HTTP/1.1 200 OK\r\n\r\nuntil the end")), "200 until the end");
    EXPECT_EQ(
        text_of(answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n1\r\nd\r\n0\r\n\r\n")),
        "200 abcd");
    EXPECT_EQ(text_of(answer("HTTP/1.1 204 No Content\r\n\r\n")), "204 ");
    EXPECT_EQ(text_of(answer("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")), "200 ok");
    // Bytes are bytes: nothing is decompressed.
    EXPECT_EQ(text_of(answer("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08")),
              "200 \x1f\x8b\x08");
}

TEST_F(OutboundAnswersTest, WhatIsNoAnswer) {
    std::string const ok = "HTTP/1.1 200 OK\r\n";
    for (auto const& bytes : std::vector<std::string>{
             "", "H", "HTTP/1.1 200 OK\r\nContent-", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
             "220 mail.example.test ESMTP\r\n", ok + "Content-Length: 10\r\n\r\nabc",
             ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", ok + "Content-Length: -1\r\n\r\n",
             ok + "Content-Length: 99999999999999999999999\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
             ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
             ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\na",
             ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc", ok + "X: " + std::string(20'000, 'x') + "\r\n\r\n",
             ok + "no colon\r\n\r\n"}) {
        EXPECT_EQ(text_of(answer(bytes)), "broken, sent") << bytes.substr(0, 100);
    }
}

TEST_F(OutboundAnswersTest, ALongBodyIsCut) {
    limits.most_body = 100;
    auto const endless = [](std::string const& head, std::string const& piece) {
        return [=](Peer& peer) {
            peer.request();
            peer.write(head);
            while (peer.write(piece)) {
            }
        };
    };
    for (auto const& script : {endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "7\r\nabcdefg\r\n"),
                               endless("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n", "abcdefg"),
                               endless("HTTP/1.1 200 OK\r\n\r\n", std::string(100'000, 'a'))}) {
        ScriptedServer const server(script);
        auto const reply = post(url(server));
        ASSERT_TRUE(reply) << reply.error().reason;
        EXPECT_EQ(reply->status, 200U);
        EXPECT_TRUE(reply->truncated);
        EXPECT_EQ(reply->body.size(), 100U);
        EXPECT_EQ(reply->body.substr(0, 1), "a");
    }
}

TEST_F(OutboundAnswersTest, ABodyOfTheBoundIsWhole) {
    ScriptedServer const server([](Peer& peer) {
        peer.request();
        peer.write(wire_answer(std::string(100, 'a')));
        peer.request();
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + std::string(100, 'b') +
                   "\r\n0\r\n\r\n");
        peer.request();
        peer.write(wire_answer(std::string(101, 'c')));
        peer.await_end();
    });
    limits.most_body = 100;
    for (char const letter : {'a', 'b', 'c'}) {
        auto const reply = post(url(server));
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->body, std::string(100, letter));
        EXPECT_EQ(reply->truncated, letter == 'c');
    }
    EXPECT_EQ(server.accepted(), 1);
    limits.most_body = 0;
    auto const reply = answer(wire_answer("a"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, "");
    EXPECT_TRUE(reply->truncated);
}

TEST_F(OutboundAnswersTest, BytesThatDripEndAtTheWholeLimit) {
    limits.whole = 500ms;
    auto const drip = [](std::string const& begin) {
        return [=](Peer& peer) {
            peer.request();
            peer.write(begin);
            while (peer.write("1")) std::this_thread::sleep_for(5ms);
        };
    };
    for (auto const* begin : {"", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n",
                              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;"}) {
        ScriptedServer const server(drip(begin));
        EXPECT_EQ(text_of(post(url(server))), "timeout, sent") << begin;
    }
    ScriptedServer const silent([](Peer& peer) { peer.await_end(); });
    EXPECT_EQ(text_of(post(url(silent))), "timeout, sent");
    ScriptedServer const interim([](Peer& peer) {
        while (peer.write("HTTP/1.1 102 Processing\r\n\r\n")) std::this_thread::sleep_for(1ms);
    });
    EXPECT_EQ(text_of(post(url(interim))), "timeout, sent");
}

TEST_F(OutboundAnswersTest, AStopEndsTheWaitForAnAnswer) {
    std::shared_ptr<ClientStop> const stop = std::make_shared<ClientStop>(context.get_executor());
    ScriptedServer const server([&](Peer& peer) {
        peer.request();
        ClientStop::request(stop);
        peer.await_end();
    });
    EXPECT_EQ(text_of(post(url(server), stop)), "stopped, sent");
}

TEST_F(OutboundAnswersTest, ManyAtOnceShareNothingButTheName) {
    ScriptedServer const server([](Peer& peer) {
        for (auto request = peer.request(); !request.empty(); request = peer.request()) {
            peer.write(wire_answer(request.substr(request.size() - 4)));
        }
    });
    open();
    int answered = 0;
    for (int i = 1000; i < 1100; ++i) {
        auto const one = [&, i]() -> boost::asio::awaitable<void> {
            auto const reply = co_await client->send(url(server), {"POST", "", {}, std::to_string(i)}, limits);
            answered += reply && reply->body == std::to_string(i) ? 1 : 0;
        };
        boost::asio::co_spawn(context, one, boost::asio::detached);  // keeps a copy, whose captures outlive this turn
    }
    context.run();
    EXPECT_EQ(answered, 100);
}

}  // namespace
}  // namespace workforce::net
