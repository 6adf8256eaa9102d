// Prefix, random characters, checksum.
#include "events/key_secret.hpp"

#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"

namespace workforce::events {
namespace {

constexpr std::size_t kSecretLength = 43;  // base62: 256 bits
constexpr std::size_t kChecksumLength = 6;
constexpr std::size_t kPrefixLength = std::string_view("svc_live_").size();
constexpr std::string_view kBase62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

std::string_view prefix_of(ApiKeyType type) {
    switch (type) {
        case ApiKeyType::live:
            return "svc_live_";
        case ApiKeyType::test:
            return "svc_test_";
        case ApiKeyType::pat:
            return "svc_pat_";
    }
    return {};
}

std::string checksum(std::string_view text) {
    auto value = core::crc32(text);
    std::string digits(kChecksumLength, '0');
    for (auto it = digits.rbegin(); it != digits.rend(); ++it, value /= 62) *it = kBase62[value % 62];
    return digits;
}

}  // namespace

KeySecret make_key_secret(ApiKeyType type) {
    KeySecret secret;
    secret.id = core::uuid_v7(core::now());
    secret.token = std::string(prefix_of(type)) + core::random_base62(kSecretLength);
    secret.token += checksum(secret.token);
    secret.digest = core::bytes(core::sha256(secret.token));
    secret.hint = {std::string(prefix_of(type)), secret.token.substr(secret.token.size() - 4)};
    return secret;
}

bool begins_as_key(std::string_view text) {
    return text.starts_with("svc_live_") || text.starts_with("svc_test_") || text.starts_with("svc_pat_");
}

bool is_well_formed_key(std::string_view token) {
    auto const prefix = token.starts_with("svc_pat_") ? kPrefixLength - 1 : kPrefixLength;
    if (!begins_as_key(token) || token.size() != prefix + kSecretLength + kChecksumLength) return false;
    auto const body = token.substr(0, token.size() - kChecksumLength);
    return core::constant_time_equal(checksum(body), token.substr(body.size()));
}

}  // namespace workforce::events
