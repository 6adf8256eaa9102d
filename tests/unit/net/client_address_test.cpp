// Whom proxies passed a request on for.
#include "net/client_address.hpp"

#include <gtest/gtest.h>

#include <string>

namespace workforce::net {
namespace {

constexpr char const* kPeer = "10.0.0.1";

std::string client(std::vector<Header> headers) {
    Request request;
    request.headers = std::move(headers);
    return client_address(request, core::parse_ip_address(kPeer).value(),
                          core::Networks::parse("10.0.0.0/8, 2001:db8:1::/48").value());
}
std::string by_forwarded(std::string const& field) { return client({{"Forwarded", field}}); }
std::string by_forwarded_for(std::string const& field) { return client({{"X-Forwarded-For", field}}); }

TEST(ClientAddress, IsTheLastThatIsNoTrustedProxy) {
    EXPECT_EQ(client({}), kPeer);
    EXPECT_EQ(by_forwarded_for("192.0.2.1"), "192.0.2.1");
    EXPECT_EQ(by_forwarded_for("198.51.100.7, 192.0.2.1"), "192.0.2.1") << "what a client sends itself is further left";
    EXPECT_EQ(by_forwarded_for("198.51.100.7, 192.0.2.1,10.1.2.3 , 10.0.0.9"), "192.0.2.1");
    EXPECT_EQ(by_forwarded_for("10.0.0.3, 10.0.0.2"), "10.0.0.3") << "all are trusted";
    EXPECT_EQ(client({{"x-forwarded-for", "198.51.100.7"}, {"X-Forwarded-For", "192.0.2.1"}}), "192.0.2.1");
    EXPECT_EQ(by_forwarded("for=198.51.100.7, for=192.0.2.1, for=10.0.0.2"), "192.0.2.1");
    EXPECT_EQ(client({{"Forwarded", "for=198.51.100.7"}, {"Forwarded", "for=192.0.2.1"}}), "192.0.2.1");
    EXPECT_EQ(by_forwarded("for=192.0.2.1;proto=https;by=10.0.0.1;host=x"), "192.0.2.1");
}

TEST(ClientAddress, ComesInManySpellings) {
    for (auto const* spelling : {"192.0.2.1", "192.0.2.1:1234", "::ffff:192.0.2.1", "[::ffff:192.0.2.1]:80"}) {
        EXPECT_EQ(by_forwarded_for(spelling), "192.0.2.1") << spelling;
    }
    for (auto const* spelling : {"2001:DB8:2::1", "[2001:db8:2::1]", "[2001:db8:2:0::1]:65535"}) {
        EXPECT_EQ(by_forwarded_for(spelling), "2001:db8:2::1") << spelling;
    }
    for (auto const* spelling :
         {R"(For=192.0.2.1)", R"(FOR="192.0.2.1")", R"(for="192.0.2.1:1234")", R"(for="192.0.2.1:_port.1-2")",
          R"(for="\192.0.2.1")", R"(for="[::ffff:192.0.2.1]:80")", R"(  for=192.0.2.1 ; proto=http )",
          R"(;for=192.0.2.1;;)", R"(, ,for=192.0.2.1,)", R"(x="a,b;for=7\"";for=192.0.2.1)"}) {
        EXPECT_EQ(by_forwarded(spelling), "192.0.2.1") << spelling;
    }
    EXPECT_EQ(by_forwarded(R"(for="[2001:db8:2::1]:47011")"), "2001:db8:2::1");
    EXPECT_EQ(by_forwarded(R"(for=192.0.2.1, for="[2001:db8:1::7]")"), "192.0.2.1");
}

TEST(ClientAddress, EndsAtAHopWithoutOne) {
    for (auto const* hop :
         {"unknown", "_hidden", "_SEVKISEK", "192.0.2", "192.0.2.1:", "192.0.2.1:123456", "192.0.2.1:x", "[192.0.2.1]",
          "[2001:db8::1", "2001:db8::1%eth0", "[2001:db8::1]x", "[]", "x y"}) {
        EXPECT_EQ(by_forwarded_for("198.51.100.7, " + std::string(hop)), kPeer) << hop;
        EXPECT_EQ(by_forwarded_for("198.51.100.7, " + std::string(hop) + ", 10.0.0.2"), "10.0.0.2") << hop;
    }
    for (auto const* hop : {"for=unknown", "for=_hidden", "proto=https", R"(for="2001:db8::1")", R"(for="")", ";"}) {
        EXPECT_EQ(by_forwarded("for=198.51.100.7, " + std::string(hop)), kPeer) << hop;
        EXPECT_EQ(by_forwarded("for=198.51.100.7, " + std::string(hop) + ", for=10.0.0.2"), "10.0.0.2") << hop;
    }
}

TEST(ClientAddress, IsThePeersWhereForwardedIsMalformed) {
    for (auto const* field : {R"(for="192.0.2.1)", R"(for="192.0.2.1\)", "for", "for=", "=192.0.2.1", "for =192.0.2.1",
                              "for= 192.0.2.1", "for=192.0.2.1:80", "for=[2001:db8::1]", "for=192.0.2.1 proto=https",
                              "for=192.0.2.1;for=192.0.2.2", "for=(192.0.2.1)", "192.0.2.1"}) {
        EXPECT_EQ(by_forwarded(std::string(field) + ", for=192.0.2.9"), kPeer) << field;
    }
}

TEST(ClientAddress, IsThePeersWhereTheFieldsContradictEachOther) {
    EXPECT_EQ(client({{"Forwarded", "for=192.0.2.1"}, {"X-Forwarded-For", "198.51.100.7, 192.0.2.1"}}), "192.0.2.1");
    EXPECT_EQ(client({{"Forwarded", "for=198.51.100.7"}, {"X-Forwarded-For", "192.0.2.1"}}), kPeer);
    EXPECT_EQ(client({{"Forwarded", "for=\"x"}, {"X-Forwarded-For", "192.0.2.1"}}), kPeer);
}

TEST(ClientAddress, LooksAtSoManyHops) {
    std::string proxies;
    for (std::size_t i = 0; i < kMostHops; ++i) proxies += ", 10.0.0.2";
    EXPECT_EQ(by_forwarded_for("192.0.2.1" + proxies), "10.0.0.2");
    std::string forwarded = "for=192.0.2.1";
    for (std::size_t i = 0; i < kMostHops; ++i) forwarded += ", for=10.0.0.2";
    EXPECT_EQ(by_forwarded(forwarded), "10.0.0.2");
    EXPECT_EQ(by_forwarded_for("192.0.2.1" + std::string(10'000, ',')), "192.0.2.1");
    EXPECT_EQ(by_forwarded_for(std::string(10'000, 'x')), kPeer);
}

}  // namespace
}  // namespace workforce::net
