// Addresses that requests go out to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace workforce::net {

/// An http:// or https:// URL, taken apart.
struct OutboundUrl {
    bool tls = true;
    std::string host;  ///< a name in lower case, or an IP address without brackets
    std::uint16_t port = 443;
    std::string target = "/";  ///< path and query
    std::string authority;     ///< as the Host field has it
};

/// Takes apart a URL that a customer gave, and checks what its text alone says: https (http too where
/// `allow_insecure`), no user, no fragment, a name or a public address (or loopback, where `allow_insecure`), no port
/// of another service, at most 2048 bytes of those that RFC 3986 allows. What its name resolves to is checked at each
/// connect. Errors: what is wrong, for the customer to read behind the field's name ("must be https"). Pure.
tl::expected<OutboundUrl, std::string> parse_outbound_url(std::string_view text, bool allow_insecure);

/// Takes apart an address that the operator or another process of the installation gave, "http://host:port"; a path is
/// left out. Nothing for what is none. Pure.
std::optional<OutboundUrl> parse_internal_url(std::string_view text);

/// Takes apart a URL that the operator configured, http or https, with its path and query. Nothing for what is none, or
/// names a user. Pure.
std::optional<OutboundUrl> parse_operator_url(std::string_view text);

}  // namespace workforce::net
