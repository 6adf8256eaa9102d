// The request path behind a server, with clients that speak plain bytes.
#include "dispatch_fixture.hpp"
#include "net/server.hpp"
#include "tests/unit/net/server_fixture.hpp"

namespace workforce::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class DispatchServerTest : public DispatchTest {
   protected:
    DispatchServerTest() {
        net::ServerOptions options;
        options.timeouts.heartbeat = milliseconds(20);
        options.body_gate = [this](net::Request const& asked) { return dispatcher_->admit(asked); };
        options.limits.max_body_bytes = [this](net::Method method, std::string_view path) {
            return router_.max_body(method, path);
        };
        server_.emplace(std::move(options), [this](net::Request const& asked) { return dispatcher_->answer(asked); });
        server_->start();
    }

    static std::string head(std::string const& line, std::string const& fields) {
        return line + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer 4 shifts:read shifts:write\r\n" + fields + "\r\n";
    }
    static std::string stream() { return head("GET /api/events", "Accept: text/event-stream\r\n"); }
    net::WireClient connect() { return net::WireClient(server_->port()); }

    static void eventually(std::function<bool()> const& condition) {
        for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(10));
        EXPECT_TRUE(condition());
    }
    std::size_t told() {
        std::lock_guard const lock(mutex_);
        return facts_.size();
    }

    std::optional<net::Server> server_;
};

TEST_F(DispatchServerTest, AStreamLetsItsOrganizationAskOnAndEndsWithItsClient) {
    auto other = connect();
    {
        auto client = connect();
        client.send(stream());
        auto const answered = client.until("\r\n\r\n");
        EXPECT_NE(answered.find("Content-Type: text/event-stream\r\n"), std::string::npos) << answered;
        EXPECT_NE(answered.find("Cache-Control: no-store\r\n"), std::string::npos) << answered;
        EXPECT_EQ(client.until("data: 1\n\n\r\n"), "9\r\ndata: 1\n\n\r\n");
        client.until(":\n\n");  // a heartbeat
        other.send(head("GET /api/things/1", ""));
        EXPECT_EQ(other.reply().body, R"({"id":1})") << "the organization has one place";
        EXPECT_EQ(dispatcher_->open_streams(), 1U);
        eventually([&] { return told() == 1; });  // of the stream when it ends
    }
    eventually([&] { return dispatcher_->open_streams() == 0 && told() == 2; });
    EXPECT_EQ(facts_.back().verb, "events");
}

TEST_F(DispatchServerTest, AStopInMidStreamEndsItWell) {
    auto client = connect();
    client.send(stream());
    client.until("data: 1\n\n\r\n");
    server_->stop(seconds(10));
    auto const rest = client.rest_of_connection();
    EXPECT_TRUE(rest.ends_with("10\r\ndata: good-bye\n\n\r\n0\r\n\r\n")) << rest;
    EXPECT_EQ(dispatcher_->open_streams(), 0U);
    eventually([&] { return told() == 1; });
}

TEST_F(DispatchServerTest, OneRowsLargeBodyIsNoOthers) {
    auto const send = [&](std::string const& path, std::string const& type, std::size_t size) {
        auto client = connect();
        client.send(
            head("POST " + path, "Content-Type: " + type + "\r\nContent-Length: " + std::to_string(size) + "\r\n") +
            std::string(size, 'x'));
        return client.reply();
    };
    auto const taken = send("/api/things/import", "text/csv", 2 << 20);
    EXPECT_EQ(taken.status, 200U);
    EXPECT_EQ(taken.body, "2097152");
    EXPECT_EQ(send("/api/things/import", "text/csv", (2 << 20) + 1).status, 413U);
    auto const refused = send("/api/things", "application/json", (256 << 10) + 1);
    EXPECT_EQ(refused.status, 413U);
    EXPECT_NE(refused.body.find(R"("maxBytes":262144)"), std::string::npos) << refused.body;
}

}  // namespace
}  // namespace workforce::api
