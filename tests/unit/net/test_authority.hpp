// An authority of the tests' own, and the certificates that it gives to servers.
#pragma once

#include <filesystem>
#include <string>

namespace workforce::net {

/// What a server proves itself with, in PEM.
struct ServerIdentity {
    std::string certificate;
    std::string key;
};

/// Makes certificates with OpenSSL (P-256). What it is given as `names` is a subjectAltName as OpenSSL writes it
/// ("DNS:a.example,IP:127.0.0.1"); "" for a certificate that has its name in the subject alone. Throws
/// std::runtime_error where OpenSSL fails.
class TestAuthority {
   public:
    TestAuthority();
    ~TestAuthority();
    TestAuthority(TestAuthority const&) = delete;
    TestAuthority& operator=(TestAuthority const&) = delete;

    /// A file with the authority's own certificate.
    [[nodiscard]] std::string file() const { return file_.string(); }
    /// A certificate that ends so many seconds from now, and began an hour before.
    [[nodiscard]] ServerIdentity issue(std::string const& names, long seconds = 3600) const;
    /// One that no authority signed.
    static ServerIdentity self_signed(std::string const& names);

   private:
    ServerIdentity own_;
    std::filesystem::path file_;
};

}  // namespace workforce::net
