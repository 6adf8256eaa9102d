// Canonical text, signatures, and the file's lines.
#include "events/log/heads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/crypto.hpp"

namespace workforce::events {
namespace {

/// What is wrong with the line, or "".
std::string check_line(std::string_view line, std::string_view installation,
                       std::vector<std::string> const& public_keys, SignedHead& head) {
    auto const document = core::parse_json(line);
    if (!document) return "is no JSON";
    core::JsonReader reader;
    core::JsonType<SignedHead>::read(*document, head, reader);
    if (!reader.errors().empty()) return reader.errors().front().field + " " + reader.errors().front().message;
    if (head.installation != installation) {
        return fmt::format("is of installation '{}', this one is '{}'", head.installation, installation);
    }
    if (is_signed_by(public_keys, signed_text(head), head.signature)) return {};
    return fmt::format("was not signed with the key {}", fmt::join(public_keys, " or "));
}

}  // namespace

bool is_signed_by(std::vector<std::string> const& public_keys, std::string_view text, std::string_view signature) {
    auto const bytes = core::hex_decode(signature);
    return bytes && std::ranges::any_of(public_keys, [&](std::string const& public_key) {
               auto const key = core::hex_decode(public_key);
               return key && core::ed25519_verify(*key, text, *bytes);
           });
}

std::string signed_text(SignedHead const& head) {
    return fmt::format("workforce log head 1\n{}\n{}\n{}\n{}\n{}\n", head.installation, head.partition, head.position,
                       head.hash, core::to_string(head.time));
}

HeadSigner::HeadSigner(std::string installation, std::string_view master_key)
    : installation_(std::move(installation)),
      seed_(core::bytes(core::hmac_sha256(master_key, "log heads"))),
      public_key_(core::hex_encode(core::ed25519_public_key(seed_))) {}

SignedHead HeadSigner::sign(int partition, Head const& head, core::Timestamp time) const {
    SignedHead result{.installation = installation_,
                      .partition = partition,
                      .position = head.position,
                      .hash = head.hash,
                      .time = time,
                      .publicKey = public_key_,
                      .signature = {}};
    result.signature = signature_of(signed_text(result));
    return result;
}

std::string HeadSigner::signature_of(std::string_view text) const {
    return core::hex_encode(core::ed25519_sign(seed_, text));
}

std::string sign_heads(EventLog& log, HeadSigner const& signer) {
    std::string lines;
    for (int partition = 0; partition < log.partitions(); ++partition) {
        lines += core::to_json(signer.sign(partition, log.head(partition), core::now()));
        lines += '\n';
    }
    return lines;
}

tl::expected<std::vector<SignedHead>, std::string> read_signed_heads(std::string_view lines,
                                                                     std::string_view installation,
                                                                     std::vector<std::string> const& public_keys) {
    std::vector<SignedHead> heads;
    for (int number = 1; !lines.empty(); ++number) {
        auto const line = lines.substr(0, lines.find('\n'));
        bool const torn = line.size() == lines.size() && !core::parse_json(line);
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        if (line.empty() || torn) continue;
        if (auto const wrong = check_line(line, installation, public_keys, heads.emplace_back()); !wrong.empty()) {
            return tl::unexpected(fmt::format("line {} {}", number, wrong));
        }
    }
    return heads;
}

}  // namespace workforce::events
