// What tells a receiver that a delivery is ours (spec 6.2, domain 7.3).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "events/webhook.hpp"
#include "net/http.hpp"

namespace workforce::workers {

/// A signing secret: "whsec_" and base64 of 32 random bytes.
std::string make_signing_secret();

/// The secrets that a delivery is signed with.
struct SigningSecrets {
    std::string current;
    std::string next{};  ///< that takes over later; empty: none
};

/// Those of a subscription at a time; `known` has them by their ids. One that is missing is empty. Pure.
SigningSecrets signing_secrets(events::WebhookInternals const& internals, core::Timestamp now,
                               std::map<std::string, std::string> const& known);

/// The header fields that sign a body: the spec's, keyed by the secret as it is shown, and those of Standard Webhooks,
/// keyed by what its base64 stands for. While a secret waits to take over, both sign. Pure.
std::vector<net::Header> signature_headers(SigningSecrets const& secrets, std::string_view event_id,
                                           core::Timestamp now, std::string_view body);

/// Whether a text is a secret as make_signing_secret() makes them, of 24 bytes or more.
bool is_signing_secret(std::string_view text);

/// How far a message's time may lie from ours (standardwebhooks.com).
inline constexpr std::chrono::minutes kSignatureTolerance{5};

/// What signs a message that comes in: the fields webhook-id, webhook-timestamp and webhook-signature.
struct ReceivedSignature {
    std::string_view id;
    std::string_view timestamp;
    std::string_view signatures;  ///< with blanks between them, of which one is enough
};

enum class SignatureCheck : std::uint8_t { good, stale, forged };
/// Whether who knows the secret signed the message, within kSignatureTolerance of now. In constant time. Pure.
SignatureCheck check_signature(std::string_view secret, ReceivedSignature const& sent, std::string_view body,
                               core::Timestamp now);

}  // namespace workforce::workers
