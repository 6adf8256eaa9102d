// Digests, authenticated encryption, random values and binary-to-text codings. Binary data travels in strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace workforce::core {

// All functions here are thread-safe. When OpenSSL itself fails (no memory, no entropy) they throw std::runtime_error.

/// A SHA-256 value.
using Digest = std::array<unsigned char, 32>;

/// SHA-256 (FIPS 180-4).
Digest sha256(std::string_view data);
/// HMAC with SHA-256 (RFC 2104); keys of any length.
Digest hmac_sha256(std::string_view key, std::string_view data);
/// The latter in base64url: a digest that tells nobody without the key what it is of, however few texts there may be.
std::string keyed_digest(std::string_view key, std::string_view data);

/// A digest's bytes as a view, valid as long as the digest.
inline std::string_view bytes(Digest const& digest) {
    return {reinterpret_cast<char const*>(digest.data()), digest.size()};
}

/// AES-256-GCM (NIST SP 800-38D) under a random 12-byte nonce: nonce, ciphertext, 16-byte tag. `aad` is authenticated,
/// not stored. Throws std::invalid_argument unless the key has 32 bytes. A key may seal 2^32 texts.
std::string aes_gcm_seal(std::string_view key, std::string_view plaintext, std::string_view aad);
/// Opens what aes_gcm_seal gave; nothing when key, text or `aad` are not those it was sealed with. Throws as above.
std::optional<std::string> aes_gcm_open(std::string_view key, std::string_view sealed, std::string_view aad);

/// Ed25519 (RFC 8032), keys and signatures as raw bytes. A seed is the private key's 32 bytes; throws
/// std::invalid_argument for another length.
std::string ed25519_public_key(std::string_view seed);
/// The signature's 64 bytes; the same text always gives the same.
std::string ed25519_sign(std::string_view seed, std::string_view text);
/// Whether the signature is that key's over the text; false, too, for keys and signatures of wrong length.
bool ed25519_verify(std::string_view public_key, std::string_view text, std::string_view signature);

/// That many bytes from the system's generator, fit for keys.
std::string random_bytes(std::size_t count);
/// That many characters of 0-9A-Za-z, each equally likely (5.95 bits apiece), fit for secrets.
std::string random_base62(std::size_t count);

/// Whether both are equal, in a time that depends on their lengths only.
bool constant_time_equal(std::string_view a, std::string_view b);

/// Lower-case hexadecimal.
std::string hex_encode(std::string_view data);
/// Reads hexadecimal of either case; nothing for an odd length or other characters.
std::optional<std::string> hex_decode(std::string_view text);
/// Base64 with padding (RFC 4648 section 4).
std::string base64_encode(std::string_view data);
/// Strict: padding must be there, no other characters, unused bits zero, so that each value has one text only.
std::optional<std::string> base64_decode(std::string_view text);
/// Base64 for URLs, without padding (RFC 4648 section 5).
std::string base64url_encode(std::string_view data);
/// Strict as base64_decode, and refuses padding.
std::optional<std::string> base64url_decode(std::string_view text);

/// The CRC-32 of Ethernet and zip (IEEE 802.3), against typing errors only.
std::uint32_t crc32(std::string_view data);

}  // namespace workforce::core
