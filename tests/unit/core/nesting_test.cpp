#include "core/nesting.hpp"

#include <gtest/gtest.h>

namespace workforce::core {
namespace {

TEST(Nesting, CountsLevelsOutsideOfTexts) {
    for (auto const* flat : {"", "null", "5", "\"[[[\"", R"("\"[[")", R"("\\")"}) {
        EXPECT_FALSE(is_nested_deeper(flat, 0)) << flat;
    }
    for (auto const* one : {"[]", "{}", R"({"a":1,"b":"[[{"})", R"(["\"[","\\",[]])"}) {
        EXPECT_TRUE(is_nested_deeper(one, 0)) << one;
    }
    EXPECT_FALSE(is_nested_deeper(R"([{"a":[1]},[[2]],{}])", 3));
    EXPECT_TRUE(is_nested_deeper(R"([{"a":[1]},[[2]],{}])", 2));
    EXPECT_FALSE(is_nested_deeper(R"([[],[],[],{"a":[]}])", 3)) << "levels beside one another";
}

}  // namespace
}  // namespace workforce::core
