// What shows that a request comes from the same installation: an HMAC that holds for a short time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace workforce::api {

/// The purpose of the key that signs internal requests, for Runtime::derived_key.
inline constexpr std::string_view kInternalPurpose = "internal requests";

/// Whether what was signed at that time (milliseconds since 1970, as text) still holds: for half a minute, and as long
/// before, for clocks differ.
bool is_recent(std::string_view ms);

/// The header Workforce-Signature of an internal request: the time, and HMAC-SHA256 of time, path and body in hex.
std::string sign_internal(std::string_view key, std::string_view path, std::string_view body,
                          core::Timestamp now = core::now());

/// Whether the header is one that sign_internal made for this request, not long ago.
bool is_signed_internal(std::string_view key, std::optional<std::string_view> signature, std::string_view path,
                        std::string_view body);

}  // namespace workforce::api
