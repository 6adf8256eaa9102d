// The client's side of TLS: whom it trusts, and the sessions that it resumes.
#pragma once

#include <openssl/ssl.h>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/recent_map.hpp"

namespace workforce::net {

/// Connections of TLS 1.2 or later to servers that prove their name (RFC 9525). Thread-safe; outlives what it readied.
class TlsClient {
   public:
    /// Trusts the authorities of the system, and besides those of a file of PEM unless it is "". Throws
    /// boost::system::system_error where the file can't be read.
    explicit TlsClient(std::string const& ca_file);
    TlsClient(TlsClient const&) = delete;
    TlsClient& operator=(TlsClient const&) = delete;
    ~TlsClient() = default;

    /// What connections are made of.
    boost::asio::ssl::context& context() { return context_; }

    /// Readies a new connection for its handshake: the server is asked for `host`, a name or an IP address, and has to
    /// prove it. A session of an earlier connection to the same `peer` is offered; `peer` outlives the connection.
    /// False where OpenSSL takes no such name.
    bool prepare(SSL* connection, std::string const& host, std::string const& peer);

    /// What to tell of a handshake that failed.
    static std::string fault_of(SSL const* connection, boost::system::error_code const& failed);

   private:
    struct FreeSession {
        void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
    };
    struct Session {
        std::unique_ptr<SSL_SESSION, FreeSession> session;
        std::chrono::steady_clock::time_point since;
    };

    static int keep_session(SSL* connection, SSL_SESSION* session);

    boost::asio::ssl::context context_{boost::asio::ssl::context::tls_client};
    std::mutex mutex_;  // guards what follows
    RecentMap<Session> sessions_;
};

}  // namespace workforce::net
