// OpenSSL's own cache of sessions is for servers: a client keeps them by peer.
#include "net/tls_client.hpp"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <boost/asio/ip/address.hpp>

namespace workforce::net {

namespace ssl = boost::asio::ssl;

namespace {

/// Of each one a ticket and the certificates of its server: some kilobytes.
constexpr std::size_t kMostSessions = 512;
/// A resumed session stands on the certificate of its first handshake, which is looked at again after this.
constexpr std::chrono::hours kSessionLife{1};

/// Where a connection has its client, and where the name of its peer.
int client_slot() {
    static int const slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return slot;
}

int peer_slot() {
    static int const slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return slot;
}

}  // namespace

TlsClient::TlsClient(std::string const& ca_file) : sessions_(kMostSessions) {
    context_.set_verify_mode(ssl::verify_peer);
    context_.set_default_verify_paths();
    if (!ca_file.empty()) context_.load_verify_file(ca_file);
    auto* const native = context_.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // 32 KiB less of each idle connection
    SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(native, &TlsClient::keep_session);
}

bool TlsClient::prepare(SSL* connection, std::string const& host, std::string const& peer) {
    auto* const rules = SSL_get0_param(connection);
    boost::system::error_code no_address;
    boost::asio::ip::make_address(host, no_address);
    if (!no_address) {
        if (X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) != 1) return false;
    } else {
        X509_VERIFY_PARAM_set_hostflags(rules,
                                        X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
        if (X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) != 1) return false;
        if (SSL_set_tlsext_host_name(connection, host.c_str()) != 1) return false;
    }
    SSL_set_ex_data(connection, client_slot(), this);
    SSL_set_ex_data(connection, peer_slot(), const_cast<std::string*>(&peer));
    std::lock_guard const lock(mutex_);
    auto const* const known = sessions_.find(peer);
    if (known == nullptr || std::chrono::steady_clock::now() - known->since >= kSessionLife) return true;
    SSL_set_session(connection, known->session.get());  // one that is refused costs a whole handshake, no more
    return true;
}

int TlsClient::keep_session(SSL* connection, SSL_SESSION* session) {
    auto* const client = static_cast<TlsClient*>(SSL_get_ex_data(connection, client_slot()));
    auto const* const peer = static_cast<std::string const*>(SSL_get_ex_data(connection, peer_slot()));
    if (client == nullptr || peer == nullptr) return 0;
    std::lock_guard const lock(client->mutex_);
    // Tickets of a resumed connection are as old as the handshake that looked at the certificate.
    auto since = std::chrono::steady_clock::now();
    if (auto const* known = client->sessions_.find(*peer); known != nullptr && SSL_session_reused(connection) == 1) {
        since = known->since;
    }
    client->sessions_.put(*peer, {std::unique_ptr<SSL_SESSION, FreeSession>(session), since});
    return 1;  // the reference is ours
}

std::string TlsClient::fault_of(SSL const* connection, boost::system::error_code const& failed) {
    auto const verdict = SSL_get_verify_result(connection);
    return verdict == X509_V_OK ? failed.message() : X509_verify_cert_error_string(verdict);
}

}  // namespace workforce::net
