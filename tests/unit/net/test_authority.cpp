// X.509 by OpenSSL's functions.
#include "tests/unit/net/test_authority.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace workforce::net {
namespace {

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* value) const {
        Free(value);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

void check(bool done) {
    if (!done) throw std::runtime_error("OpenSSL makes no certificate");
}

std::string text_of(BIO* memory) {
    char* data = nullptr;
    auto const size = BIO_get_mem_data(memory, &data);
    return {data, static_cast<std::size_t>(size)};
}

Memory memory_of(std::string const& text) {
    return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void extend(X509* certificate, int kind, std::string const& value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    Extension const extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    check(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

/// A new key and its certificate; signed by `issuer`, or by itself where that is null.
ServerIdentity make_identity(std::string const& name, std::string const& names, long seconds,
                             ServerIdentity const* issuer, bool authority) {
    static std::atomic<long> serial{1};
    Key const key(EVP_EC_gen("P-256"));
    Certificate const certificate(X509_new());
    check(key && certificate);
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), seconds);
    X509_set_pubkey(certificate.get(), key.get());
    auto* const subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<unsigned char const*>(name.c_str()), -1,
                               -1, 0);
    if (!names.empty()) extend(certificate.get(), NID_subject_alt_name, names);
    extend(certificate.get(), NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE");
    Key signer;
    if (issuer != nullptr) {
        Certificate const parent(PEM_read_bio_X509(memory_of(issuer->certificate).get(), nullptr, nullptr, nullptr));
        signer.reset(PEM_read_bio_PrivateKey(memory_of(issuer->key).get(), nullptr, nullptr, nullptr));
        check(parent && signer);
        X509_set_issuer_name(certificate.get(), X509_get_subject_name(parent.get()));
    } else {
        X509_set_issuer_name(certificate.get(), subject);
    }
    check(X509_sign(certificate.get(), signer ? signer.get() : key.get(), EVP_sha256()) != 0);
    Memory const out(BIO_new(BIO_s_mem()));
    Memory const secret(BIO_new(BIO_s_mem()));
    check(PEM_write_bio_X509(out.get(), certificate.get()) == 1);
    check(PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return {text_of(out.get()), text_of(secret.get())};
}

std::filesystem::path new_file() {
    static std::atomic<int> count{0};
    auto const name = "workforce_authority_" + std::to_string(::getpid()) + '_' + std::to_string(count++) + ".pem";
    return std::filesystem::temp_directory_path() / name;
}

}  // namespace

TestAuthority::TestAuthority() : own_(make_identity("Authority of tests", "", 3600, nullptr, true)), file_(new_file()) {
    std::ofstream(file_) << own_.certificate;
}

TestAuthority::~TestAuthority() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
}

ServerIdentity TestAuthority::issue(std::string const& names, long seconds) const {
    return make_identity("hooks.example.test", names, seconds, &own_, false);
}

ServerIdentity TestAuthority::self_signed(std::string const& names) {
    return make_identity("hooks.example.test", names, 3600, nullptr, false);
}

}  // namespace workforce::net
