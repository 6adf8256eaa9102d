// Time and HMAC.
#include "api/cluster/internal_signature.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "core/crypto.hpp"

namespace workforce::api {
namespace {

constexpr std::int64_t kLifeMs = 30'000;

std::string mac(std::string_view key, std::string_view ms, std::string_view path, std::string_view body) {
    return core::hex_encode(core::bytes(core::hmac_sha256(key, fmt::format("internal\n{}\n{}\n{}", ms, path, body))));
}

}  // namespace

bool is_recent(std::string_view ms) {
    std::int64_t at = 0;
    auto const [end, fault] = std::from_chars(ms.data(), ms.data() + ms.size(), at);
    bool const whole = fault == std::errc{} && end == ms.data() + ms.size() && at >= 0;
    return whole && std::abs(core::now().ms - at) <= kLifeMs;
}

std::string sign_internal(std::string_view key, std::string_view path, std::string_view body, core::Timestamp now) {
    auto const ms = std::to_string(now.ms);
    return ms + ' ' + mac(key, ms, path, body);
}

bool is_signed_internal(std::string_view key, std::optional<std::string_view> signature, std::string_view path,
                        std::string_view body) {
    if (!signature) return false;
    auto const space = signature->find(' ');
    if (space == std::string_view::npos) return false;
    auto const ms = signature->substr(0, space);
    return core::constant_time_equal(signature->substr(space + 1), mac(key, ms, path, body)) && is_recent(ms);
}

}  // namespace workforce::api
