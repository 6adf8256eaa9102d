// Members that come more than once.
#include "core/json_duplicates.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/json.hpp"

namespace workforce::core {
namespace {

/// The paths of the faults, with a space behind each.
std::string repeated(std::string_view json) {
    auto const document = parse_json(json).value();
    std::string paths;
    for (auto const& fault : duplicate_members(document)) {
        EXPECT_EQ(fault.rule, "duplicate");
        paths += fault.field + " ";
    }
    return paths;
}

std::string many_members(int count, std::string const& last) {
    std::string json = "{";
    for (int i = 0; i < count; ++i) json += "\"m" + std::to_string(i) + "\":1,";
    return json + last + "}";
}

TEST(DuplicateMembers, AreFoundAtAnyDepth) {
    EXPECT_EQ(repeated(R"({"a":1,"b":2})"), "");
    EXPECT_EQ(repeated(R"({"a":1,"a":1})"), "a ");
    EXPECT_EQ(repeated(R"({"a":1,"A":1})"), "");
    EXPECT_EQ(repeated(R"({"a":1,"b":2,"a":3,"b":4,"a":5})"), "a b ") << "each once";
    EXPECT_EQ(repeated(R"({"x":{"a":1},"y":{"a":1}})"), "") << "of two objects";
    EXPECT_EQ(repeated(R"({"x":{"a":1,"a":{}},"y":[1,[{"b":1,"b":2}]]})"), "x.a y[1][0].b ");
    EXPECT_EQ(repeated(R"({"a":1,"\u0061":2})"), "a ") << "in two spellings";
    EXPECT_EQ(repeated(R"([{"":1,"":2}])"), "[0]. ");
    EXPECT_EQ(repeated("7"), "");
}

TEST(DuplicateMembers, OfLargeObjectsToo) {
    EXPECT_EQ(repeated(many_members(40, R"("m40":1)")), "");
    EXPECT_EQ(repeated(many_members(40, R"("m7":2,"m7":3,"m20":1)")), "m20 m7 ");
    EXPECT_EQ(repeated(many_members(20'000, R"("m19999":2)")), "m19999 ");
}

TEST(DuplicateMembers, ARefusalOfThemIsShort) {
    std::string json = "[";
    for (int i = 0; i < 1000; ++i) json += R"({"a":1,"a":2},)";
    EXPECT_EQ(duplicate_members(parse_json(json + "1]").value()).size(), 10U);
    auto const name = std::string(63, 'n') + "ä" + std::string(50'000, 'n');
    EXPECT_EQ(repeated("{\"" + name + "\":1,\"" + name + "\":2}"), std::string(63, 'n') + "… ");
}

TEST(DuplicateMembers, AreSeenInOneObjectAlone) {
    EXPECT_TRUE(has_duplicate_members(parse_json(R"({"a":1,"a":2})").value()));
    EXPECT_FALSE(has_duplicate_members(parse_json(R"({"a":{"b":1,"b":2}})").value()));
    EXPECT_FALSE(has_duplicate_members(parse_json("[]").value()));
}

}  // namespace
}  // namespace workforce::core
