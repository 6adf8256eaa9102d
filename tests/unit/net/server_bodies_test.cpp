// Bodies that do not come with their heads: who may send them, how much, how slowly.
#include <chrono>
#include <thread>

#include "server_fixture.hpp"

namespace workforce::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr ByteLimits kSmall{.authenticated = 12'000, .anonymous = 3'000, .anonymous_address = 2'000};

class BodiesTest : public ServerTest {
   protected:
    /// A gate that knows the organizations 1, 2, … by tokens of that text, and reads nothing for others.
    void start_with_gate() {
        options.body_gate = [this](Request const& request) -> boost::asio::awaitable<Admission> {
            ++asked;
            auto const token = request.header("Authorization");
            if (!token) co_return Admission{{}, core::Problem{core::Code::unauthenticated, "no token"}};
            if (*token == "anyone") co_return Admission{holder_of(request.remote_address), {}};
            co_return Admission{holder_of(core::Lane(std::stoi(std::string(*token)), false)), {}};
        };
        start([this](Request const& request) -> boost::asio::awaitable<Reply> {
            if (!request.refusal) co_return co_await echo(request);
            read_before_refusal = request.body.size();
            Reply reply;
            reply.status = 401;
            reply.body = request.refusal->message;
            co_return reply;
        });
    }

    static std::string post(std::size_t length, std::string const& fields = {}) {
        return "POST / HTTP/1.1\r\nHost: x\r\n" + fields + "Content-Length: " + std::to_string(length) + "\r\n\r\n";
    }
    static std::string as(std::string const& token) { return "Authorization: " + token + "\r\n"; }

    /// A connection of that sender whose body lacks its last byte, once the server holds the rest.
    std::unique_ptr<WireClient> holding(std::string const& token, std::size_t bytes) {
        auto const goal = server->body_memory() + bytes;
        auto client = std::make_unique<WireClient>(server->port());
        client->send(post(bytes + 1, as(token)));
        client->send(std::string(bytes, 'h'));
        eventually([&] { return server->body_memory() == goal; });
        return client;
    }
    /// What becomes of a body that comes behind its head.
    std::string answer_to(std::string const& token, std::size_t bytes) {
        auto const before = asked.load();
        auto client = connect();
        client.send(post(bytes, as(token)));
        eventually([&] { return asked > before; });
        client.send(std::string(bytes, 'b'));
        auto const reply = client.reply();
        return reply.status == 200U ? "taken" : reply.body;
    }

    std::atomic<int> asked = 0;
    std::atomic<std::size_t> read_before_refusal = 0;
};

TEST_F(BodiesTest, WithoutATokenAreRefusedUnread) {
    start_with_gate();
    auto client = connect();
    client.send(post(200'000) + std::string(100, 'a'));
    auto const reply = client.reply();
    EXPECT_EQ(reply.status, 401U);
    EXPECT_EQ(reply.body, "no token");
    EXPECT_EQ(reply.fields.at("connection"), "close");
    EXPECT_LE(read_before_refusal, 100U);
    client.send(std::string(199'900, 'a'));  // a client that is not done yet does not lose the answer
    EXPECT_TRUE(client.closed());
    EXPECT_EQ(server->counters().requests, 0U);
    EXPECT_EQ(server->body_memory(), 0U);
}

TEST_F(BodiesTest, RequestsBehindARefusedOneAreNotServed) {
    start_with_gate();
    auto client = connect();
    client.send(post(50));
    EXPECT_EQ(client.reply().status, 401U);
    client.send(kGet);  // which would be its body
    EXPECT_TRUE(client.closed());
    EXPECT_EQ(server->counters().requests, 0U);
}

TEST_F(BodiesTest, AreRefusedBeforeTheyAreAskedFor) {
    start_with_gate();
    auto client = connect();
    client.send(post(9, "Expect: 100-continue\r\n"));
    EXPECT_EQ(client.reply().status, 401U);
    EXPECT_TRUE(client.closed());
    auto known = connect();
    known.send(post(2, as("1") + "Expect: 100-continue\r\n"));
    EXPECT_EQ(known.reply().status, 100U);
    known.send("hi");
    EXPECT_EQ(known.reply().body, "POST / hi");
}

TEST_F(BodiesTest, ThatComeWithTheirHeadsNeedNoRoomAndNoQuestion) {
    options.bodies = {.authenticated = 1, .anonymous = 0, .anonymous_address = 0};
    start_with_gate();
    auto client = connect();
    client.send(post(1'000) + std::string(1'000, 'a') + post(5) + "again");
    EXPECT_EQ(client.reply().status, 200U);
    EXPECT_EQ(client.reply().body, "POST / again");
    EXPECT_EQ(asked, 0);
}

TEST_F(BodiesTest, OfOneOrganizationLeaveRoomForOthers) {
    options.bodies = kSmall;
    start_with_gate();
    auto first = holding("1", 5'900);
    EXPECT_EQ(answer_to("1", 200), "overloaded");  // more than it would leave free
    EXPECT_EQ(answer_to("2", 3'000), "taken");
    first->send("h");
    EXPECT_EQ(first->reply().status, 200U);
    // An answered request's room is free, though its connection lives on.
    EXPECT_EQ(answer_to("1", 5'000), "taken");
    auto second = holding("2", 3'000);
    auto third = holding("3", 4'000);
    EXPECT_EQ(answer_to("2", 2'500), "overloaded");
    EXPECT_EQ(answer_to("1", 2'000), "taken");
    third->send("h");
    EXPECT_EQ(third->reply().status, 200U);
    second->send("h");
    EXPECT_EQ(second->reply().status, 200U);
    eventually([&] { return server->body_memory() == 0; });
}

TEST_F(BodiesTest, OfNobodyHaveALittleRoomOfTheirOwn) {
    options.bodies = kSmall;
    start_with_gate();
    auto holder = holding("anyone", 1'900);
    EXPECT_EQ(answer_to("anyone", 200), "overloaded");
    EXPECT_EQ(answer_to("1", 5'000), "taken");
    holder->send("h");
    EXPECT_EQ(holder->reply().status, 200U);
    EXPECT_EQ(answer_to("anyone", 200), "taken");
}

TEST_F(BodiesTest, ThatComeTooSlowlyAreGivenUp) {
    options.timeouts.body_window = milliseconds(100);
    options.least_body_rate = 1'000;
    start_with_gate();
    // Nearly whole, and then nothing: what came before the window does not count.
    auto client = holding("1", 10'000);
    EXPECT_EQ(client->reply().body, "timed_out");
    EXPECT_TRUE(client->closed());
    auto drop = connect();
    drop.send(post(100, as("1")) + "a");
    EXPECT_EQ(drop.reply().body, "timed_out");
    eventually([&] { return server->body_memory() == 0; });
}

TEST_F(BodiesTest, ThatKeepTheirRateAreReadToTheEnd) {
    options.timeouts.body_window = seconds(1);
    options.least_body_rate = 10;
    start_with_gate();
    auto client = connect();
    client.send(post(600, as("1")));
    for (int i = 0; i < 6; ++i) {
        std::this_thread::sleep_for(milliseconds(250));
        client.send(std::string(100, 'a'));
    }
    EXPECT_EQ(client.reply().status, 200U);
}

TEST(ByteBudget, CountsTheNetworkOfAnIpv6Client) {
    ByteBudget budget(kSmall);
    EXPECT_TRUE(budget.take(holder_of("2001:db8:1:2::1"), 2'000));
    EXPECT_FALSE(budget.take(holder_of("2001:db8:1:2:ffff::9"), 1));
    EXPECT_TRUE(budget.take(holder_of("2001:db8:1:3::1"), 500));
    EXPECT_TRUE(budget.take(holder_of("192.0.2.1"), 250));
    EXPECT_TRUE(budget.take(holder_of("192.0.2.2"), 250));
    EXPECT_FALSE(budget.take(holder_of("192.0.2.3"), 1));  // all anonymous ones together
    EXPECT_TRUE(budget.take(holder_of(core::Lane(1, false)), 4'000));
    EXPECT_TRUE(budget.take(holder_of(core::Lane(1, true)), 4'000));  // its sandbox counts apart
    budget.give_back(holder_of("2001:db8:1:2:ffff::9"), 2'000);
    EXPECT_TRUE(budget.take(holder_of("192.0.2.3"), 2'000));
    EXPECT_EQ(budget.used(), 11'000U);
}

TEST(ByteBudget, SharesLeaveRoomForThoseWhoComeNext) {
    ByteBudget budget({.authenticated = 64'000});
    auto const one = holder_of(core::Lane(1, false));
    EXPECT_EQ(budget.take_share(one, 100, 1'000), 1'000U);
    EXPECT_EQ(budget.take_share(one, 100, 1'000'000), 3'875U) << "an eighth of what it may still have";
    std::size_t shares = 0;
    while (budget.take_share(one, 100, 1'000'000) > 0) ++shares;
    EXPECT_GT(shares, 20U);
    EXPECT_EQ(budget.refused(), 1U);
    EXPECT_LE(budget.used(), 32'000U);
    EXPECT_GT(budget.used(), 31'000U);
    EXPECT_TRUE(budget.is_full(one, 1'000));
    EXPECT_FALSE(budget.is_full(holder_of(core::Lane(2, false)), 15'000)) << "another one has its half of the rest";
    EXPECT_EQ(budget.take_share(holder_of(core::Lane(2, false)), 100, 2'000), 2'000U);
}

TEST(ByteBudget, HeldBytesAreGivenBackAtTheEndOfTheirLife) {
    ByteBudget budget(kSmall);
    auto const one = holder_of(core::Lane(1, false));
    {
        HeldBytes held(budget, one, budget.take_share(one, 1, 500));
        EXPECT_TRUE(held.resize(6'000));
        EXPECT_EQ(budget.used(), 6'000U);
        EXPECT_FALSE(held.resize(6'100)) << "past what there is for one";
        EXPECT_EQ(budget.used(), 6'000U);
        HeldBytes moved = std::move(held);
        EXPECT_EQ(budget.used(), 6'000U);
        EXPECT_TRUE(budget.is_full(one, 1));
        moved.shrink(100);
        moved.shrink(200);
        EXPECT_EQ(budget.used(), 100U);
    }
    EXPECT_EQ(budget.used(), 0U);
    EXPECT_FALSE(HeldBytes());
    EXPECT_TRUE(HeldBytes().resize(1'000'000)) << "of no budget";
}

TEST(ByteBudget, ACredentialLeavesRoomForTheOthersOfItsOrganization) {
    ByteBudget budget({.authenticated = 64'000});
    auto const of = [](std::uint64_t credential) {
        auto holder = holder_of(core::Lane(1, false));
        holder.credential = credential;
        return holder;
    };
    EXPECT_TRUE(budget.is_roomy(8'000));
    EXPECT_FALSE(budget.is_roomy(8'001));
    EXPECT_TRUE(budget.take(of(1), 16'000));
    EXPECT_FALSE(budget.is_roomy(1));
    EXPECT_FALSE(budget.take(of(1), 1)) << "a quarter of all";
    EXPECT_TRUE(budget.is_full(of(1), 1));
    EXPECT_TRUE(budget.take(of(2), 16'000)) << "half of all: what the organization may have";
    EXPECT_FALSE(budget.take(of(3), 1));
    EXPECT_TRUE(budget.take(holder_of(core::Lane(2, false)), 16'000));
    budget.give_back(of(1), 16'000);
    EXPECT_FALSE(budget.take(of(2), 1));
    EXPECT_TRUE(budget.take(of(3), 8'000));
    budget.give_back(of(2), 16'000);
    budget.give_back(of(3), 8'000);
    budget.give_back(holder_of(core::Lane(2, false)), 16'000);
    EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace workforce::net
