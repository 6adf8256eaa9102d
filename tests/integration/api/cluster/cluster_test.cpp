// Requests for a partition that another process writes, when who that is has just changed.
#include "api/cluster/cluster.hpp"

#include <array>
#include <atomic>
#include <thread>

#include "tests/integration/workers/cluster/keeper_fixture.hpp"
#include "tests/support/await.hpp"
#include "tests/unit/net/server_fixture.hpp"

namespace workforce::tests {
namespace {

/// One process that writes, and one that looks at it through a view of its own.
class ClusterTest : public KeepersTest {
   protected:
    ClusterTest() : KeepersTest(1) { server_.start(); }

    core::Result<std::optional<std::string>> send(
        std::function<bool()> const& here = [] { return false; }, std::chrono::milliseconds patience = {}) {
        net::Request request;
        request.method_name = "POST";
        request.target = "/x";
        return await(send_to_owner(request, here, patience));
    }
    /// The body that came back, of a call or of a request.
    boost::asio::awaitable<core::Result<std::optional<std::string>>> send_to_owner(net::Request const& request,
                                                                                   std::function<bool()> const& here,
                                                                                   std::chrono::milliseconds patience) {
        api::CallMessage message;
        message.verb = "x";
        message.requestId = "req-1";
        if (request.header("Idempotency-Key")) message.idempotency.emplace();
        api::ForwardedCall call{message, "body", as_request_ ? &request : nullptr, {"req-1", "192.0.2.7"}};
        call.sent_before = &sent_before_;
        api::Forwarder forwarder{{"a key", "another key"}};  // its connections end before the context that they are of
        auto const answer = co_await api::Cluster{owners_, forwarder}.send_to_owner(0, call, here, patience);
        if (!answer) co_return tl::unexpected(answer.error());
        if (!*answer) co_return std::nullopt;
        co_return (*answer)->reply ? (*answer)->reply->body : (*answer)->answer->outcome.body;
    }
    /// The keepers' processes have the URL "http://" + name.
    [[nodiscard]] std::string name() const { return "127.0.0.1:" + std::to_string(server_.port()); }

    /// Takes calls as an owner does, and answers all other requests with what they were.
    static boost::asio::awaitable<net::Reply> answer(net::Request const& request) {
        if (request.target != api::kCallPath) co_return co_await net::echo(request);
        auto const call = api::read_call(request.body);
        waits_ms = call->first.waitsMs.value_or(0);
        api::CallAnswer done;
        done.outcome.body = "call " + call->first.verb + ": " + std::string(call->second);
        net::Reply reply;
        reply.body = api::write_answer(done);
        co_return reply;
    }

    static inline std::atomic<std::int64_t> waits_ms = -1;  ///< of the last call; 0: it did not say
    net::Server server_{{}, answer};
    bool as_request_ = true;
    bool sent_before_ = false;
    core::Database database_of_owners_{{{.url = database_.url(), .role = "workforce_writer"}, 1}};
    workers::Owners owners_{database_of_owners_, "onlooker"};
};

TEST_F(ClusterTest, AnOwnerThatIsNotKnownIsLookedFor) {
    auto const owner = join(name());
    until([&] { return owner->count() == 1; }, "it writes");
    auto const answer = send();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->value(), "call x: body");
}

TEST_F(ClusterTest, AnOwnerOfTheReleaseBeforeCallsGetsTheRequestAsItCame) {
    auto const owner = join(name());
    until([&] { return owner->count() == 1; }, "it writes");
    core::Connection({.url = database_.url()}).execute_sql("UPDATE ops.process SET calls = 0");
    auto const answer = send();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->value(), "POST /x ");
    as_request_ = false;  // what never was a request
    auto const refusal = send();
    ASSERT_FALSE(refusal);
    EXPECT_EQ(refusal.error().code, core::Code::service_unavailable);
}

TEST_F(ClusterTest, AnOwnerIsToldHowLongItsAnswerIsWaitedFor) {
    auto const owner = join(name());
    until([&] { return owner->count() == 1; }, "it writes");
    ASSERT_TRUE(send());
    EXPECT_EQ(waits_ms, api::kForwardLimit.count());
}

TEST_F(ClusterTest, AnOwnerThatWouldNotUnderstandThatIsNotToldSo) {
    auto const owner = join(name());
    until([&] { return owner->count() == 1; }, "it writes");
    core::Connection({.url = database_.url()}).execute_sql("UPDATE ops.process SET calls = 2");
    ASSERT_TRUE(send());
    EXPECT_EQ(waits_ms, 0);
}

TEST_F(ClusterTest, AnOwnerThatIsGoneIsFoundAnew) {
    workers::ClusterView old;
    old.leases.push_back({workers::LeaseKind::writer, 0, "gone", "http://127.0.0.1:1", 1, workers::kLeaseLife});
    owners_.show(old);
    auto const owner = join(name());
    until([&] { return owner->count() == 1; }, "it writes");
    until([&] { return send().has_value(); }, "the new owner answers");  // the view is not read twice in 100 ms
    EXPECT_EQ(owners_.find(0)->name, name());
}

TEST_F(ClusterTest, WithoutAnOwnerOrWithOneselfNothingIsSent) {
    auto const refusal = send();
    ASSERT_FALSE(refusal);
    EXPECT_EQ(refusal.error().code, core::Code::service_unavailable);
    workers::ClusterView own;
    // The address of this process, as one has it that does not know its own: the name counts.
    own.leases.push_back({workers::LeaseKind::writer, 0, "onlooker", "http://" + name(), 1, workers::kLeaseLife});
    owners_.show(own);
    EXPECT_FALSE(send());
    EXPECT_EQ(server_.counters().requests, 0U);
}

TEST_F(ClusterTest, AnOwnerThatStoppedIsAskedAgainUntilAnotherOneAnswers) {
    auto stopped = join("127.0.0.1:1");  // has the lease still, and nobody listens there
    until([&] { return stopped->count() == 1; }, "it writes");
    std::unique_ptr<KeepingProcess> next;
    int asked = 0;
    auto const answer = send(
        [&] {
            if (++asked == 20) {
                stopped.reset();
                next = join(name());
            }
            return false;
        },
        std::chrono::seconds(30));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->value(), "call x: body");
}

TEST_F(ClusterTest, OneThatNobodyFollowsIsToldOfAtTheDeadline) {
    auto const stopped = join("127.0.0.1:1");
    until([&] { return stopped->count() == 1; }, "it writes");
    auto const refusal = send([] { return false; }, std::chrono::milliseconds(300));
    ASSERT_FALSE(refusal);
    EXPECT_EQ(refusal.error().code, core::Code::service_unavailable);
    EXPECT_EQ(refusal.error().message, "The process that serves this organization can't be reached.");
}

/// An owner whose process stands still: its kernel takes what is sent, and nobody answers.
class HangingTest : public ClusterTest {
   protected:
    HangingTest() {
        workers::ClusterView old;
        old.leases.push_back({workers::LeaseKind::writer, 0, "hangs",
                              "http://127.0.0.1:" + std::to_string(port_.local_endpoint().port()), 1,
                              std::chrono::minutes(1)});
        owners_.show(old);
        next_ = join(name());
        until([&] { return next_->count() == 1; }, "another has taken over");
    }

    /// Sends, and shows who owns the partition now once the request is with the owner that hangs.
    core::Result<std::optional<std::string>> send_while_it_moves(std::vector<net::Header> headers) {
        std::thread shows([this] {
            auto taken = port_.accept();
            std::array<char, 16> first{};
            taken.read_some(boost::asio::buffer(first));
            while (owners_.find(0)->name == "hangs") await(owners_.refresh());
            held_.push_back(std::move(taken));
        });
        net::Request request;
        request.method = net::Method::post;
        request.method_name = "POST";
        request.target = "/x";
        request.headers = std::move(headers);
        auto answer = await(send_to_owner(request, [] { return false; }, std::chrono::seconds(10)));
        shows.join();
        return answer;
    }

    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor port_{context_, {boost::asio::ip::address_v4::loopback(), 0}};
    std::vector<boost::asio::ip::tcp::socket> held_;
    std::unique_ptr<KeepingProcess> next_;
};

TEST_F(HangingTest, WithAKeyTheNextOwnerIsAsked) {
    auto const answer = send_while_it_moves({{"Idempotency-Key", "k"}});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->value(), "call x: body");
    EXPECT_EQ(server_.counters().requests, 1U);
    EXPECT_TRUE(sent_before_) << "the one that hangs may have carried it out";
}

TEST_F(HangingTest, WithoutAKeyTheOutcomeIsUnknown) {
    auto const answer = send_while_it_moves({});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, core::Code::log_unavailable);
    EXPECT_EQ(server_.counters().requests, 0U);
}

/// A process that has let its partition go, and says so.
class LettingGoTest : public ClusterTest {
   protected:
    LettingGoTest() {
        former_.start();
        workers::ClusterView old;
        old.leases.push_back({workers::LeaseKind::writer, 0, "former",
                              "http://127.0.0.1:" + std::to_string(former_.port()), 1, workers::kLeaseLife});
        owners_.show(old);
    }
    net::Server former_{{}, [](net::Request const&) -> boost::asio::awaitable<net::Reply> {
                            net::Reply reply;
                            reply.status = 503;
                            reply.headers.emplace_back(api::kNotOwnerField, "true");
                            co_return reply;
                        }};
};

TEST_F(LettingGoTest, TheNextOwnerIsWaitedForAndAnswers) {
    std::unique_ptr<KeepingProcess> next;
    auto const starts = [&] {
        if (!next) next = join(name());
        return false;
    };
    auto const answer = send(starts, std::chrono::seconds(30));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->value(), "call x: body");
}

TEST_F(LettingGoTest, ItMayComeHere) {
    int asked = 0;
    auto const answer = send([&] { return ++asked == 5; }, std::chrono::seconds(30));
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->has_value());
}

TEST_F(LettingGoTest, WithoutPatienceItIsRefused) {
    auto const answer = send();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, core::Code::service_unavailable);
}

TEST_F(ClusterTest, WhoMeetsAFreePartitionWakesItsKeeper) {
    std::atomic<int> woken = 0;
    owners_.on_free([&] { ++woken; });
    {
        auto const prepared = join("first");
    }
    core::Connection({.url = database_.url()})
        .execute_sql("UPDATE ops.lease SET owner = '', expires_at = to_timestamp(0)");
    EXPECT_FALSE(send());
    EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace workforce::tests
