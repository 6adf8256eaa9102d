// Where requests to customers go, and where they don't.
#include <sys/socket.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <future>
#include <thread>

#include "tests/unit/net/outbound_fixture.hpp"

namespace workforce::net {
namespace {

using namespace std::chrono_literals;

class OutboundAddressesTest : public OutboundTest {};

void answer_each(Peer& peer) {
    while (!peer.request().empty()) peer.write(wire_answer("ok"));
}

void answer_and_close(Peer& peer) {
    peer.request();
    peer.write(wire_answer("ok", "Connection: close\r\n"));
}

TEST_F(OutboundAddressesTest, EachThatANameResolvesToIsChecked) {
    ScriptedServer const server(answer_each);
    for (auto const* address : {"10.0.0.1", "169.254.169.254", "0.0.0.0", "::ffff:127.0.0.1", "::ffff:1.1.1.1",
                                "64:ff9b::a00:1", "fd00::1", "fe80::1", "::"}) {
        dns->set("hooks.example.test", {{address}});
        EXPECT_EQ(text_of(post(url(server))), "blocked") << address;
        dns->set("hooks.example.test", {{"127.0.0.1", address}});
        EXPECT_EQ(text_of(post(url(server))), "blocked") << "beside one that is allowed, " << address;
    }
    EXPECT_EQ(server.accepted(), 0);
    dns->set("hooks.example.test", {{"127.0.0.1"}});
    EXPECT_EQ(text_of(post(url(server))), "200 ok");
}

TEST_F(OutboundAddressesTest, AnAddressInTheUrlIsCheckedToo) {
    ScriptedServer const server(answer_each);
    auto to = url(server);
    to.host = "127.0.0.1";
    EXPECT_EQ(text_of(post(to)), "200 ok");
    limits.addresses = AddressPolicy::public_only;
    close();
    EXPECT_EQ(text_of(post(to)), "blocked");
    to.host = "::ffff:127.0.0.1";
    EXPECT_EQ(text_of(post(to)), "blocked");
    EXPECT_EQ(server.accepted(), 1);
}

TEST_F(OutboundAddressesTest, ANameThatIsBoundAgainGainsNothing) {
    ScriptedServer const server(answer_and_close);
    dns->set("hooks.example.test", {{"127.0.0.1"}, {"10.0.0.1"}});
    EXPECT_EQ(text_of(post(url(server))), "200 ok");
    EXPECT_EQ(text_of(post(url(server))), "blocked");
    EXPECT_EQ(server.accepted(), 1);
}

TEST_F(OutboundAddressesTest, AKeptConnectionIsOfAnAddressThatIsAllowed) {
    ScriptedServer const server(answer_each);
    EXPECT_EQ(text_of(post(url(server))), "200 ok");
    limits.addresses = AddressPolicy::public_only;
    EXPECT_EQ(text_of(post(url(server))), "blocked");
    EXPECT_EQ(server.accepted(), 1);
}

TEST_F(OutboundAddressesTest, ACheckConnectsToNothing) {
    ScriptedServer const server(answer_each);
    open();
    EXPECT_TRUE(run(client->check(url(server), limits)));
    dns->set("hooks.example.test", {{"192.168.1.1"}});
    auto const refused = run(client->check(url(server), limits));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ClientFault::blocked_address);
    EXPECT_EQ(refused.error().reason.find("192.168"), std::string::npos) << "what is inside is told to nobody";
    auto const unknown = run(client->check(url("https://nobody.example.test"), limits));
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, ClientFault::dns);
    EXPECT_EQ(server.accepted(), 0);
}

TEST_F(OutboundAddressesTest, NamesThatGiveNothing) {
    EXPECT_EQ(text_of(post(url("http://nobody.example.test"))), "dns");
    dns->set("hooks.example.test", {{}});
    EXPECT_EQ(text_of(post(url("http://hooks.example.test"))), "dns");
}

TEST_F(OutboundAddressesTest, TheNextAddressIsTriedWhereOneRefuses) {
    ScriptedServer const server(answer_each);
    dns->set("hooks.example.test", {{"127.0.0.2", "::1", "127.0.0.1"}});  // the server has the last
    EXPECT_EQ(text_of(post(url(server))), "200 ok");
    dns->set("hooks.example.test", {{"127.0.0.2", "::1"}});
    close();
    EXPECT_EQ(text_of(post(url(server))), "connect");
}

TEST_F(OutboundAddressesTest, NoProxyIsAsked) {
    ScriptedServer const server(answer_each);
    for (auto const* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"}) {
        ::setenv(name, "http://127.0.0.1:1", 1);
    }
    EXPECT_EQ(text_of(post(url(server))), "200 ok");
    for (auto const* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"}) ::unsetenv(name);
}

/// A port on which connections neither stand nor are refused: nobody takes those that fill its queue.
class FullPort {
   public:
    FullPort() : listener_(context_) {
        using boost::asio::ip::tcp;
        tcp::endpoint const any(boost::asio::ip::address_v4::loopback(), 0);
        listener_.open(any.protocol());
        listener_.bind(any);
        ::listen(listener_.native_handle(), 0);
        for (int i = 0; i < 4; ++i) {
            fillers_.emplace_back(context_);
            fillers_.back().open(any.protocol());
            fillers_.back().non_blocking(true);
            auto const to = listener_.local_endpoint();
            ::connect(fillers_.back().native_handle(), to.data(), static_cast<::socklen_t>(to.size()));  // begins
        }
    }
    [[nodiscard]] OutboundUrl url() const {
        auto const port = std::to_string(listener_.local_endpoint().port());
        return parse_outbound_url("http://hooks.example.test:" + port, true).value();
    }

   private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor listener_;
    std::vector<boost::asio::ip::tcp::socket> fillers_;
};

TEST_F(OutboundAddressesTest, AConnectionThatTakesTooLong) {
    FullPort const port;
    limits.connect = 200ms;
    EXPECT_EQ(text_of(post(port.url())), "timeout");
}

TEST_F(OutboundAddressesTest, AnAddressThatHangsLeavesTimeToTheNext) {
    FullPort const port;
    auto to = port.url();
    // The same port, taken on one address and listened to on another.
    boost::asio::io_context other;
    boost::asio::ip::tcp::acceptor second(other, {boost::asio::ip::make_address("127.0.0.2"), to.port});
    std::thread answers([&] {
        auto socket = second.accept();
        boost::asio::write(socket, boost::asio::buffer(wire_answer("second")));
        char byte = 0;
        boost::system::error_code ended;
        while (socket.read_some(boost::asio::buffer(&byte, 1), ended) > 0) {
        }
    });
    dns->set("hooks.example.test", {{"127.0.0.1", "127.0.0.2"}});
    limits.connect = 2s;
    EXPECT_EQ(text_of(post(to)), "200 second");
    close();
    answers.join();
}

TEST_F(OutboundAddressesTest, AStopEndsALookUpAndAConnect) {
    auto const stopped = std::make_shared<ClientStop>(context.get_executor());
    FullPort const port;
    ClientStop::request(stopped);
    EXPECT_EQ(text_of(post(port.url(), stopped)), "stopped");

    auto const later = std::make_shared<ClientStop>(context.get_executor());
    boost::asio::steady_timer timer(context, 50ms);
    timer.async_wait([later](auto const&) { ClientStop::request(later); });
    EXPECT_EQ(text_of(post(port.url(), later)), "stopped");

    std::promise<void> let_go;
    auto const in_look_up = std::make_shared<ClientStop>(context.get_executor());
    ClientOptions options;
    options.look_up = [in_look_up, hang = let_go.get_future().share()](std::string const&) -> FoundAddresses {
        ClientStop::request(in_look_up);
        hang.wait();
        return std::vector<boost::asio::ip::address>();
    };
    HttpClient hanging(std::move(options));
    EXPECT_EQ(text_of(run(hanging.send(port.url(), {"POST", "", {}, ""}, limits, in_look_up))), "stopped");
    limits.connect = 100ms;
    EXPECT_EQ(text_of(run(hanging.send(port.url(), {"POST", "", {}, ""}, limits))), "timeout") << "it hangs still";
    hanging.close();
    let_go.set_value();
}

}  // namespace
}  // namespace workforce::net
