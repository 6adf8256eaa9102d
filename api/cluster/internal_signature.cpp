// Time and HMAC.
#include "api/cluster/internal_signature.hpp"

#include <fmt/format.h>

#include "api/cluster/internal_requests.hpp"

namespace workforce::api {
namespace {

std::string text_of(std::string_view ms, std::string_view path, std::string_view body) {
    return fmt::format("internal\n{}\n{}\n{}", ms, path, body);
}

}  // namespace

std::string sign_internal(SharedKeys const& keys, std::string_view path, std::string_view body, core::Timestamp now) {
    auto const ms = std::to_string(now.ms);
    return ms + ' ' + keys.mac(text_of(ms, path, body));
}

bool is_signed_internal(SharedKeys const& keys, std::optional<std::string_view> signature, std::string_view path,
                        std::string_view body) {
    if (!signature) return false;
    auto const space = signature->find(' ');
    if (space == std::string_view::npos) return false;
    auto const ms = signature->substr(0, space);
    return keys.is_mac(signature->substr(space + 1), text_of(ms, path, body)) && is_recent(ms);
}

}  // namespace workforce::api
