// CIDR notation.
#include "core/networks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace workforce::core {
namespace {

bool holds(std::string_view networks, std::string_view address) {
    return Networks::parse(networks).value().contains(parse_ip_address(address).value());
}

std::string fault(std::string_view networks) {
    auto const parsed = Networks::parse(networks);
    return parsed ? "" : parsed.error();
}

TEST(Networks, HoldTheAddressesOfTheirPrefixes) {
    EXPECT_TRUE(holds("10.0.0.0/8", "10.255.0.1"));
    EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.1"));
    EXPECT_TRUE(holds("192.0.2.128/25", "192.0.2.128"));
    EXPECT_FALSE(holds("192.0.2.128/25", "192.0.2.127"));
    EXPECT_TRUE(holds("0.0.0.0/0", "203.0.113.7"));
    EXPECT_FALSE(holds("0.0.0.0/0", "2001:db8::1")) << "all of IPv4 alone";
    EXPECT_TRUE(holds("192.0.2.7", "192.0.2.7"));
    EXPECT_FALSE(holds("192.0.2.7", "192.0.2.6"));
    EXPECT_TRUE(holds("2001:db8::/33", "2001:db8:7fff::1"));
    EXPECT_FALSE(holds("2001:db8::/33", "2001:db8:8000::1"));
    EXPECT_TRUE(holds(" 10.0.0.0/8 , ::1,,", "::1"));
    EXPECT_TRUE(holds("10.0.0.0/8", "::ffff:10.1.2.3")) << "one address in two spellings";
    EXPECT_TRUE(Networks::parse("").value().empty());
    EXPECT_FALSE(Networks().contains(parse_ip_address("127.0.0.1").value()));
}

TEST(Networks, FaultsQuoteWhatIsWrong) {
    EXPECT_EQ(fault("10.0.0.0/8, proxy.example"), "'proxy.example' is no network, as 10.0.0.0/8 is");
    EXPECT_EQ(fault("10.0.0.0/33"), "the prefix of '10.0.0.0/33' is not from 0 to 32");
    EXPECT_EQ(fault("::/129"), "the prefix of '::/129' is not from 0 to 128");
    EXPECT_EQ(fault("10.0.0.7/8"), "'10.0.0.7/8' has bits behind its prefix; its network is 10.0.0.0/8");
    EXPECT_EQ(fault("2001:db8::1/64"), "'2001:db8::1/64' has bits behind its prefix; its network is 2001:db8::/64");
    for (auto const* wrong : {"10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "/8", "10.0.0/8", "010.0.0.0/8", "[::1]",
                              "10.0.0.0/8/8", "fe80::1%eth0", "10.0.0.0 /8"}) {
        EXPECT_NE(fault(wrong), "") << wrong;
    }
}

TEST(IpAddress, HasOneSpelling) {
    for (auto const& [text, written] : {std::pair("192.0.2.1", "192.0.2.1"), std::pair("::ffff:192.0.2.1", "192.0.2.1"),
                                        std::pair("2001:DB8:0:0::1", "2001:db8::1"), std::pair("::1", "::1")}) {
        EXPECT_EQ(to_string(parse_ip_address(text).value()), written);
    }
    for (std::string_view const wrong :
         {"", " 1.2.3.4", "1.2.3.4 ", "1.2.3", "1.2.3.4.5", "256.1.1.1", ":::", "1.2.3.4:80", "fe80::1%1"}) {
        EXPECT_FALSE(parse_ip_address(wrong)) << wrong;
    }
    EXPECT_FALSE(parse_ip_address(std::string_view("1.2.3.4\0x", 9)));
    EXPECT_FALSE(parse_ip_address(std::string(1000, '1')));
}

}  // namespace
}  // namespace workforce::core
