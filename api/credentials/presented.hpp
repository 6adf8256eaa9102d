// Which credential a request presents, if any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// The cookie that a browser's session is in.
inline constexpr std::string_view kSessionCookie = "svc_session";

/// The Set-Cookie line that has a browser keep a session's secret (domain 1.2); empty: that has it drop one.
/// `base_url`: the service's public address.
std::string session_cookie(std::string_view secret, std::string_view base_url);

/// What a request presents; views of it.
struct Presented {
    std::optional<std::string_view> authorization{};  ///< the header's value
    std::optional<std::string_view> cookie{};         ///< the session's, where there is no such header

    [[nodiscard]] bool by_cookie() const { return cookie.has_value(); }
};

/// The request's credential: its Authorization header, else its session cookie, which a browser adds unasked. No other
/// place is looked at: a credential in the query stands in logs and histories on its way, so it opens nothing, and
/// whoever sends one is told. Errors, which repeat nothing of a secret: VALIDATION_ERROR for two Authorization headers,
/// of which RFC 9110 5.3 knows one, or for one besides a credential in the query; UNAUTHENTICATED for a credential in
/// the query alone, or for two session cookies, of which a stranger may have set one.
core::Result<Presented> presented_credential(net::Request const& request);

/// The request's session alone, where it has one; nothing where it has none, or two. Of forms, whose queries are their
/// clients' and may hold what looks like a credential.
std::optional<Presented> presented_session(net::Request const& request);

}  // namespace workforce::api
