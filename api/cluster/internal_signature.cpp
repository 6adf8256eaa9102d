// Time and HMAC.
#include "api/cluster/internal_signature.hpp"

#include <fmt/format.h>

#include "api/cluster/internal_requests.hpp"
#include "core/crypto.hpp"

namespace workforce::api {
namespace {

std::string mac(std::string_view key, std::string_view ms, std::string_view path, std::string_view body) {
    return core::hex_encode(core::bytes(core::hmac_sha256(key, fmt::format("internal\n{}\n{}\n{}", ms, path, body))));
}

}  // namespace

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
