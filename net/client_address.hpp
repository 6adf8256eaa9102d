// Which address a request comes from where proxies passed it on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/networks.hpp"
#include "net/http.hpp"

namespace workforce::net {

/// The hops that a field tells of, the last of them first. Nothing stands for a hop whose address is not told: the
/// field names it `unknown` or by an obfuscated identifier, or says what is no address.
using Hops = std::vector<std::optional<core::IpAddress>>;

/// More hops than any request has: what is left of them does not count.
inline constexpr std::size_t kMostHops = 32;

/// The `for` parameters of a Forwarded field (RFC 7239 4), at most the last kMostHops. Nothing for a text that is no
/// such field: a quoted string without an end could take in what a proxy added behind it.
std::optional<Hops> forwarded_hops(std::string_view field);

/// The addresses of an X-Forwarded-For field, each with or without a port, an IPv6 address with or without brackets; at
/// most the last kMostHops. What is no address is a hop without one.
Hops forwarded_for_hops(std::string_view field);

/// The address of the client that a trusted proxy at `peer` passed the request on for: the last that is no trusted
/// proxy's, of those in Forwarded or X-Forwarded-For. The proxy before a hop without an address stands for that hop,
/// and the peer where the fields contradict each other or Forwarded is malformed: a client can send either field
/// itself, while a proxy adds to one of them alone.
std::string client_address(Request const& request, core::IpAddress const& peer, core::Networks const& proxies);

}  // namespace workforce::net
