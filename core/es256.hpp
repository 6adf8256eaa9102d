// Signatures of JSON web tokens by a key that is read once: reading one costs some fifteen signatures.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace workforce::core {

/// A private key on P-256. Copies share it. Thread-safe.
class Es256Key {
   public:
    /// `pem`: the key as PEM. Throws std::runtime_error where it is none, or of another curve.
    explicit Es256Key(std::string const& pem);

    /// The signature of a text as ES256 has it (RFC 7518 3.4), 64 bytes. Throws std::runtime_error where OpenSSL fails.
    [[nodiscard]] std::string sign(std::string_view text) const;

   private:
    std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace workforce::core
