// How what is forwarded is signed, and that it arrives as it was signed.
#include "api/cluster/forwarder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/await.hpp"
#include "tests/unit/net/server_fixture.hpp"

namespace workforce::api {
namespace {

class ForwarderTest : public net::ServerTest {};

net::Request request_of(std::string method, std::string target, std::string body) {
    net::Request request;
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

TEST_F(ForwarderTest, WhatIsForwardedArrivesSigned) {
    std::vector<std::string> seen;
    HopSigner const signer("a key");
    start([&](net::Request const& request) -> boost::asio::awaitable<net::Reply> {
        auto const from = signer.verify(request);
        seen.push_back(!from ? "refused" : !*from ? "not forwarded" : (*from)->client_address);
        co_return net::Reply{};
    });
    Forwarder forwarder({"a key", "another key"});
    auto request = request_of("POST", "/api/shifts", "{}");
    std::vector<std::vector<net::Header>> const all = {
        {{"Host", "api.example.test"}, {"Authorization", "Bearer x"}},
        {{"x-one", "1"}, {"B", "2"}, {"X-One", "3 , 4"}, {"Empty", ""}, {"Connection", "close"}},
        {{"Content-Length", "2"}, {"Workforce-Forwarded", "forged"}},
    };
    auto const send_all = [&]() -> boost::asio::awaitable<int> {
        int answered = 0;
        for (auto const& headers : all) {
            request.headers = headers;
            auto const reply = co_await forwarder.forward("http://127.0.0.1:" + std::to_string(server->port()), request,
                                                          {"req-1", "192.0.2.7"});
            answered += reply ? 1 : 0;
        }
        forwarder.close();
        co_return answered;
    };
    EXPECT_EQ(tests::await(send_all()), 3);
    EXPECT_EQ(seen, std::vector<std::string>(3, "192.0.2.7"));
}

TEST(HopSigner, RefusesWhatWasMadeElsewhereOrChanged) {
    HopSigner const signer("a key");
    auto request = request_of("POST", "/api/shifts", "{}");
    request.headers = {{"Authorization", "Bearer x"}};
    auto const header = signer.sign(request, {"req-1", "127.0.0.1"});
    auto const refuses = [&](net::Request changed, net::Header field) {
        changed.headers.push_back(std::move(field));
        return !signer.verify(changed).has_value();
    };
    EXPECT_FALSE(refuses(request, header));
    auto const changed = [&](auto const& change) {
        auto copy = request;
        change(copy);
        return copy;
    };
    EXPECT_TRUE(refuses(changed([](net::Request& r) { r.body = "{ }"; }), header));
    EXPECT_TRUE(refuses(changed([](net::Request& r) { r.target = "/api/staff"; }), header));
    EXPECT_TRUE(refuses(changed([](net::Request& r) { r.method_name = "PUT"; }), header));
    EXPECT_TRUE(refuses(changed([](net::Request& r) { r.headers[0].second = "Bearer y"; }), header));
    EXPECT_TRUE(refuses(changed([](net::Request& r) { r.headers.clear(); }), header));
    EXPECT_TRUE(refuses(changed([](net::Request& r) { r.headers.emplace_back("If-Match", "*"); }), header));
    EXPECT_TRUE(refuses(request, HopSigner("another").sign(request, {"req-1", "127.0.0.1"})));
    for (std::string const& text : {std::string(), std::string("1"), header.second.substr(1), header.second + "0",
                                    std::string("  "), std::string("0 a b c")}) {
        EXPECT_TRUE(refuses(request, {header.first, text})) << text;
    }
}

}  // namespace
}  // namespace workforce::api
