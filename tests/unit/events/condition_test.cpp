// Conditions on JSON.
#include "events/condition.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/json_values.hpp"

namespace workforce::events {
namespace {

struct ConditionCase {
    ConditionOp op;
    char const* value;
    char const* actual;  // null: there is none
    bool met;
};

bool met(ConditionCase const& each) {
    auto const value = core::parse_json(each.value).value();
    EXPECT_EQ(fault_of(each.op, value), "") << each.value;
    if (each.actual == nullptr) return meets(each.op, value, static_cast<core::JsonValue const*>(nullptr));
    auto const actual = core::parse_json(each.actual).value();
    return meets(each.op, value, &actual);
}

TEST(Condition, ComparesValuesOfOneType) {
    using enum ConditionOp;
    std::vector<ConditionCase> const cases{
        {eq, "5", "5", true},
        {eq, "5", "5.0", true},
        {eq, "5", "6", false},
        {eq, R"("a")", R"("a")", true},
        {eq, R"("a")", R"("A")", false},
        {eq, "true", "true", true},
        {eq, "true", "false", false},
        {ne, "5", "6", true},
        {ne, "5", "5", false},
        {gt, "99.5", "100", true},
        {gt, "100", "100", false},
        {gte, "100", "100", true},
        {lt, "0", "-1", true},
        {lte, "0", "0.5", false},
        {gt, "9007199254740992", "9007199254740993", true},  // no double tells them apart
        {lt, "18446744073709551615", "18446744073709551614", true},
        {gte, R"("2026-03-01")", R"("2026-03-02")", true},
        {lt, R"("2026-03-01")", R"("2026-03-02")", false},
        {in, R"(["a", 5, true])", "5", true},
        {in, R"(["a", 5, true])", R"("b")", false},
        {not_in, R"(["a", 5])", R"("b")", true},
        {not_in, R"(["a", 5])", R"("a")", false},
        {matches, R"("*@rival.test")", R"("x@rival.test")", true},
        {matches, R"("*@rival.test")", R"("x@other.test")", false},
        {exists, "true", R"({"a":1})", true},
        {exists, "false", "0", false},
    };
    for (auto const& each : cases) {
        EXPECT_EQ(met(each), each.met) << core::enum_name(each.op) << each.value << each.actual;
    }
}

TEST(Condition, WhatIsMissingOrOfAnotherTypeMeetsOnlyThatItDoesNotExist) {
    using enum ConditionOp;
    std::vector<std::pair<ConditionOp, char const*>> const all{
        {eq, "5"},  {ne, "5"},      {gt, "5"},          {gte, "5"},          {lt, "5"},
        {lte, "5"}, {in, "[5, 6]"}, {not_in, "[5, 6]"}, {matches, R"("*")"}, {exists, "true"},
    };
    for (auto const& [op, value] : all) {
        for (auto const* actual : {static_cast<char const*>(nullptr), "null"}) {
            EXPECT_FALSE(met({op, value, actual, false})) << core::enum_name(op);
        }
        if (op == exists) continue;
        for (auto const* actual : {"true", "[5]", R"({"a":5})"}) {
            EXPECT_FALSE(met({op, value, actual, false})) << core::enum_name(op) << actual;
        }
    }
    EXPECT_FALSE(met({eq, R"("5")", "5", false}));
    EXPECT_FALSE(met({ne, R"("5")", "6", false}));
    EXPECT_TRUE(met({exists, "false", nullptr, true}));
    EXPECT_TRUE(met({exists, "false", "null", true}));
}

TEST(Condition, OneOfManyIsEnough) {
    using enum ConditionOp;
    auto const value = core::parse_json("5").value();
    auto const items = core::parse_json("[1, 9]").value();
    std::vector<core::JsonValue const*> const found{&items[0], &items[1]};
    EXPECT_TRUE(meets(gt, value, found));
    EXPECT_TRUE(meets(lt, value, found));
    EXPECT_FALSE(meets(eq, value, found));
    EXPECT_FALSE(meets(gt, value, std::span<core::JsonValue const* const>()));
    EXPECT_TRUE(meets(exists, core::parse_json("false").value(), std::span<core::JsonValue const* const>()));
}

TEST(Condition, ValuesOfOtherTypesAreFaults) {
    using enum ConditionOp;
    std::vector<std::pair<ConditionOp, char const*>> const wrong{
        {eq, "null"},          {eq, "[1]"},    {ne, "{}"},         {gt, "true"},
        {lte, "null"},         {in, "5"},      {in, "[]"},         {in, "[[1]]"},
        {not_in, "[null]"},    {matches, "5"}, {matches, R"("")"}, {exists, "null"},
        {exists, R"("true")"},
    };
    for (auto const& [op, value] : wrong) {
        EXPECT_NE(fault_of(op, core::parse_json(value).value()), "") << core::enum_name(op) << value;
    }
}

TEST(Condition, PatternsAndWhatTheyAreTriedOnHaveBounds) {
    using enum ConditionOp;
    auto const text = [](std::size_t size) { return '"' + std::string(size, 'a') + '"'; };
    EXPECT_EQ(fault_of(matches, core::parse_json(text(200)).value()), "");
    EXPECT_NE(fault_of(matches, core::parse_json(text(201)).value()), "");
    auto const any = core::parse_json(R"("*")").value();
    auto const fits = core::parse_json(text(kLongestMatched)).value();
    auto const longer = core::parse_json(text(kLongestMatched + 1)).value();
    EXPECT_TRUE(meets(matches, any, &fits));
    EXPECT_FALSE(meets(matches, any, &longer));
}

TEST(Condition, FaultsNameTheField) {
    auto const fields = [](std::string_view json) {
        auto const document = core::parse_json(json).value();
        core::JsonReader reader;
        Condition condition;
        core::JsonType<Condition>::read(document, condition, reader);
        std::vector<std::string> names;
        for (auto const& error : reader.errors()) names.push_back(error.field + " " + error.rule);
        return names;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(fields(R"({"path":"arguments.rate","op":"gt","value":80})"), Names());
    EXPECT_EQ(fields(R"({"path":"arguments..rate","op":"gt","value":80})"), Names{"path path"});
    EXPECT_EQ(fields(R"({"path":"arguments.rate","op":"gt","value":[80]})"), Names{"value condition_value"});
    EXPECT_EQ(fields(R"({"path":"arguments.rate","op":"above","value":80})"), Names{"op enum"});
    EXPECT_EQ(fields(R"({"op":"gt"})"), (Names{"path required", "value required"}));
}

}  // namespace
}  // namespace workforce::events
