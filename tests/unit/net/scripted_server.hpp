// A server that does what a test says, byte by byte, plain or over TLS.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/unit/net/test_authority.hpp"

namespace workforce::net {

/// One connection, as the script of its server has it. Blocks; on the connection's own thread.
class Peer {
   public:
    virtual ~Peer() = default;
    /// The next request, head and body as they came; "" where the client closed.
    std::string request();
    /// False once the client is gone.
    bool write(std::string_view bytes) { return write_all(bytes); }
    /// Waits until the client closes.
    void await_end();

   protected:
    virtual std::size_t read_some(char* data, std::size_t size) = 0;  ///< 0: the client is gone
    virtual bool write_all(std::string_view bytes) = 0;

   private:
    std::string received_;
};

/// How a server speaks TLS.
struct TlsScript {
    ServerIdentity identity;
    int version = 0;       ///< TLS1_2_VERSION or TLS1_3_VERSION: that one only
    bool farewell = true;  ///< whether its end is told before the connection's
};

/// Listens on 127.0.0.1 and plays the script on each connection, which ends with it. Ends all at its own end.
class ScriptedServer {
   public:
    using Script = std::function<void(Peer&)>;
    explicit ScriptedServer(Script script, std::optional<TlsScript> tls = std::nullopt);
    ~ScriptedServer();
    ScriptedServer(ScriptedServer const&) = delete;
    ScriptedServer& operator=(ScriptedServer const&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int accepted() const { return accepted_; }  ///< connections
    [[nodiscard]] int resumed() const { return resumed_; }    ///< of these, by a TLS session of an earlier one
    [[nodiscard]] int secured() const { return secured_; }    ///< handshakes that were whole
    /// The names that clients asked for by SNI.
    [[nodiscard]] std::vector<std::string> asked_for() const;

   private:
    void accept();
    void play(boost::asio::ip::tcp::socket& socket);
    void play_secure(boost::asio::ip::tcp::socket& socket);

    Script const script_;
    std::optional<TlsScript> const tls_;
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_{context_, {boost::asio::ip::address_v4::loopback(), 0}};
    std::uint16_t const port_ = acceptor_.local_endpoint().port();
    std::optional<boost::asio::ssl::context> security_;
    std::atomic<int> accepted_{0};
    std::atomic<int> resumed_{0};
    std::atomic<int> secured_{0};
    std::atomic<bool> ending_{false};
    mutable std::mutex mutex_;  // guards what follows
    std::vector<std::string> asked_for_;
    std::vector<int> open_;  // descriptors of connections
    std::vector<std::thread> connections_;
    std::thread acceptor_thread_;
};

/// An answer with that body, and fields besides its length ("Connection: close\r\n").
std::string wire_answer(std::string_view body, std::string_view fields = "");

}  // namespace workforce::net
