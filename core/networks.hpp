// Networks of IP addresses.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace workforce::core {

/// An IPv6 address; an IPv4 address as the IPv6 address that it is mapped to (RFC 4291 2.5.5.2).
using IpAddress = std::array<unsigned char, 16>;

/// Reads the textual form of an IPv4 or IPv6 address; nothing for any other text, a zone (`%eth0`) included.
std::optional<IpAddress> parse_ip_address(std::string_view text);

/// The textual form of the address: IPv4 in dotted decimals, IPv6 as RFC 5952 has it.
std::string to_string(IpAddress const& address);

/// A set of networks. Immutable once read.
class Networks {
   public:
    Networks() = default;

    /// Reads networks in CIDR notation (RFC 4632 3.1), separated by commas, spaces around each ignored. An address
    /// without a prefix is a network of its own. Errors: a text of one line that quotes the first that is no network.
    static tl::expected<Networks, std::string> parse(std::string_view text);

    [[nodiscard]] bool contains(IpAddress const& address) const;
    [[nodiscard]] bool empty() const { return networks_.empty(); }

   private:
    struct Network {
        IpAddress address{};
        int bits = 0;  ///< of the prefix, as IPv6 counts
    };
    static tl::expected<Network, std::string> parse_network(std::string_view text);

    std::vector<Network> networks_;
};

}  // namespace workforce::core
