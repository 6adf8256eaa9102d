// OpenSSL's ECDSA, whose signatures are DER, as the two numbers that tokens have.
#include "core/es256.hpp"

#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstddef>
#include <stdexcept>

namespace workforce::core {
namespace {

constexpr std::size_t kNumberSize = 32;  // of each of the two numbers, in bytes

template <auto Free>
struct Es256Deleter {
    template <class T>
    void operator()(T* pointer) const {
        Free(pointer);
    }
};

[[noreturn]] void fail_es256(std::string const& what) { throw std::runtime_error("ES256: OpenSSL can't " + what); }

}  // namespace

Es256Key::Es256Key(std::string const& pem) {
    std::unique_ptr<BIO, Es256Deleter<BIO_free_all>> const text(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    if (text) key_.reset(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
    bool const right = key_ && EVP_PKEY_is_a(key_.get(), "EC") == 1 && EVP_PKEY_get_bits(key_.get()) == 8 * kNumberSize;
    if (!right) fail_es256("read the key");
}

std::string Es256Key::sign(std::string_view text) const {
    std::unique_ptr<EVP_MD_CTX, Es256Deleter<EVP_MD_CTX_free>> const context(EVP_MD_CTX_new());
    auto const* const bytes = reinterpret_cast<unsigned char const*>(text.data());
    std::string der(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())), '\0');
    auto size = der.size();
    bool const signed_it =
        context && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
        EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(der.data()), &size, bytes, text.size()) == 1;
    if (!signed_it) fail_es256("sign");
    auto const* place = reinterpret_cast<unsigned char const*>(der.data());
    std::unique_ptr<ECDSA_SIG, Es256Deleter<ECDSA_SIG_free>> const numbers(
        d2i_ECDSA_SIG(nullptr, &place, static_cast<long>(size)));
    if (!numbers) fail_es256("read its signature");
    std::string plain(2 * kNumberSize, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(plain.data());
    auto const write = [](BIGNUM const* number, unsigned char* to) {
        return BN_bn2binpad(number, to, kNumberSize) >= 0;
    };
    bool const whole =
        write(ECDSA_SIG_get0_r(numbers.get()), out) && write(ECDSA_SIG_get0_s(numbers.get()), out + kNumberSize);
    if (!whole) fail_es256("write its signature");
    return plain;
}

}  // namespace workforce::core
