// One-time codes, by the vectors of the RFCs.
#include <gtest/gtest.h>

#include "workers/store/mfa_store.hpp"

namespace workforce::workers {
namespace {

constexpr std::string_view kSecret = "12345678901234567890";

/// RFC 4226, appendix D.
TEST(OneTimeCode, IsThatOfItsCounter) {
    EXPECT_EQ(totp_code(kSecret, 0), "755224");
    EXPECT_EQ(totp_code(kSecret, 1), "287082");
    EXPECT_EQ(totp_code(kSecret, 9), "520489");
}

/// RFC 6238, appendix B, whose codes have two digits more.
TEST(OneTimeCode, IsThatOfItsTime) {
    EXPECT_EQ(totp_code(kSecret, 59 / 30), "287082");
    EXPECT_EQ(totp_code(kSecret, 1111111109 / 30), "081804");
    EXPECT_EQ(totp_code(kSecret, 20000000000 / 30), "353130");
}

/// RFC 4648, section 10.
TEST(Base32, IsThatOfTheRfc) {
    EXPECT_EQ(base32_encode(""), "");
    EXPECT_EQ(base32_encode("f"), "MY");
    EXPECT_EQ(base32_encode("fo"), "MZXQ");
    EXPECT_EQ(base32_encode("foo"), "MZXW6");
    EXPECT_EQ(base32_encode("foob"), "MZXW6YQ");
    EXPECT_EQ(base32_encode("fooba"), "MZXW6YTB");
    EXPECT_EQ(base32_encode("foobar"), "MZXW6YTBOI");
}

}  // namespace
}  // namespace workforce::workers
