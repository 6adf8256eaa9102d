// Parameters in Postgres' text form.
#include "core/sql_values.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace workforce::core {
namespace {

TEST(SqlParameters, Scalars) {
    EXPECT_EQ(to_parameter("text"), "text");
    EXPECT_EQ(to_parameter(std::string_view("text and").substr(0, 4)), "text");
    EXPECT_EQ(to_parameter(42), "42");
    EXPECT_EQ(to_parameter(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(to_parameter(true), "t");
    EXPECT_EQ(to_parameter(0.1), "0.1");
    EXPECT_EQ(to_parameter(Bytes{std::string_view("\0\xff", 2)}), "\\x00ff");
    EXPECT_EQ(to_parameter(Timestamp{0}), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(to_parameter(Date{0}), "1970-01-01");
    EXPECT_EQ(to_parameter(TimeOfDay{61}), "01:01");
    EXPECT_EQ(to_parameter(std::nullopt), std::nullopt);
    EXPECT_EQ(to_parameter(std::optional<int>()), std::nullopt);
    EXPECT_EQ(to_parameter(std::optional<int>(7)), "7");
}

TEST(SqlParameters, TextThatWouldBeCutAtItsNulIsRefused) {
    EXPECT_THROW(to_parameter(std::string_view("a\0b", 3)), std::invalid_argument);
}

TEST(SqlParameters, Arrays) {
    EXPECT_EQ(to_parameter(std::vector<std::int64_t>{}), "{}");
    EXPECT_EQ(to_parameter(std::vector<std::int64_t>{1, -2, 3}), "{1,-2,3}");
    EXPECT_EQ(to_parameter(std::vector<std::optional<int>>{1, std::nullopt}), "{1,NULL}");
    EXPECT_EQ(to_parameter(std::vector<std::string>{"a", "", "NULL", "b,c", "\"q\"", "back\\slash", "{}"}),
              R"({"a","","NULL","b,c","\"q\"","back\\slash","{}"})");
    EXPECT_EQ(to_parameter(std::vector<bool>{true, false}), R"({"t","f"})");
    EXPECT_EQ(to_parameter(std::vector<Timestamp>{Timestamp{0}}), "{1970-01-01T00:00:00.000Z}");
    std::int64_t const ids[] = {4, 5};
    EXPECT_EQ(to_parameter(std::span(ids)), "{4,5}");
}

TEST(SqlParameters, Integers) {
    EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    for (auto const* text : {"", "1x", " 1", "9223372036854775808", "1.0"})
        EXPECT_EQ(parse_integer(text), std::nullopt);
}

}  // namespace
}  // namespace workforce::core
