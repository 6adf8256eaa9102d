// Answers that are made while they are sent: to clients that read, hang up, or never read, and in a stop.
#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server_fixture.hpp"

namespace workforce::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = Stream::State;

constexpr std::string_view kHttp10 = "GET /a HTTP/1.0\r\n\r\n";
constexpr std::string_view kHead = "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kHeartbeat = "3\r\n:\n\n\r\n";  // a comment of an event stream, as a chunk

auto soon() { return Stream::Clock::now() + milliseconds(1); }
auto never() { return Stream::Clock::now() + seconds(60); }

/// How streams ended.
class Ends {
   public:
    void add(State state) {
        std::lock_guard const lock(mutex_);
        states_.push_back(state);
    }
    std::vector<State> all() const {
        std::lock_guard const lock(mutex_);
        return states_;
    }

   private:
    mutable std::mutex mutex_;
    std::vector<State> states_;
};

class ServerStreamTest : public ServerTest {
   protected:
    using Produce = std::function<boost::asio::awaitable<void>(Stream&)>;

    /// Starts a server that answers every request with that stream.
    void stream(Produce produce, std::string_view heartbeat = {}) {
        options.timeouts.idle = seconds(10);
        start([this, produce = std::move(produce), heartbeat](Request const&) -> boost::asio::awaitable<Reply> {
            Reply reply;
            reply.content_type = "text/event-stream";
            reply.stream = {produce, heartbeat, {}};
            reply.on_sent = [told = &told_] { ++*told; };
            co_return reply;
        });
    }

    /// Writes three frames, then waits for an end.
    Produce three_frames() {
        return [this](Stream& out) -> boost::asio::awaitable<void> {
            bool there = true;
            for (int i = 0; i < 3 && there; ++i) {
                auto const frame = "id: " + std::to_string(i) + "\ndata: {}\n\n";
                there = co_await out.write(frame);
                if (there) co_await out.wait(soon());
            }
            while (out.state() == State::open) co_await out.wait(never());
            ends_.add(out.state());
        };
    }

    Ends ends_;
    std::atomic<int> told_ = 0;
};

TEST_F(ServerStreamTest, SendsPiecesInChunksAndGoesOn) {
    stream([](Stream& out) -> boost::asio::awaitable<void> {
        co_await out.write("one");
        co_await out.write("");
        co_await out.write("two, longer than one");
    });
    auto client = connect();
    for (int i = 0; i < 2; ++i) {
        client.send(kGet);
        auto const head = client.until("\r\n\r\n");
        EXPECT_NE(head.find("Transfer-Encoding: chunked"), std::string::npos) << head;
        EXPECT_NE(head.find("Content-Type: text/event-stream"), std::string::npos) << head;
        EXPECT_EQ(head.find("Content-Length"), std::string::npos) << head;
        EXPECT_EQ(client.until("0\r\n\r\n"), "3\r\none\r\n14\r\ntwo, longer than one\r\n0\r\n\r\n");
    }
    eventually([&] { return told_ == 2; });
}

TEST_F(ServerStreamTest, EndsWithTheConnectionForOldClients) {
    stream([](Stream& out) -> boost::asio::awaitable<void> {
        co_await out.write("one");
        co_await out.write("two");
    });
    auto client = connect();
    client.send(kHttp10);
    auto const head = client.until("\r\n\r\n");
    EXPECT_EQ(head.find("chunked"), std::string::npos) << head;
    EXPECT_NE(head.find("Connection: close"), std::string::npos) << head;
    EXPECT_EQ(client.rest_of_connection(), "onetwo");
}

TEST_F(ServerStreamTest, IsNotBegunForHead) {
    std::atomic<bool> begun = false;
    stream([&](Stream&) -> boost::asio::awaitable<void> {
        begun = true;
        co_return;
    });
    auto client = connect();
    client.send(kHead);
    EXPECT_NE(client.until("\r\n\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
    client.send(kHead);
    EXPECT_NE(client.until("\r\n\r\n").find("200 OK"), std::string::npos) << "nothing came between the two";
    EXPECT_FALSE(begun);
}

TEST_F(ServerStreamTest, HasHeartbeatsWhileTheProducerIsSilent) {
    options.timeouts.heartbeat = milliseconds(20);
    std::function<void()> wake;
    std::atomic<bool> waits = false;
    stream(
        [&](Stream& out) -> boost::asio::awaitable<void> {
            wake = out.waker();
            waits = true;
            auto const state = co_await out.wait(never());
            ends_.add(state);
            co_await out.write("data\n\n");
        },
        ":\n\n");
    auto client = connect();
    client.send(kGet);
    client.until("\r\n\r\n");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(client.until(kHeartbeat), kHeartbeat);
    ASSERT_TRUE(waits);
    wake();  // from another thread than the connection's
    auto const rest = client.until("0\r\n\r\n");
    EXPECT_NE(rest.find("6\r\ndata\n\n\r\n"), std::string::npos) << rest;
    EXPECT_EQ(ends_.all(), std::vector{State::open});
}

TEST_F(ServerStreamTest, TellsTheProducerOfAClientThatHangsUpAtAnyByte) {
    options.timeouts.heartbeat = milliseconds(20);
    stream(three_frames(), ":\n\n");
    std::size_t whole = 0;
    {
        auto client = connect();
        client.send(kGet);
        whole = client.until("id: 2\ndata: {}\n\n\r\n").size();
    }
    for (std::size_t bytes = 0; bytes <= whole; ++bytes) {
        auto client = connect();
        client.send(kGet);
        EXPECT_EQ(client.take(bytes).size(), bytes);
    }
    eventually([&] { return server->counters().open_connections == 0; });
    EXPECT_EQ(server->counters().open_streams, 0U);
    EXPECT_EQ(server->counters().requests, whole + 2);
    auto const ends = ends_.all();
    EXPECT_EQ(std::ranges::count(ends, State::gone), static_cast<std::ptrdiff_t>(ends.size()));
    EXPECT_GT(ends.size(), whole / 2) << "only those who hung up before the head was sent had no producer";
    EXPECT_EQ(static_cast<std::size_t>(told_), whole + 2) << "the hook hears of each";
}

TEST_F(ServerStreamTest, HoldsLittleForAClientThatNeverReads) {
    options.timeouts.write = milliseconds(200);
    std::atomic<std::size_t> written = 0;
    stream([&](Stream& out) -> boost::asio::awaitable<void> {
        std::string const piece(50'000, 'x');
        while (co_await out.write(piece)) written += piece.size();
        ends_.add(out.state());
    });
    auto client = connect();
    client.send(kGet);
    eventually([&] { return ends_.all().size() == 1; });
    EXPECT_EQ(ends_.all(), std::vector{State::gone});
    EXPECT_GT(written, 0U);
    EXPECT_LT(written, 8U << 20) << "what the two kernels hold";
    eventually([&] { return server->counters().open_connections == 0; });
    EXPECT_EQ(told_, 1);
}

TEST_F(ServerStreamTest, GivesUpAClientThatReadsNoHeartbeats) {
    options.timeouts.heartbeat = milliseconds(5);
    options.timeouts.write = milliseconds(100);
    std::string const beat(256 * 1024, '\n');  // so that few of them fill what the kernels hold
    stream(three_frames(), beat);
    auto client = connect();
    client.send(kGet);
    eventually([&] { return ends_.all() == std::vector{State::gone}; });
}

TEST_F(ServerStreamTest, MakesTheProducerWaitAndLosesNothing) {
    constexpr std::size_t kPieces = 300;
    constexpr std::size_t kSize = 100'000;
    std::atomic<std::size_t> written = 0;
    auto const piece_of = [](std::size_t i) { return std::string(kSize, static_cast<char>('a' + i % 26)); };
    stream([&](Stream& out) -> boost::asio::awaitable<void> {
        for (std::size_t i = 0; i < kPieces; ++i) {
            auto const piece = piece_of(i);
            bool const there = co_await out.write(piece);
            if (!there) co_return;
            ++written;
        }
    });
    auto client = connect();
    client.send(kHttp10);
    client.until("\r\n\r\n");
    std::size_t before = 0;
    do {
        before = written;
        std::this_thread::sleep_for(milliseconds(100));
    } while (written != before);
    EXPECT_LT(written, kPieces) << "it waits for the client";
    std::string expected;
    for (std::size_t i = 0; i < kPieces; ++i) expected += piece_of(i);
    EXPECT_TRUE(client.rest_of_connection() == expected);
    EXPECT_EQ(written, kPieces);
}

TEST_F(ServerStreamTest, LetsOthersHaveTheirTurn) {
    std::atomic<bool> enough = false;
    options.threads = 1;
    start([&](Request const& request) -> boost::asio::awaitable<Reply> {
        Reply reply;
        if (request.path() == "/a") {
            reply.stream.produce = [&](Stream& out) -> boost::asio::awaitable<void> {
                std::string const piece(10'000, 'x');
                while (!enough && co_await out.write(piece)) {
                }
            };
        }
        co_return reply;
    });
    auto greedy = connect();
    greedy.send(kGet);
    std::thread reader([&] { greedy.until("0\r\n\r\n"); });
    auto other = connect();
    other.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(other.reply().status, 200U);
    enough = true;
    reader.join();
}

TEST_F(ServerStreamTest, EndsWellInAStop) {
    stream([&](Stream& out) -> boost::asio::awaitable<void> {
        co_await out.write("hello");
        while (out.state() == State::open) co_await out.wait(never());
        ends_.add(out.state());
        co_await out.write("good-bye");
    });
    auto client = connect();
    client.send(kGet);
    client.until("hello\r\n");
    server->stop(seconds(10));
    EXPECT_EQ(client.rest_of_connection(), "8\r\ngood-bye\r\n0\r\n\r\n");
    EXPECT_EQ(ends_.all(), std::vector{State::stopping});
    EXPECT_EQ(told_, 1);
}

TEST_F(ServerStreamTest, IsCutWhenTheGraceOfAStopIsOver) {
    stream([&](Stream& out) -> boost::asio::awaitable<void> {
        co_await out.write("hello");
        while (out.state() != State::gone) {
            boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, milliseconds(5));
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        ends_.add(out.state());
    });
    auto client = connect();
    client.send(kGet);
    client.until("hello\r\n");
    server->stop(milliseconds(50));
    EXPECT_EQ(client.rest_of_connection(), "") << "without its end, so that the client sees that it is not whole";
}

TEST_F(ServerStreamTest, IsBrokenOffWhenTheProducerFails) {
    std::atomic<int> errors = 0;
    options.on_error = [&](std::string const& text) { errors += text == "a stream was broken off: no more data"; };
    stream([](Stream& out) -> boost::asio::awaitable<void> {
        co_await out.write("half");
        throw std::runtime_error("no more data");
    });
    auto client = connect();
    client.send(kGet);
    client.until("\r\n\r\n");
    EXPECT_EQ(client.rest_of_connection(), "4\r\nhalf\r\n");
    EXPECT_EQ(errors, 1);
    eventually([&] { return told_ == 1; });
}

TEST_F(ServerTest, TheHookOfAnAnswerComesBehindIt) {
    std::atomic<int> told = 0;
    start([&](Request const&) -> boost::asio::awaitable<Reply> {
        Reply reply;
        reply.body.assign(64 * 1024 * 1024, 'x');  // more than the kernels hold
        reply.on_sent = [&told] { ++told; };
        co_return reply;
    });
    {
        auto client = connect();
        client.send(kGet);
        client.until("\r\n\r\n");
        EXPECT_EQ(told, 0) << "the answer is on its way";
        client.take(64 * 1024 * 1024);
        eventually([&] { return told == 1; });
        client.send(kGet);
        client.until("\r\n\r\n");
    }
    eventually([&] { return told == 2; });  // the client did not take it
}

}  // namespace
}  // namespace workforce::net
