// The scanner of leading attributes, against bodies of the codec's form and of any other.
#include "events/attributes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "tests/contract/log_writer.hpp"

namespace workforce::events {
namespace {

using tests::make_record;

std::string const kHash(64, 'a');

TEST(Standing, StandsBeforeTheData) {
    auto const body = make_record(12, {34, kHash}, 2, 3, R"({"x":1})");
    auto const standing = standing_of(body);
    ASSERT_TRUE(standing);
    EXPECT_EQ(standing->epoch, 12);
    EXPECT_EQ(standing->position, 35);
    EXPECT_EQ(standing->previous_hash, kHash);
    EXPECT_EQ(standing->command_index, 2);
    EXPECT_EQ(standing->command_count, 3);
}

TEST(Standing, DataThatLooksLikeAttributesChangesNothing) {
    auto const inner = make_record(99, {99, kHash}, 1, 1, "1");
    EXPECT_EQ(standing_of(make_record(1, {0, kHash}, 1, 1, inner))->epoch, 1);
    // Quotes within a string are escaped, so a string can't look like them either.
    auto text = make_record(1, {0, kHash}, 1, 1, "2");
    text.insert(1, R"("x":",\"data\":",)");
    EXPECT_EQ(standing_of(text)->epoch, 1);
}

TEST(Standing, NothingElseWillDo) {
    std::string const good =
        R"({"epoch":"1","position":"2","prevhash":")" + kHash + R"(","cmdindex":1,"cmdcount":1,"data":{}})";
    ASSERT_TRUE(standing_of(good));
    struct Change {
        std::string from;
        std::string to;
    };
    for (auto const& [from, to] : std::vector<Change>{{R"("1","position")", R"(1,"position")"},
                                                      {R"("epoch":"1")", R"("epoch":"")"},
                                                      {R"("epoch":"1")", R"("epoch":"-1")"},
                                                      {R"("epoch":"1")", R"("epoch":"1234567890123456789")"},
                                                      {R"("epoch":)", R"("epoch": )"},
                                                      {"aaaa\"", "aaaA\""},
                                                      {"aaaa\"", "aaa\""},
                                                      {R"("cmdindex":1)", R"("cmdindex":"1")"},
                                                      {R"("cmdcount":1)", R"("cmdcount":1234567890)"},
                                                      {R"("cmdcount":1)", R"("cmdcount":1.0)"},
                                                      {R"("cmdcount":1)", R"("cmdcount":1,"more":2)"},
                                                      {R"(,"data":{}})", "}"}}) {
        auto body = good;
        ASSERT_NE(body.find(from), std::string::npos) << from;
        body.replace(body.find(from), from.size(), to);
        EXPECT_FALSE(standing_of(body)) << body;
    }
    for (std::string_view const body : {"", "{}", "{", "data", R"(,"data":)", R"({"data":1})", "\0\0"}) {
        EXPECT_FALSE(standing_of(body)) << body;
    }
}

/// Names and values; "damaged" as a name where the walk says so.
std::map<std::string, std::string, std::less<>> walk(std::string_view body) {
    std::map<std::string, std::string, std::less<>> found;
    AttributeWalk attributes(body);
    while (auto const attribute = attributes.next()) found.emplace(attribute->name, attribute->value());
    if (attributes.damaged()) found.emplace("damaged", "");
    return found;
}

TEST(AttributeWalk, GivesEveryAttributeButTheData) {
    using Found = std::map<std::string, std::string, std::less<>>;
    EXPECT_EQ(walk(R"({"id":"x","sandbox":true,"depth":-3,"text":"a\"b\\\u00e4\n","data":{"id":"y"}})"),
              (Found{{"id", "x"}, {"sandbox", "true"}, {"depth", "-3"}, {"text", "a\"b\\ä\n"}}));
    EXPECT_EQ(walk(R"({"id":"x"})"), (Found{{"id", "x"}}));
    EXPECT_EQ(walk(R"({"empty":""})"), (Found{{"empty", ""}}));
    EXPECT_EQ(walk(make_record(1, {0, kHash}, 1, 1, "{}")).at("prevhash"), kHash);
}

TEST(AttributeWalk, StopsWhereTheFormEnds) {
    for (std::string_view const body : {"",
                                        "[1]",
                                        "{",
                                        "{}",
                                        R"({"id")",
                                        R"({"id":)",
                                        R"({"id":"x)",
                                        R"({"id":"x\)",
                                        R"({"id":"x"} )",
                                        R"({"id":{}})",
                                        R"({"id":[1]})",
                                        R"({"id":null})",
                                        R"({"id":1.5})",
                                        R"({"id":-})",
                                        R"({"id": 1})",
                                        R"({"Id":1})",
                                        R"({"":1})",
                                        R"({"id":tru})",
                                        R"({"id":"x","id2"})",
                                        "{\"id\":\"a\nb\"}",
                                        R"({"id":"x"])"}) {
        EXPECT_TRUE(walk(body).contains("damaged")) << body;
    }
    EXPECT_EQ(walk(R"({"id":"x","n":1.5})").at("id"), "x") << "what came before stays known";
}

TEST(AttributeWalk, AnyBytesAtAllAreSurvived) {
    std::mt19937 random(7);
    auto const good = make_record(1, {0, kHash}, 1, 1, R"({"x":"\u00e4"})");
    for (int i = 0; i < 20'000; ++i) {
        auto body = good;
        for (int changes = 0; changes < 3; ++changes) body[random() % body.size()] = static_cast<char>(random());
        body.resize(random() % (body.size() + 1));
        walk(body);
        standing_of(body);
    }
}

TEST(Attribute, IsFoundByName) {
    EXPECT_EQ(attribute(R"({"a":"1","b":"x\ty","data":{"c":"no"}})", "b"), "x\ty");
    EXPECT_FALSE(attribute(R"({"a":"1","data":{"c":"no"}})", "c"));
}

}  // namespace
}  // namespace workforce::events
