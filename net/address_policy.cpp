// Tables of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and what came after).
#include "net/address_policy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace workforce::net {
namespace {

using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

/// The addresses whose first `bits` are those of `network`, which are 32 bits of IPv4 or the upper 64 of IPv6.
template <class Word>
struct AddressBlock {
    Word network;
    int bits;

    [[nodiscard]] constexpr bool holds(Word address) const {
        return ((address ^ network) >> (static_cast<int>(sizeof(Word) * 8) - bits)) == 0;
    }
};

constexpr std::uint32_t quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return a << 24 | b << 16 | c << 8 | d;
}

constexpr auto kSpecialV4 = std::to_array<AddressBlock<std::uint32_t>>({
    {quad(0, 0, 0, 0), 8},        // this network
    {quad(10, 0, 0, 0), 8},       // private
    {quad(100, 64, 0, 0), 10},    // carrier-grade NAT
    {quad(127, 0, 0, 0), 8},      // loopback
    {quad(169, 254, 0, 0), 16},   // link-local; cloud metadata
    {quad(172, 16, 0, 0), 12},    // private
    {quad(192, 0, 0, 0), 24},     // IETF protocols
    {quad(192, 0, 2, 0), 24},     // documentation
    {quad(192, 88, 99, 0), 24},   // 6to4 relays
    {quad(192, 168, 0, 0), 16},   // private
    {quad(198, 18, 0, 0), 15},    // benchmarks
    {quad(198, 51, 100, 0), 24},  // documentation
    {quad(203, 0, 113, 0), 24},   // documentation
    {quad(224, 0, 0, 0), 4},      // multicast
    {quad(240, 0, 0, 0), 4},      // reserved, and broadcast
});

/// All that IANA has given out for use on the Internet; loopback, ULA, link-local and mapped addresses lie outside.
constexpr AddressBlock<std::uint64_t> kGlobalV6{0x2000'0000'0000'0000, 3};

constexpr auto kSpecialV6 = std::to_array<AddressBlock<std::uint64_t>>({
    {0x2001'0000'0000'0000, 23},  // IETF protocols: Teredo, ORCHID, benchmarks
    {0x2001'0DB8'0000'0000, 32},  // documentation
    {0x2002'0000'0000'0000, 16},  // 6to4
    {0x3FFF'0000'0000'0000, 20},  // documentation
});

bool is_public_v4(address_v4 const& address) {
    auto const word = static_cast<std::uint32_t>(address.to_uint());
    return std::none_of(kSpecialV4.begin(), kSpecialV4.end(), [&](auto const& block) { return block.holds(word); });
}

/// 64:ff9b::/96, by which a network that has IPv6 alone reaches IPv4 (RFC 6052).
bool is_nat64(address_v6::bytes_type const& bytes) {
    constexpr std::array<unsigned char, 12> kPrefix = {0x00, 0x64, 0xFF, 0x9B};
    return std::equal(kPrefix.begin(), kPrefix.end(), bytes.begin());
}

bool is_public_v6(address_v6 const& address) {
    auto const bytes = address.to_bytes();
    if (is_nat64(bytes)) return is_public_v4(address_v4({bytes[12], bytes[13], bytes[14], bytes[15]}));
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) word = word << 8 | bytes[i];
    return kGlobalV6.holds(word) &&
           std::none_of(kSpecialV6.begin(), kSpecialV6.end(), [&](auto const& block) { return block.holds(word); });
}

bool is_public_address(boost::asio::ip::address const& address) {
    return address.is_v4() ? is_public_v4(address.to_v4()) : is_public_v6(address.to_v6());
}

}  // namespace

bool is_allowed(boost::asio::ip::address const& address, AddressPolicy policy) {
    if (policy == AddressPolicy::anything) return true;
    // Asio says of an IPv4-mapped address that it is no loopback.
    if (policy == AddressPolicy::public_or_loopback && address.is_loopback()) return true;
    return is_public_address(address);
}

}  // namespace workforce::net
