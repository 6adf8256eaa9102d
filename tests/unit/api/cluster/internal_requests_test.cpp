// Internal requests: of one installation, for one process, for a short time, once.
#include "api/cluster/internal_requests.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace workforce::api {
namespace {

class InternalRequestsTest : public testing::Test {
   protected:
    net::Request request(core::Timestamp now = core::now(), std::string const& addressee = "host:1-a") {
        net::Request made;
        made.method_name = "POST";
        made.target = "/internal/calls";
        made.body = "{}";
        made.headers = {signer_.sign({addressee, {7, true}}, made.method_name, made.target, made.body, now)};
        return made;
    }

    InternalSigner signer_{"a key"};
    InternalVerifier verifier_{"a key", "host:1-a"};
};

TEST_F(InternalRequestsTest, IsTakenOnce) {
    auto const first = request();
    EXPECT_EQ(verifier_.take(first), std::nullopt);
    EXPECT_EQ(verifier_.take(first), InternalFault::replayed);
    EXPECT_EQ(verifier_.take(request()), std::nullopt) << "the same again, signed anew";
    EXPECT_EQ(InternalVerifier("a key", "host:1-a").take(first), std::nullopt) << "nothing else is wrong with it";
}

TEST_F(InternalRequestsTest, ASignatureOfTheReleaseBeforeIsTakenOnceToo) {
    EXPECT_TRUE(verifier_.take_once("1800000000000 ab"));
    EXPECT_FALSE(verifier_.take_once("1800000000000 ab"));
    EXPECT_TRUE(verifier_.take_once("1800000000000 ac"));
}

TEST_F(InternalRequestsTest, IsForOneProcess) {
    EXPECT_EQ(verifier_.take(request(core::now(), "host:1-b")), InternalFault::other_addressee);
}

TEST_F(InternalRequestsTest, HoldsForAShortTime) {
    auto const at = [&](std::int64_t offset_ms) { return verifier_.take(request({core::now().ms + offset_ms})); };
    EXPECT_EQ(at(-20'000), std::nullopt);
    EXPECT_EQ(at(20'000), std::nullopt) << "another machine's clock";
    EXPECT_EQ(at(-31'000), InternalFault::clocks_differ);
    EXPECT_EQ(at(60'000), InternalFault::clocks_differ);
}

TEST_F(InternalRequestsTest, IsOfItsOwnRequestAndInstallation) {
    auto const changed = [&](std::function<void(net::Request&)> const& change) {
        auto copy = request();
        change(copy);
        return verifier_.take(copy);
    };
    EXPECT_EQ(changed([](net::Request& r) { r.body = "{ }"; }), InternalFault::forged);
    EXPECT_EQ(changed([](net::Request& r) { r.target = "/internal/erase"; }), InternalFault::forged);
    EXPECT_EQ(changed([](net::Request& r) { r.method_name = "PUT"; }), InternalFault::forged);
    EXPECT_EQ(changed([](net::Request& r) { r.headers.clear(); }), InternalFault::forged);
    EXPECT_EQ(InternalVerifier("another", "host:1-a").take(request()), InternalFault::forged);
    auto const header = request().headers.front().second;
    for (std::string const& text : {std::string(), std::string("      "), header.substr(1), header + "0",
                                    header.substr(0, header.rfind(' ')), "9" + header}) {
        EXPECT_EQ(changed([&](net::Request& r) { r.headers.front().second = text; }), InternalFault::forged) << text;
    }
}

TEST_F(InternalRequestsTest, TellsWhoseBodyItIsBeforeThatIsRead) {
    auto head = request();
    head.body.clear();
    EXPECT_EQ(verifier_.lane(head), (core::Lane{7, true}));
    EXPECT_EQ(InternalVerifier("another", "host:1-a").lane(head), std::nullopt);
    head.headers.clear();
    EXPECT_EQ(verifier_.lane(head), std::nullopt);
}

TEST(RecentTime, IsWithinHalfAMinute) {
    EXPECT_FALSE(is_recent("-5"));
    EXPECT_FALSE(is_recent("9999999999999999999999"));
    EXPECT_FALSE(is_recent(""));
    EXPECT_TRUE(is_recent(std::to_string(core::now().ms)));
}

}  // namespace
}  // namespace workforce::api
