// Published vectors for digests, encryption and codings, and the properties of random values.
#include "core/crypto.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

namespace workforce::core {
namespace {

std::string from_hex(std::string_view text) { return hex_decode(text).value(); }
std::string hex(Digest const& digest) { return hex_encode(bytes(digest)); }

TEST(Crypto, Sha256OfFips180) {
    EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Crypto, HmacOfRfc4231) {
    struct Case {
        std::string key, data;
        std::string_view mac;
    };
    Case const cases[] = {
        {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {std::string(20, '\xaa'), std::string(50, '\xdd'),
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {from_hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), std::string(50, '\xcd'),
         "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {std::string(131, '\xaa'),
         "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
         "hashed "
         "before being used by the HMAC algorithm.",
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };
    for (auto const& [key, data, mac] : cases) EXPECT_EQ(hex(hmac_sha256(key, data)), mac) << data;
}

TEST(Crypto, AnEmptyHmacKeyIsNotTheKeyOfTheCallBefore) {
    hmac_sha256("secret", "x");
    EXPECT_EQ(hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Crypto, OpensTheGcmVectorsOfNist) {
    // NIST SP 800-38D's test cases 14 (no text of its own) and 16 (with associated data), 256-bit keys.
    auto const zero = aes_gcm_open(std::string(32, '\0'),
                                   from_hex("000000000000000000000000"
                                            "cea7403d4d606b6e074ec5d3baf39d18"
                                            "d0d1c8a799996bf0265b98b5d48ab919"),
                                   "");
    ASSERT_TRUE(zero);
    EXPECT_EQ(*zero, std::string(16, '\0'));

    auto const with_aad = aes_gcm_open(
        from_hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
        from_hex(
            "cafebabefacedbaddecaf888"
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e63"
            "93ba7a0abcc9f662"
            "76fc6ece0f4e1768cddf8853bb2d551b"),
        from_hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
    ASSERT_TRUE(with_aad);
    EXPECT_EQ(hex_encode(*with_aad),
              "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5"
              "aa0de657ba637b39");
}

TEST(Crypto, SealedTextOpensOnlyUnchanged) {
    std::string const key = random_bytes(32);
    std::string const text("personal\0data", 13);
    std::string const sealed = aes_gcm_seal(key, text, "event/field");
    EXPECT_EQ(sealed.size(), 12 + text.size() + 16);
    EXPECT_EQ(aes_gcm_open(key, sealed, "event/field"), text);
    EXPECT_EQ(aes_gcm_open(key, sealed, "event/other"), std::nullopt);
    EXPECT_EQ(aes_gcm_open(random_bytes(32), sealed, "event/field"), std::nullopt);
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string changed = sealed;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_EQ(aes_gcm_open(key, changed, "event/field"), std::nullopt) << "byte " << i;
        EXPECT_EQ(aes_gcm_open(key, sealed.substr(0, i), "event/field"), std::nullopt) << "cut at " << i;
    }
    EXPECT_NE(aes_gcm_seal(key, text, "event/field"), sealed) << "the nonce must be new";
    EXPECT_EQ(aes_gcm_open(key, aes_gcm_seal(key, "", ""), ""), "");
}

TEST(Crypto, KeysHave32Bytes) {
    EXPECT_THROW(aes_gcm_seal("short", "text", ""), std::invalid_argument);
    EXPECT_THROW(aes_gcm_open(std::string(33, 'k'), std::string(28, 's'), ""), std::invalid_argument);
}

TEST(Crypto, ConstantTimeEqual) {
    EXPECT_TRUE(constant_time_equal("", ""));
    EXPECT_TRUE(constant_time_equal("same", "same"));
    EXPECT_FALSE(constant_time_equal("same", "sama"));
    EXPECT_FALSE(constant_time_equal("same", "same "));
    EXPECT_FALSE(constant_time_equal(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
}

TEST(Codings, Base64OfRfc4648) {
    struct Case {
        std::string_view data, text;
    };
    for (auto const& [data, text] : {Case{"", ""}, Case{"f", "Zg=="}, Case{"fo", "Zm8="}, Case{"foo", "Zm9v"},
                                     Case{"foob", "Zm9vYg=="}, Case{"fooba", "Zm9vYmE="}, Case{"foobar", "Zm9vYmFy"}}) {
        EXPECT_EQ(base64_encode(data), text);
        EXPECT_EQ(base64_decode(text), data);
        auto const unpadded = text.substr(0, text.find('='));
        EXPECT_EQ(base64url_encode(data), unpadded);
        EXPECT_EQ(base64url_decode(unpadded), data);
    }
    EXPECT_EQ(base64_encode("\xfb\xff"), "+/8=");
    EXPECT_EQ(base64url_encode("\xfb\xff"), "-_8");
}

TEST(Codings, RefuseWhatTheyWouldNotWrite) {
    for (std::string_view const text :
         {"Zg", "Zg=", "Zg===", "====", "Z===", "Zh==", "Zm9=", "Zm9v\n", "Zm-v", "Z=g="}) {
        EXPECT_EQ(base64_decode(text), std::nullopt) << text;
    }
    for (std::string_view const text : {"Zg==", "Z", "Zh", "Zm9", "Zm+v", "Zm9v "}) {
        EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
    }
    for (std::string_view const text : {"a", "0g", "0x", " 1"}) EXPECT_EQ(hex_decode(text), std::nullopt) << text;
    EXPECT_EQ(hex_decode("00fFA0"), std::string("\x00\xff\xa0", 3));
}

TEST(Codings, AllBytesComeBack) {
    std::string data;
    for (int i = 0; i < 256; ++i) {
        data += static_cast<char>(i);
        EXPECT_EQ(base64_decode(base64_encode(data)), data);
        EXPECT_EQ(base64url_decode(base64url_encode(data)), data);
        EXPECT_EQ(hex_decode(hex_encode(data)), data);
    }
}

TEST(Codings, Crc32CheckValue) {
    EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
    EXPECT_EQ(crc32(""), 0U);
}

TEST(Random, BytesAndTokensDiffer) {
    EXPECT_EQ(random_bytes(0), "");
    EXPECT_EQ(random_bytes(33).size(), 33U);
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(seen.insert(random_bytes(16)).second);
        EXPECT_TRUE(seen.insert(random_base62(22)).second);
    }
}

TEST(Random, Base62FavoursNoCharacter) {
    std::array<int, 256> counts{};
    constexpr int kDraws = 620'000;
    for (char const c : random_base62(kDraws)) ++counts[static_cast<unsigned char>(c)];
    int distinct = 0;
    for (int c = 0; c < 256; ++c) {
        if (counts[static_cast<std::size_t>(c)] == 0) continue;
        ++distinct;
        EXPECT_TRUE(std::isalnum(c)) << c;
        // 10,000 expected, standard deviation 99; a byte taken modulo 62 would give 8 characters 25 % more.
        EXPECT_LT(std::abs(counts[static_cast<std::size_t>(c)] - kDraws / 62), 900) << static_cast<char>(c);
    }
    EXPECT_EQ(distinct, 62);
}

TEST(Crypto, Ed25519) {
    // RFC 8032 section 7.1, tests 2 and 3.
    auto const seed = *hex_decode("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    auto const key = ed25519_public_key(seed);
    EXPECT_EQ(hex_encode(key), "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    auto const signature = ed25519_sign(seed, "\x72");
    EXPECT_EQ(
        hex_encode(signature),
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
        "eeb00d291612bb0c00");
    EXPECT_TRUE(ed25519_verify(key, "\x72", signature));
    EXPECT_FALSE(ed25519_verify(key, "\x73", signature));
    EXPECT_FALSE(ed25519_verify(key, "", signature));
    EXPECT_FALSE(ed25519_verify(key, "\x72", signature.substr(1)));
    EXPECT_FALSE(ed25519_verify(key.substr(1), "\x72", signature));
    auto other = signature;
    other[40] ^= 1;
    EXPECT_FALSE(ed25519_verify(key, "\x72", other));
    EXPECT_FALSE(ed25519_verify(ed25519_public_key(std::string(32, 'x')), "\x72", signature));
    EXPECT_THROW(ed25519_sign("short", ""), std::invalid_argument);
}

}  // namespace
}  // namespace workforce::core
