// CIDR notation, and which network holds an address.
#include "core/networks.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "core/comma_list.hpp"

namespace workforce::core {
namespace {

constexpr int kAddressBits = 128;
constexpr int kMappedBits = 96;  // before the IPv4 address in the IPv6 address that it is mapped to
constexpr IpAddress kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_mapped(IpAddress const& address) {
    return std::equal(address.begin(), address.begin() + kMappedBits / 8, kMappedPrefix.begin());
}

/// Whether the first bits of both are the same.
bool share_prefix(IpAddress const& a, IpAddress const& b, int bits) {
    auto const whole = static_cast<std::ptrdiff_t>(bits / 8);
    if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
    if (bits % 8 == 0) return true;
    auto const at = static_cast<std::size_t>(whole);
    return (a.at(at) ^ b.at(at)) >> (8 - bits % 8) == 0;
}

/// The address with all bits behind the prefix zero.
IpAddress network_of(IpAddress address, int bits) {
    for (int bit = bits; bit < kAddressBits; ++bit) {
        auto& byte = address.at(static_cast<std::size_t>(bit / 8));
        byte = static_cast<unsigned char>(byte & ~(0x80U >> (bit % 8)));
    }
    return address;
}

}  // namespace

std::optional<IpAddress> parse_ip_address(std::string_view text) {
    std::array<char, INET6_ADDRSTRLEN> copy{};
    if (text.empty() || text.size() >= copy.size() || text.find('\0') != std::string_view::npos) return std::nullopt;
    std::copy(text.begin(), text.end(), copy.begin());
    IpAddress address = kMappedPrefix;
    if (::inet_pton(AF_INET, copy.data(), address.data() + kMappedBits / 8) == 1) return address;
    if (::inet_pton(AF_INET6, copy.data(), address.data()) == 1) return address;
    return std::nullopt;
}

std::string to_string(IpAddress const& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    bool const v4 = is_mapped(address);
    ::inet_ntop(v4 ? AF_INET : AF_INET6, address.data() + (v4 ? kMappedBits / 8 : 0), text.data(), text.size());
    return text.data();
}

tl::expected<Networks::Network, std::string> Networks::parse_network(std::string_view text) {
    auto const slash = text.find('/');
    auto const address = parse_ip_address(text.substr(0, slash));
    if (!address) return tl::unexpected(fmt::format("'{}' is no network, as 10.0.0.0/8 is", text));
    if (slash == std::string_view::npos) return Network{*address, kAddressBits};
    bool const v4 = text.find(':') == std::string_view::npos;
    int const most = v4 ? kAddressBits - kMappedBits : kAddressBits;
    auto const prefix = text.substr(slash + 1);
    int bits = -1;
    auto const [end, fault] = std::from_chars(prefix.data(), prefix.data() + prefix.size(), bits);
    if (fault != std::errc{} || end != prefix.data() + prefix.size() || bits < 0 || bits > most) {
        return tl::unexpected(fmt::format("the prefix of '{}' is not from 0 to {}", text, most));
    }
    Network const network{*address, v4 ? kMappedBits + bits : bits};
    if (auto const first = network_of(*address, network.bits); first != *address) {
        return tl::unexpected(
            fmt::format("'{}' has bits behind its prefix; its network is {}/{}", text, core::to_string(first), bits));
    }
    return network;
}

tl::expected<Networks, std::string> Networks::parse(std::string_view text) {
    Networks all;
    for (auto const each : texts_between_commas(text)) {
        auto const network = parse_network(each);
        if (!network) return tl::unexpected(network.error());
        all.networks_.push_back(*network);
    }
    return all;
}

bool Networks::contains(IpAddress const& address) const {
    return std::ranges::any_of(networks_,
                               [&](Network const& each) { return share_prefix(each.address, address, each.bits); });
}

}  // namespace workforce::core
