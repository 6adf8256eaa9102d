// HMACs of deliveries.
#include "workers/webhooks/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/crypto.hpp"

namespace workforce::workers {
namespace {

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kLeastSecretBytes = 24;
constexpr std::size_t kMostIdBytes = 200;
constexpr std::string_view kIdCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:~+/=";

std::string hex_signature(std::string_view secret, std::string_view body) {
    return "sha256=" + core::hex_encode(core::bytes(core::hmac_sha256(secret, body)));
}

/// https://www.standardwebhooks.com: id, time and body, with dots between them.
std::string standard_signature(std::string_view secret, std::string_view signed_text) {
    auto const key = core::base64_decode(secret.substr(kSecretPrefix.size())).value_or("");
    return "v1," + core::base64_encode(core::bytes(core::hmac_sha256(key, signed_text)));
}

}  // namespace

std::string make_signing_secret() {
    return std::string(kSecretPrefix) + core::base64_encode(core::random_bytes(kSecretBytes));
}

SigningSecrets signing_secrets(events::WebhookInternals const& internals, core::Timestamp now,
                               std::map<std::string, std::string> const& known) {
    auto const secret = [&](std::string const& id) {
        auto const found = known.find(id);
        return found == known.end() ? std::string() : found->second;
    };
    if (internals.nextSecret.empty()) return {.current = secret(internals.secret)};
    if (internals.activatesAt <= now) return {.current = secret(internals.nextSecret)};
    return {.current = secret(internals.secret), .next = secret(internals.nextSecret)};
}

std::vector<net::Header> signature_headers(SigningSecrets const& secrets, std::string_view event_id,
                                           core::Timestamp now, std::string_view body) {
    auto const timestamp = std::to_string(now.ms / 1000);
    auto const signed_text = fmt::format("{}.{}.{}", event_id, timestamp, body);
    auto standard = standard_signature(secrets.current, signed_text);
    std::vector<net::Header> headers{{"X-Service-Signature", hex_signature(secrets.current, body)},
                                     {"X-Service-Timestamp", timestamp},
                                     {"webhook-id", std::string(event_id)},
                                     {"webhook-timestamp", timestamp}};
    if (!secrets.next.empty()) {
        headers.emplace_back("X-Service-Signature-Next", hex_signature(secrets.next, body));
        standard += ' ' + standard_signature(secrets.next, signed_text);
    }
    headers.emplace_back("webhook-signature", std::move(standard));
    return headers;
}

bool is_signing_secret(std::string_view text) {
    if (!text.starts_with(kSecretPrefix)) return false;
    auto const key = core::base64_decode(text.substr(kSecretPrefix.size()));
    return key && key->size() >= kLeastSecretBytes;
}

SignatureCheck check_signature(std::string_view secret, ReceivedSignature const& sent, std::string_view body,
                               core::Timestamp now) {
    std::int64_t seconds = 0;
    auto const [end, fault] =
        std::from_chars(sent.timestamp.data(), sent.timestamp.data() + sent.timestamp.size(), seconds);
    bool const whole = fault == std::errc{} && end == sent.timestamp.data() + sent.timestamp.size();
    bool const plain = !sent.id.empty() && sent.id.size() <= kMostIdBytes &&
                       sent.id.find_first_not_of(kIdCharacters) == std::string_view::npos;
    if (!whole || !plain) return SignatureCheck::forged;
    auto const expected = standard_signature(secret, fmt::format("{}.{}.{}", sent.id, sent.timestamp, body));
    bool good = false;
    for (auto rest = sent.signatures; !rest.empty();) {
        auto const one = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        if (core::constant_time_equal(one, expected)) good = true;
    }
    if (!good) return SignatureCheck::forged;
    constexpr std::int64_t kTolerance = std::chrono::seconds(kSignatureTolerance).count();
    auto const own = now.ms / 1000;
    bool const near = seconds >= own - kTolerance && seconds <= own + kTolerance;
    return near ? SignatureCheck::good : SignatureCheck::stale;
}

}  // namespace workforce::workers
