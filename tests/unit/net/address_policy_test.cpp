// Which addresses a customer may name.
#include "net/address_policy.hpp"

#include <gtest/gtest.h>

#include <string>

namespace workforce::net {
namespace {

using enum AddressPolicy;

bool allowed(std::string const& address, AddressPolicy policy) {
    return is_allowed(boost::asio::ip::make_address(address), policy);
}

TEST(AddressPolicy, PublicAddresses) {
    for (auto const* address :
         {"1.1.1.1",           "9.255.255.255",   "11.0.0.0",        "100.63.255.255", "100.128.0.0",
          "126.255.255.255",   "128.0.0.0",       "169.253.255.255", "169.255.0.0",    "172.15.255.255",
          "172.32.0.0",        "191.255.255.255", "192.0.1.0",       "192.0.3.0",      "192.167.255.255",
          "192.169.0.0",       "198.17.255.255",  "198.20.0.0",      "198.51.99.255",  "198.51.101.0",
          "203.0.112.255",     "203.0.114.0",     "223.255.255.255", "2001:200::1",    "2606:4700::1111",
          "2a00:1450:4001::1", "3ffe::1",         "64:ff9b::1.1.1.1"}) {
        EXPECT_TRUE(allowed(address, public_only)) << address;
        EXPECT_TRUE(allowed(address, public_or_loopback)) << address;
        EXPECT_TRUE(allowed(address, anything)) << address;
    }
}

TEST(AddressPolicy, AddressesThatAreNot) {
    for (auto const* address :
         {"0.0.0.0",     "0.255.255.255",   "10.0.0.0",        "10.255.255.255", "100.64.0.0",     "100.127.255.255",
          "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0",     "172.31.255.255", "192.0.0.0",
          "192.0.0.255", "192.0.2.0",       "192.0.2.255",     "192.88.99.1",    "192.168.0.0",    "192.168.255.255",
          "198.18.0.0",  "198.19.255.255",  "198.51.100.0",    "203.0.113.255",  "224.0.0.1",      "239.255.255.255",
          "240.0.0.0",   "255.255.255.255"}) {
        EXPECT_FALSE(allowed(address, public_only)) << address;
        EXPECT_FALSE(allowed(address, public_or_loopback)) << address;
        EXPECT_TRUE(allowed(address, anything)) << address;
    }
    for (auto const* address : {"::",
                                "::2",
                                "fc00::1",
                                "fdff::1",
                                "fe80::1",
                                "febf::1",
                                "fec0::1",
                                "ff02::1",
                                "100::1",
                                "5f00::1",
                                "2001::1",
                                "2001:0:a00:1::1",
                                "2001:1ff::1",
                                "2001:db8::1",
                                "2001:db8:ffff::1",
                                "2002:a00:1::1",
                                "2002:101:101::1",
                                "3fff::1",
                                "3fff:fff::1",
                                "4000::1",
                                "64:ff9b:1::1",
                                "64:ff9b::10.0.0.1",
                                "64:ff9b::169.254.169.254",
                                "64:ff9b::127.0.0.1",
                                "::ffff:10.0.0.1",
                                "::ffff:127.0.0.1",
                                "::ffff:169.254.169.254",
                                "::ffff:1.1.1.1",
                                "::127.0.0.1",
                                "::1.1.1.1",
                                "::ffff:0:127.0.0.1"}) {
        EXPECT_FALSE(allowed(address, public_only)) << address;
        EXPECT_FALSE(allowed(address, public_or_loopback)) << address;
        EXPECT_TRUE(allowed(address, anything)) << address;
    }
}

TEST(AddressPolicy, LoopbackIsForDevelopers) {
    for (auto const* address : {"127.0.0.1", "127.255.255.255", "::1"}) {
        EXPECT_FALSE(allowed(address, public_only)) << address;
        EXPECT_TRUE(allowed(address, public_or_loopback)) << address;
    }
}

}  // namespace
}  // namespace workforce::net
