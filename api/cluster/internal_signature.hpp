// How the release before internal requests had nonces signed them (internal_requests.hpp): the command line of one
// release and processes of the other understand each other. To be removed with the next release.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/cluster/shared_keys.hpp"
#include "core/time.hpp"

namespace workforce::api {

/// The header Workforce-Signature of an internal request: the time, and HMAC-SHA256 of time, path and body in hex.
std::string sign_internal(SharedKeys const& keys, std::string_view path, std::string_view body,
                          core::Timestamp now = core::now());

/// Whether the header is one that sign_internal made for this request, not long ago.
bool is_signed_internal(SharedKeys const& keys, std::optional<std::string_view> signature, std::string_view path,
                        std::string_view body);

}  // namespace workforce::api
