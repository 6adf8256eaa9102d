// Paths to values within JSON.
#include "core/json_path.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/json_values.hpp"

namespace workforce::core {
namespace {

std::vector<std::string> found(std::string_view path, std::string_view json) {
    auto const document = parse_json(json).value();
    std::vector<JsonValue const*> values;
    JsonPath::parse(path).value().find(document, values);
    std::vector<std::string> texts;
    for (auto const* value : values) texts.push_back(json_of(*value));
    return texts;
}

using Texts = std::vector<std::string>;

TEST(JsonPath, LeadsToMembersAndItems) {
    constexpr auto kJson = R"({"a":{"b":[{"c":1},{"c":null},{}],"d e":"x"},"n":[[1,2],[3]]})";
    EXPECT_EQ(found("a.b[0].c", kJson), Texts{"1"});
    EXPECT_EQ(found("a.b[1].c", kJson), Texts{"null"});
    EXPECT_EQ(found("a.d e", kJson), Texts{R"("x")"});
    EXPECT_EQ(found("a.b[*].c", kJson), (Texts{"1", "null"}));
    EXPECT_EQ(found("n[*][*]", kJson), (Texts{"1", "2", "3"}));
    EXPECT_EQ(found("n[1][0]", kJson), Texts{"3"});
}

TEST(JsonPath, LeadsNowhereWhereSomethingIsMissingOrOfAnotherType) {
    constexpr auto kJson = R"({"a":{"b":[1]},"s":"text"})";
    for (auto const* path : {"x", "a.x", "a.b[1]", "a.b.c", "a[0]", "a[*]", "s.length", "s[0]", "a.b[0].c"}) {
        EXPECT_EQ(found(path, kJson), Texts()) << path;
    }
}

TEST(JsonPath, OtherTextsAreNone) {
    for (auto const* text :
         {"",      ".",     ".a",  "a.",    "a..b",  "[0]",           "a[",    "a]",   "a[]",   "a[x]", "a[-1]",
          "a[01]", "a[+1]", "a[0", "a[0]b", "a[ 0]", "a[4294967296]", "a[**]", "a\nb", "a.[0]", "a\x7F"}) {
        EXPECT_FALSE(JsonPath::parse(text)) << text;
    }
    std::string deep = "a";
    for (std::size_t i = 1; i < JsonPath::kMostSteps; ++i) deep += "[0]";
    EXPECT_TRUE(JsonPath::parse(deep));
    EXPECT_FALSE(JsonPath::parse(deep + "[0]"));
}

TEST(JsonPath, TellsItsFirstName) {
    auto const path = JsonPath::parse("arguments.rate").value();
    EXPECT_EQ(path.root(), "arguments");
    EXPECT_FALSE(path.is_root());
    EXPECT_TRUE(JsonPath::parse("arguments").value().is_root());
    auto const value = parse_json(R"({"rate":5})").value();
    std::vector<JsonValue const*> values;
    path.find_within(value, values);
    ASSERT_EQ(values.size(), 1U);
    EXPECT_EQ(values.front()->GetInt(), 5);
}

}  // namespace
}  // namespace workforce::core
