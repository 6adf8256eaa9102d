// Which passwords anybody guesses first.
#include <gtest/gtest.h>

#include "operations/accounts.hpp"

namespace workforce::operations {
namespace {

TEST(Passwords, CommonOnesAreKnown) {
    for (auto const* password :
         {"password1234", "Password2024!", "P@ssw0rd1234", "123456789012", "098765432109", "abcdefghijkl",
          "qwertyuiop12", "aaaaaaaaaaaa", "abcabcabcabc", "1q2w3e4r5t6y", "Administrator1", "ILoveYouForever",
          "2024welcome!!", "correcthorsebatterystaple", "!!!!????1111", "letmein12345", "passwordpassword"}) {
        EXPECT_TRUE(is_common_password(password)) << password;
    }
}

TEST(Passwords, OthersAreNot) {
    for (auto const* password :
         {"correct horse battery staple", "tr0ub4dor&3-and-more", "kX7$mmQ2vv!p", "Lindqvist schwimmt",
          "grüne Wiese im Mai", "password-of-mine-only", "8472-1190-5563-07"}) {
        EXPECT_FALSE(is_common_password(password)) << password;
    }
}

TEST(Passwords, AreNoneOfTheOwnNames) {
    NewPassword const password{"Ada.Byron@Example.test"};
    EXPECT_TRUE(check_password("password", password, {"other@example.test"}));
    auto const refused = check_password("newPassword", password, {"ada.byron@example.test", "ada"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::Code::validation_error);
    EXPECT_NE(refused.error().details.find("newPassword"), std::string::npos);
    events::UserDetails user;
    user.email = core::Email("ada.byron@example.test");
    user.username = core::ShortText("Ada Byron of Ockham");
    EXPECT_FALSE(check_password("password", password, names_of(user)));
    EXPECT_FALSE(check_password("password", {"ada byron of ockham"}, names_of(user)));
}

}  // namespace
}  // namespace workforce::operations
