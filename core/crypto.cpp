// OpenSSL 3 behind plain functions. Algorithms are fetched once and contexts kept per thread: both cost more than short
// inputs.
#include "core/crypto.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <boost/crc.hpp>
#include <memory>
#include <stdexcept>

namespace workforce::core {
namespace {

constexpr std::size_t kKeySize = 32;
constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;

template <auto Free>
struct Deleter {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, Deleter<EVP_CIPHER_CTX_free>>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, Deleter<EVP_MAC_CTX_free>>;
using PublicKey = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

/// Turns OpenSSL's failure values (null, 0, negative) into an exception.
template <class T>
T check(T result, char const* what) {
    if constexpr (std::is_pointer_v<T>) {
        if (result == nullptr) throw std::runtime_error(std::string("OpenSSL failed: ") + what);
    } else {
        if (result <= 0) throw std::runtime_error(std::string("OpenSSL failed: ") + what);
    }
    return result;
}

unsigned char const* raw(std::string_view data) { return reinterpret_cast<unsigned char const*>(data.data()); }
unsigned char* raw(std::string& data) { return reinterpret_cast<unsigned char*>(data.data()); }

int length_of(std::string_view data) {
    if (data.size() > std::size_t{1} << 30) throw std::invalid_argument("more than 1 GiB to encrypt at once");
    return static_cast<int>(data.size());
}

EVP_CIPHER const* aes_256_gcm() {
    static EVP_CIPHER const* const cipher = check(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr), "AES-256-GCM");
    return cipher;
}

EVP_CIPHER_CTX* cipher_context() {
    thread_local CipherContext const context{check(EVP_CIPHER_CTX_new(), "cipher context")};
    return context.get();
}

void require_key(std::string_view key) {
    if (key.size() != kKeySize) throw std::invalid_argument("an AES-256 key has 32 bytes");
}

constexpr std::size_t kEd25519Key = 32;
constexpr std::size_t kEd25519Signature = 64;

PublicKey ed25519_private(std::string_view seed) {
    if (seed.size() != kEd25519Key) throw std::invalid_argument("an Ed25519 seed has 32 bytes");
    return PublicKey(check(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw(seed), seed.size()), "Ed25519"));
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kBase62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

using DecodeTable = std::array<std::int8_t, 256>;

constexpr DecodeTable decode_table(std::string_view alphabet) {
    DecodeTable table{};
    table.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    }
    return table;
}
constexpr DecodeTable kBase64Values = decode_table(kBase64);
constexpr DecodeTable kBase64UrlValues = decode_table(kBase64Url);

std::string encode_64(std::string_view data, std::string_view alphabet) {
    std::string text;
    text.reserve((data.size() + 2) / 3 * 4);
    std::uint32_t bits = 0;
    int count = 0;
    for (char const c : data) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        for (count += 8; count >= 6; count -= 6) text += alphabet[bits >> (count - 6) & 63];
    }
    if (count > 0) text += alphabet[bits << (6 - count) & 63];
    return text;
}

/// `text` without padding.
std::optional<std::string> decode_64(std::string_view text, DecodeTable const& values) {
    if (text.size() % 4 == 1) return std::nullopt;
    std::string data;
    data.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    int count = 0;
    for (char const c : text) {
        std::int8_t const value = values[static_cast<unsigned char>(c)];
        if (value < 0) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            data += static_cast<char>(bits >> count & 255);
        }
    }
    if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
    return data;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

Digest sha256(std::string_view data) {
    static EVP_MD const* const algorithm = check(EVP_MD_fetch(nullptr, "SHA256", nullptr), "SHA-256");
    thread_local DigestContext const context{check(EVP_MD_CTX_new(), "digest context")};
    Digest digest;
    check(EVP_DigestInit_ex2(context.get(), algorithm, nullptr), "digest init");
    check(EVP_DigestUpdate(context.get(), data.data(), data.size()), "digest update");
    check(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr), "digest final");
    return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view data) {
    static EVP_MAC* const algorithm = check(EVP_MAC_fetch(nullptr, "HMAC", nullptr), "HMAC");
    thread_local MacContext const context{check(EVP_MAC_CTX_new(algorithm), "HMAC context")};
    char name[] = "SHA256";
    OSSL_PARAM const parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                                     OSSL_PARAM_construct_end()};
    // A null key would mean "the key of the last call" to OpenSSL, so an empty one must not be null.
    unsigned char const* const key_bytes = key.empty() ? reinterpret_cast<unsigned char const*>("") : raw(key);
    Digest digest;
    std::size_t size = 0;
    check(EVP_MAC_init(context.get(), key_bytes, key.size(), parameters), "HMAC init");
    check(EVP_MAC_update(context.get(), raw(data), data.size()), "HMAC update");
    check(EVP_MAC_final(context.get(), digest.data(), &size, digest.size()), "HMAC final");
    return digest;
}

std::string keyed_digest(std::string_view key, std::string_view data) {
    return base64url_encode(bytes(hmac_sha256(key, data)));
}

std::string aes_gcm_seal(std::string_view key, std::string_view plaintext, std::string_view aad) {
    require_key(key);
    std::string sealed(kNonceSize + plaintext.size() + kTagSize, '\0');
    check(RAND_bytes(raw(sealed), kNonceSize), "random nonce");
    EVP_CIPHER_CTX* const context = cipher_context();
    unsigned char* const body = raw(sealed) + kNonceSize;
    int length = 0;
    check(EVP_EncryptInit_ex2(context, aes_256_gcm(), raw(key), raw(sealed), nullptr), "encrypt init");
    check(EVP_EncryptUpdate(context, nullptr, &length, raw(aad), length_of(aad)), "encrypt aad");
    check(EVP_EncryptUpdate(context, body, &length, raw(plaintext), length_of(plaintext)), "encrypt update");
    check(EVP_EncryptFinal_ex(context, body + length, &length), "encrypt final");
    check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kTagSize, body + plaintext.size()), "encrypt tag");
    return sealed;
}

std::optional<std::string> aes_gcm_open(std::string_view key, std::string_view sealed, std::string_view aad) {
    require_key(key);
    if (sealed.size() < kNonceSize + kTagSize) return std::nullopt;
    std::string_view const body = sealed.substr(kNonceSize, sealed.size() - kNonceSize - kTagSize);
    std::string tag(sealed.substr(sealed.size() - kTagSize));
    std::string plaintext(body.size(), '\0');
    EVP_CIPHER_CTX* const context = cipher_context();
    int length = 0;
    check(EVP_DecryptInit_ex2(context, aes_256_gcm(), raw(key), raw(sealed), nullptr), "decrypt init");
    check(EVP_DecryptUpdate(context, nullptr, &length, raw(aad), length_of(aad)), "decrypt aad");
    check(EVP_DecryptUpdate(context, raw(plaintext), &length, raw(body), length_of(body)), "decrypt update");
    check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()), "decrypt tag");
    if (EVP_DecryptFinal_ex(context, raw(plaintext) + length, &length) <= 0) return std::nullopt;
    return plaintext;
}

std::string ed25519_public_key(std::string_view seed) {
    auto const key = ed25519_private(seed);
    std::string bytes(kEd25519Key, '\0');
    std::size_t size = bytes.size();
    check(EVP_PKEY_get_raw_public_key(key.get(), raw(bytes), &size), "Ed25519 public key");
    return bytes;
}

std::string ed25519_sign(std::string_view seed, std::string_view text) {
    auto const key = ed25519_private(seed);
    DigestContext const context{check(EVP_MD_CTX_new(), "signature context")};
    std::string signature(kEd25519Signature, '\0');
    std::size_t size = signature.size();
    check(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()), "signature init");
    check(EVP_DigestSign(context.get(), raw(signature), &size, raw(text), text.size()), "signature");
    return signature;
}

bool ed25519_verify(std::string_view public_key, std::string_view text, std::string_view signature) {
    if (public_key.size() != kEd25519Key || signature.size() != kEd25519Signature) return false;
    PublicKey const key{EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(public_key), public_key.size())};
    if (!key) return false;
    DigestContext const context{check(EVP_MD_CTX_new(), "signature context")};
    check(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()), "verification init");
    return EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(text), text.size()) == 1;
}

std::string random_bytes(std::size_t count) {
    std::string data(count, '\0');
    check(RAND_bytes(raw(data), length_of(data)), "random bytes");
    return data;
}

std::string random_base62(std::size_t count) {
    // Bytes from 248 on are thrown away: 248 is the largest multiple of 62, so that no character is likelier than
    // another.
    constexpr unsigned kLimit = 256 / 62 * 62;
    std::string token;
    token.reserve(count);
    while (token.size() < count) {
        for (char const c : random_bytes(count - token.size() + 4)) {
            auto const byte = static_cast<unsigned char>(c);
            if (byte < kLimit && token.size() < count) token += kBase62[byte % 62];
        }
    }
    return token;
}

bool constant_time_equal(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string hex_encode(std::string_view data) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(data.size() * 2);
    for (char const c : data) {
        text += kDigits[static_cast<unsigned char>(c) >> 4];
        text += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

std::optional<std::string> hex_decode(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string data;
    data.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        int const high = hex_value(text[i]);
        int const low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        data += static_cast<char>(high * 16 + low);
    }
    return data;
}

std::string base64_encode(std::string_view data) {
    std::string text = encode_64(data, kBase64);
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    return decode_64(text, kBase64Values);
}

std::string base64url_encode(std::string_view data) { return encode_64(data, kBase64Url); }

std::optional<std::string> base64url_decode(std::string_view text) { return decode_64(text, kBase64UrlValues); }

std::uint32_t crc32(std::string_view data) {
    boost::crc_32_type crc;
    crc.process_bytes(data.data(), data.size());
    return crc.checksum();
}

}  // namespace workforce::core
