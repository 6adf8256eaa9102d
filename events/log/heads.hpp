// Signed heads: what an installation said of its log at a time, in a form that it can't take back.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/json.hpp"
#include "core/text.hpp"
#include "core/time.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// Whether the signature (hexadecimal) is one of these public keys' (hexadecimal) over the text.
bool is_signed_by(std::vector<std::string> const& public_keys, std::string_view text, std::string_view signature);

/// One partition's head at a time. Keys, hashes and signatures are lower-case hexadecimal.
struct SignedHead {
    std::string installation;
    std::int32_t partition = 0;
    std::int64_t position = -1;
    std::string hash;
    core::Timestamp time;
    std::string publicKey;  ///< Ed25519, 32 bytes
    std::string signature;  ///< Ed25519 over signed_text()
};
BOOST_DESCRIBE_STRUCT(SignedHead, (), (installation, partition, position, hash, time, publicKey, signature))

/// What is signed, a line each with a line feed: "workforce log head 1", installation, partition, position, hash, time
/// (as in the JSON).
std::string signed_text(SignedHead const& head);

/// Signs for one installation: heads, and what else goes into files that are kept elsewhere. Thread-safe.
class HeadSigner {
   public:
    /// The key pair follows from the master key: its seed is HMAC-SHA256(master key, "log heads").
    HeadSigner(std::string installation, std::string_view master_key);

    /// Hexadecimal, for those who check.
    [[nodiscard]] std::string const& public_key() const { return public_key_; }
    [[nodiscard]] std::string const& installation() const { return installation_; }
    /// Hexadecimal. The text's first line says what is signed, so that no signature passes for another kind's.
    [[nodiscard]] std::string signature_of(std::string_view text) const;
    [[nodiscard]] SignedHead sign(int partition, Head const& head, core::Timestamp time) const;

   private:
    std::string const installation_;
    std::string const seed_;
    std::string const public_key_;
};

/// The head of every partition as of now, a JSON object a line. Blocks. Errors: as EventLog::head.
std::string sign_heads(EventLog& log, HeadSigner const& signer);

/// Reads lines of sign_heads and checks that each signature is of one of `public_keys` (hexadecimal), and each line of
/// `installation`. The error is one line that names the line at fault; a last line that was torn while it was written
/// says nothing and is none.
tl::expected<std::vector<SignedHead>, std::string> read_signed_heads(std::string_view lines,
                                                                     std::string_view installation,
                                                                     std::vector<std::string> const& public_keys);

}  // namespace workforce::events
