// Names that stand for other addresses once a subscription is made.
#include "workers/webhooks/sender.hpp"

#include "tests/unit/net/outbound_fixture.hpp"

namespace workforce::workers {
namespace {

class WebhookSenderTest : public net::OutboundTest {
   protected:
    WebhookSenderTest() { open(); }

    AttemptResult send(WebhookSender const& sender, std::string url) {
        OutgoingDelivery delivery;
        delivery.id = 1;
        delivery.url = std::move(url);
        delivery.secrets.current = "whsec_" + std::string(43, 'A') + '=';
        delivery.body = std::make_shared<std::string const>("{}");
        return run(sender.send(std::move(delivery), core::now()));
    }
};

TEST_F(WebhookSenderTest, ANameThatIsPublicWhenItIsCheckedAndPrivateLaterIsSentNothing) {
    WebhookSender const sender(*client, false);
    for (auto const* later :
         {"10.0.0.1", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fe80::1", "fd00::1", "::1"}) {
        dns->set("hooks.example.test", {{"93.184.216.34"}, {later}});
        EXPECT_TRUE(run(sender.check_url("https://hooks.example.test/in"))) << later;
        auto const result = send(sender, "https://hooks.example.test/in");
        EXPECT_FALSE(result.delivered);
        EXPECT_FALSE(result.status_code);
        EXPECT_TRUE(result.error->starts_with("blocked_address: ")) << *result.error;
        EXPECT_EQ(result.error->find(later), std::string::npos) << "what is inside is told to nobody";
        EXPECT_FALSE(run(sender.check_url("https://hooks.example.test/in"))) << later;
    }
}

TEST_F(WebhookSenderTest, WhatIsAllowedIsSent) {
    net::ScriptedServer const server([](net::Peer& peer) {
        peer.request();
        peer.write(net::wire_answer("ok"));
    });
    WebhookSender const sender(*client, true);
    auto const result = send(sender, "http://hooks.example.test:" + std::to_string(server.port()) + "/in");
    EXPECT_TRUE(result.delivered);
    EXPECT_EQ(result.response_body, "ok");
}

}  // namespace
}  // namespace workforce::workers
