// Names and other facts of outcomes that others learn of.
#include "operations/outcome.hpp"

#include <gtest/gtest.h>

namespace workforce::operations {
namespace {

using Short = ShortName<8>;

TEST(ShortName, HasTheBeginningOfALongerText) {
    EXPECT_EQ(Short("").text(), "");
    EXPECT_EQ(Short("12345678").text(), "12345678");
    EXPECT_EQ(Short("123456789").text(), "12345678");
}

TEST(ShortName, IsWhatADatabaseTakes) {
    EXPECT_EQ(Short("€€€").text(), "€€") << "each has three bytes";
    EXPECT_EQ(Short("1234567é").text(), "1234567");
    EXPECT_EQ(Short("1234é🤖").text(), "1234é");
    EXPECT_EQ(Short("12345678é").text(), "12345678");
    EXPECT_EQ(Short(std::string_view("a\0b", 3)).text(), "a b");
}

}  // namespace
}  // namespace workforce::operations
