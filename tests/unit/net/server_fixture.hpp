// A running server and a client that speaks plain bytes, for the server's tests.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "net/server.hpp"

namespace workforce::net {

/// An answer as read from the wire; field names in lower case.
struct WireReply {
    unsigned status = 0;
    std::map<std::string, std::string> fields;
    std::string body;
};

/// A blocking client. Every read waits ten seconds at most, then fails the test, so no test can hang.
class WireClient {
   public:
    explicit WireClient(std::uint16_t port) : socket_(context_) {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
        socket_.set_option(boost::asio::ip::tcp::no_delay(true));
    }

    /// Errors are ignored: a server may close while a test still sends.
    void send(std::string_view bytes) {
        boost::system::error_code ignored;
        boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
    }

    void send_one_by_one(std::string_view bytes) {
        for (char const c : bytes) send({&c, 1});
    }

    /// Reads one answer; `bodiless` for the answer to HEAD.
    WireReply reply(bool bodiless = false) {
        std::size_t end = 0;
        while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
            if (!more()) return {};
        }
        WireReply result = parse_head(received_.substr(0, end + 2));
        received_.erase(0, end + 4);
        auto const length = result.fields.find("content-length");
        if (bodiless || length == result.fields.end()) return result;
        auto const size = std::stoul(length->second);
        while (received_.size() < size) {
            if (!more()) return result;
        }
        result.body = received_.substr(0, size);
        received_.erase(0, size);
        return result;
    }

    /// So many bytes, and not one more is taken from the socket.
    std::string take(std::size_t size) {
        while (received_.size() < size) {
            if (!more(size - received_.size())) break;
        }
        return std::exchange(received_, {});
    }
    /// What comes up to that text, and the text; all that comes where the server closes before.
    std::string until(std::string_view text) {
        std::size_t at = 0;
        for (std::size_t from = 0; (at = received_.find(text, from)) == std::string::npos;) {
            from = received_.size() - std::min(received_.size(), text.size() - 1);
            if (!more()) return std::exchange(received_, {});
        }
        auto const all = received_.substr(0, at + text.size());
        received_.erase(0, all.size());
        return all;
    }
    /// What comes until the server closes.
    std::string rest_of_connection() {
        while (more()) {
        }
        return std::exchange(received_, {});
    }

    /// True when the server closes without another byte.
    bool closed() { return received_.empty() && !more() && !timed_out_; }
    /// What was received and not yet taken as an answer.
    [[nodiscard]] std::string const& rest() const { return received_; }

   private:
    bool more(std::size_t most = 65536) {
        ::pollfd waited{socket_.native_handle(), POLLIN, 0};
        if (::poll(&waited, 1, 10'000) != 1) {
            ADD_FAILURE() << "nothing came in ten seconds";
            timed_out_ = true;
            return false;
        }
        std::array<char, 65536> bytes{};
        boost::system::error_code ec;
        auto const size = socket_.read_some(boost::asio::buffer(bytes.data(), std::min(most, bytes.size())), ec);
        received_.append(bytes.data(), size);
        return !ec;
    }

    static WireReply parse_head(std::string_view head) {
        WireReply result;
        result.status = static_cast<unsigned>(std::stoul(std::string(head.substr(9, 3))));
        for (auto at = head.find("\r\n") + 2; at < head.size();) {
            auto const end = head.find("\r\n", at);
            auto const line = head.substr(at, end - at);
            auto const colon = line.find(": ");
            std::string name(line.substr(0, colon));
            for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            result.fields[name] = line.substr(colon + 2);
            at = end + 2;
        }
        return result;
    }

    boost::asio::io_context context_;
    boost::asio::ip::tcp::socket socket_;
    std::string received_;
    bool timed_out_ = false;
};

inline char const* name_of(RequestFault fault) {
    static constexpr std::array<char const*, 7> kNames = {
        "none", "malformed", "headers_too_large", "target_too_long", "body_too_large", "timed_out", "overloaded"};
    return kNames[static_cast<std::size_t>(fault)];
}

/// Says what it was asked; a faulty request is answered 400 with the fault's name.
inline boost::asio::awaitable<Reply> echo(Request const& request) {
    Reply reply;
    if (request.fault != RequestFault::none) {
        reply.status = 400;
        reply.body = name_of(request.fault);
    } else {
        reply.body = request.method_name + " " + request.target + " " + request.body;
    }
    co_return reply;
}

class ServerTest : public testing::Test {
   protected:
    /// Starts a server on a free port; `options` are as a test has left them.
    void start(RequestHandler handler = echo) {
        server = std::make_unique<Server>(options, std::move(handler));
        server->start();
    }

    WireClient connect(std::size_t port = 0) const { return WireClient(server->port(port)); }

    /// Sends `bytes` on a connection of its own and gives the fault that the handler saw.
    std::string fault_of(std::string_view bytes) const {
        auto client = connect();
        client.send(bytes);
        auto const reply = client.reply();
        EXPECT_EQ(reply.fields.count("connection"), 1U);
        EXPECT_TRUE(client.closed());
        return reply.body;
    }

    /// Waits, ten seconds at most, until the condition holds.
    static void eventually(std::function<bool()> const& condition) {
        for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_TRUE(condition());
    }

    ServerOptions options;
    std::unique_ptr<Server> server;
};

inline constexpr std::string_view kGet = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace workforce::net
