// Which addresses a connection may be opened to.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>

namespace workforce::net {

/// Whose addresses a request goes to.
enum class AddressPolicy : std::uint8_t {
    anything,            ///< those of the operator, and of the processes of an installation
    public_only,         ///< those that a customer names
    public_or_loopback,  ///< the same where a developer's machine receives
};

/// Whether the policy allows a connection to that address. What is public is global unicast by the registries of IANA
/// for special purposes; an IPv6 address that stands for an IPv4 one (mapped, compatible, 6to4, Teredo) never is,
/// except behind NAT64, where the IPv4 address decides. Pure.
bool is_allowed(boost::asio::ip::address const& address, AddressPolicy policy);

}  // namespace workforce::net
