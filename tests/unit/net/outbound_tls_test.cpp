// Servers of customers have to prove their names; sessions and connections are used again.
#include <openssl/ssl.h>

#include <algorithm>

#include "tests/unit/net/outbound_fixture.hpp"

namespace workforce::net {
namespace {

using namespace std::chrono_literals;

class OutboundTlsTest : public OutboundTest {
   protected:
    static TestAuthority const& authority() {
        static TestAuthority const only;
        return only;
    }
    OutboundTlsTest() { open(authority().file()); }

    static void answer_each(Peer& peer) {
        while (!peer.request().empty()) peer.write(wire_answer("ok"));
    }
    static void answer_and_close(Peer& peer) {
        peer.request();
        peer.write(wire_answer("ok", "Connection: close\r\n"));
    }
    static OutboundUrl secure(ScriptedServer const& server, std::string const& host = "hooks.example.test") {
        return url(server, host, "https");
    }
    /// What a request gives to a server with that identity, and the reason where it gives nothing.
    std::string ask(ServerIdentity identity, std::string const& host = "hooks.example.test") {
        ScriptedServer const server(answer_and_close, TlsScript{std::move(identity)});
        auto const outcome = post(secure(server, host));
        EXPECT_EQ(outcome.has_value(), server.secured() == 1) << "a server that proves nothing reads nothing";
        return text_of(outcome) + (outcome ? "" : ": " + outcome.error().reason);
    }
};

TEST_F(OutboundTlsTest, TheNameMustBeTheServersOwn) {
    EXPECT_EQ(ask(authority().issue("DNS:hooks.example.test")), "200 ok");
    EXPECT_EQ(ask(authority().issue("DNS:other.test,DNS:hooks.example.test")), "200 ok");
    EXPECT_EQ(ask(authority().issue("DNS:*.example.test")), "200 ok");
    for (auto const* names : {"DNS:other.example.test", "DNS:example.test", "DNS:*.test", "DNS:*.*.test",
                              "DNS:ho*.example.test", "IP:127.0.0.1", "DNS:hooks.example.test.evil.test"}) {
        EXPECT_EQ(ask(authority().issue(names)), "tls: hostname mismatch") << names;
    }
    EXPECT_EQ(ask(authority().issue("")), "tls: hostname mismatch") << "the subject's name is none";
}

TEST_F(OutboundTlsTest, AnAddressIsProvedAsAName) {
    EXPECT_EQ(ask(authority().issue("IP:127.0.0.1"), "127.0.0.1"), "200 ok");
    EXPECT_EQ(ask(authority().issue("IP:127.0.0.2"), "127.0.0.1"), "tls: IP address mismatch");
    EXPECT_EQ(ask(authority().issue("DNS:127.0.0.1"), "127.0.0.1"), "tls: IP address mismatch");
}

TEST_F(OutboundTlsTest, TheCertificateMustBeGood) {
    EXPECT_EQ(ask(TestAuthority::self_signed("DNS:hooks.example.test")), "tls: self-signed certificate");
    EXPECT_EQ(ask(authority().issue("DNS:hooks.example.test", -60)), "tls: certificate has expired");
    TestAuthority const other;
    EXPECT_EQ(ask(other.issue("DNS:hooks.example.test")).substr(0, 5), "tls: ");
    open();  // trusts the authorities of the system alone
    EXPECT_EQ(ask(authority().issue("DNS:hooks.example.test")), "tls: unable to get local issuer certificate");
}

TEST_F(OutboundTlsTest, ServersThatSpeakNoTls) {
    ScriptedServer const plain([](Peer& peer) {
        peer.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        peer.await_end();
    });
    EXPECT_EQ(text_of(post(secure(plain))), "tls");
    ScriptedServer const closing([](Peer&) {});
    EXPECT_EQ(text_of(post(secure(closing))), "tls");
    ScriptedServer const silent([](Peer& peer) { peer.await_end(); });
    limits.connect = 200ms;
    EXPECT_EQ(text_of(post(secure(silent))), "timeout");
}

TEST_F(OutboundTlsTest, AFileOfAuthoritiesThatIsMissingIsNoReasonToTrust) {
    ScriptedServer const server(answer_each, TlsScript{authority().issue("DNS:hooks.example.test")});
    open("/nowhere/authorities.pem");
    EXPECT_EQ(text_of(post(secure(server))), "tls");
    EXPECT_EQ(server.accepted(), 0);
}

TEST_F(OutboundTlsTest, ConnectionsAreKept) {
    ScriptedServer const server(answer_each, TlsScript{authority().issue("DNS:hooks.example.test")});
    for (int i = 0; i < 5; ++i) EXPECT_EQ(text_of(post(secure(server))), "200 ok");
    EXPECT_EQ(server.accepted(), 1);
    EXPECT_EQ(server.asked_for(), std::vector<std::string>{"hooks.example.test"});
    close();
}

TEST_F(OutboundTlsTest, SessionsAreResumed) {
    for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        ScriptedServer const server(answer_and_close, TlsScript{authority().issue("DNS:hooks.example.test"), version});
        for (int i = 0; i < 4; ++i) EXPECT_EQ(text_of(post(secure(server))), "200 ok");
        EXPECT_EQ(server.accepted(), 4);
        EXPECT_EQ(server.resumed(), 3) << version;
    }
}

TEST_F(OutboundTlsTest, ASessionProvesOneNameOnly) {
    dns->set("other.example.test", {{"127.0.0.1"}});
    ScriptedServer const server(answer_and_close, TlsScript{authority().issue("DNS:hooks.example.test")});
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(text_of(post(secure(server))), "200 ok");
        EXPECT_EQ(text_of(post(secure(server, "other.example.test"))), "tls");
    }
    EXPECT_EQ(server.resumed(), 1);
}

TEST_F(OutboundTlsTest, BodiesWithoutALength) {
    auto const script = [](Peer& peer) {
        peer.request();
        peer.write("HTTP/1.1 200 OK\r\n\r\nuntil the end");
    };
    for (bool const farewell : {true, false}) {
        ScriptedServer const server(script, TlsScript{authority().issue("DNS:hooks.example.test"), 0, farewell});
        auto const reply = post(secure(server));
        ASSERT_TRUE(reply) << reply.error().reason;
        EXPECT_EQ(reply->body, "until the end");
        EXPECT_EQ(reply->truncated, !farewell) << "somebody else may have ended it";
    }
    ScriptedServer const server(
        [](Peer& peer) {
            peer.request();
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nnot the end");
        },
        TlsScript{authority().issue("DNS:hooks.example.test"), 0, false});
    EXPECT_EQ(text_of(post(secure(server))), "broken, sent");
}

TEST_F(OutboundTlsTest, LongBodiesAreCut) {
    limits.most_body = 100'000;
    ScriptedServer const server(
        [](Peer& peer) {
            peer.request();
            peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while (peer.write("10000\r\n" + std::string(0x10000, 'a') + "\r\n")) {
            }
        },
        TlsScript{authority().issue("DNS:hooks.example.test"), 0, false});
    auto const reply = post(secure(server));
    ASSERT_TRUE(reply) << reply.error().reason;
    EXPECT_TRUE(reply->truncated);
    EXPECT_EQ(reply->body, std::string(100'000, 'a'));
}

}  // namespace
}  // namespace workforce::net
