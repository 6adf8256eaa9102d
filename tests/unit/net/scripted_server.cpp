// Blocking sockets, a thread a connection.
#include "tests/unit/net/scripted_server.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>

namespace workforce::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

template <class Stream>
class StreamPeer final : public Peer {
   public:
    explicit StreamPeer(Stream& stream) : stream_(stream) {}

   private:
    std::size_t read_some(char* data, std::size_t size) override {
        error_code ended;
        return stream_.read_some(asio::buffer(data, size), ended);
    }
    bool write_all(std::string_view bytes) override {
        error_code failed;
        asio::write(stream_, asio::buffer(bytes), failed);
        return !failed;
    }

    Stream& stream_;
};

std::size_t body_length(std::string const& head) {
    constexpr std::string_view kField = "Content-Length: ";
    auto const at = head.find(kField);
    return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + kField.size(), nullptr, 10);
}

}  // namespace

std::string Peer::request() {
    std::array<char, 4096> bytes{};
    while (true) {
        auto const end = received_.find("\r\n\r\n");
        auto const size = end == std::string::npos ? 0 : end + 4 + body_length(received_.substr(0, end));
        if (size != 0 && received_.size() >= size) {
            auto const request = received_.substr(0, size);
            received_.erase(0, size);
            return request;
        }
        auto const got = read_some(bytes.data(), bytes.size());
        if (got == 0) return "";
        received_.append(bytes.data(), got);
    }
}

void Peer::await_end() {
    std::array<char, 4096> bytes{};
    while (read_some(bytes.data(), bytes.size()) > 0) {
    }
}

ScriptedServer::ScriptedServer(Script script, std::optional<TlsScript> tls)
    : script_(std::move(script)), tls_(std::move(tls)) {
    if (tls_) {
        security_.emplace(asio::ssl::context::tls_server);
        security_->use_certificate_chain(asio::buffer(tls_->identity.certificate));
        security_->use_private_key(asio::buffer(tls_->identity.key), asio::ssl::context::pem);
        auto* const native = security_->native_handle();
        SSL_CTX_set_session_id_context(native, reinterpret_cast<unsigned char const*>("test"), 4);
        if (tls_->version != 0) {
            SSL_CTX_set_min_proto_version(native, tls_->version);
            SSL_CTX_set_max_proto_version(native, tls_->version);
        }
    }
    acceptor_thread_ = std::thread([this] { accept(); });
}

ScriptedServer::~ScriptedServer() {
    ending_ = true;
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // wakes accept()
    acceptor_thread_.join();
    {
        std::lock_guard const lock(mutex_);
        for (int const descriptor : open_) ::shutdown(descriptor, SHUT_RDWR);
    }
    for (auto& connection : connections_) connection.join();
}

void ScriptedServer::accept() {
    while (true) {
        error_code failed;
        auto socket = acceptor_.accept(failed);
        if (ending_) return;
        if (failed) continue;
        ++accepted_;
        std::lock_guard const lock(mutex_);
        open_.push_back(socket.native_handle());
        connections_.emplace_back([this, s = std::move(socket)]() mutable {
            if (security_) {
                play_secure(s);
            } else {
                play(s);
            }
            std::lock_guard const ended(mutex_);
            std::erase(open_, s.native_handle());
            error_code ignored;
            s.close(ignored);
        });
    }
}

void ScriptedServer::play(tcp::socket& socket) {
    StreamPeer peer(socket);
    script_(peer);
}

void ScriptedServer::play_secure(tcp::socket& socket) {
    asio::ssl::stream<tcp::socket&> stream(socket, *security_);
    error_code failed;
    stream.handshake(asio::ssl::stream_base::server, failed);
    auto* const native = stream.native_handle();
    if (auto const* name = SSL_get_servername(native, TLSEXT_NAMETYPE_host_name)) {
        std::lock_guard const lock(mutex_);
        asked_for_.emplace_back(name);
    }
    if (failed) return;
    ++secured_;
    if (SSL_session_reused(native) == 1) ++resumed_;
    StreamPeer peer(stream);
    script_(peer);
    if (tls_->farewell) stream.shutdown(failed);
}

std::vector<std::string> ScriptedServer::asked_for() const {
    std::lock_guard const lock(mutex_);
    return asked_for_;
}

std::string wire_answer(std::string_view body, std::string_view fields) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{}\r\n{}", body.size(), fields, body);
}

}  // namespace workforce::net
