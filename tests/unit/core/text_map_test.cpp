#include "core/text_map.hpp"

#include <gtest/gtest.h>

#include "core/json.hpp"

namespace workforce::core {
namespace {

using Small = TextMap<2, 5>;

/// What is read, and what is wrong with it as "field rule".
std::pair<Small, std::string> read(std::string const& json, JsonReader::Trust trust = JsonReader::Trust::outside) {
    auto const document = parse_json(json).value();
    Small map;
    JsonReader reader(trust);
    JsonType<Small>::read(document, map, reader);
    std::string faults;
    for (auto const& error : reader.errors()) faults += (faults.empty() ? "" : ", ") + error.field + " " + error.rule;
    return {map, faults};
}

TEST(TextMap, IsAnObjectOfTexts) {
    auto const [map, faults] = read(R"({"b":"two","a":""})");
    EXPECT_EQ(faults, "");
    EXPECT_EQ(to_json(map), R"({"a":"","b":"two"})");
    EXPECT_EQ(to_json(read("{}").first), "{}");
    for (auto const* other : {"[]", "\"a\"", "null", "5"}) EXPECT_EQ(read(other).second, " type") << other;
    EXPECT_EQ(read(R"({"a":5})").second, "a type");
}

TEST(TextMap, HasLimits) {
    EXPECT_EQ(read(R"({"a":"1","b":"2","c":"3"})").second, " max_properties");
    EXPECT_EQ(read(R"({"a":"12345","b":"123456"})").second, "b max_length");
    EXPECT_NE(read(R"({"":"x"})").second, "");
    EXPECT_NE(read("{\"" + std::string(101, 'n') + "\":\"x\"}").second, "");
    EXPECT_EQ(read("{\"" + std::string(100, 'n') + "\":\"x\"}").second, "");
    EXPECT_NE(read(R"({"a":"\u0000"})").second, "");
}

TEST(TextMap, TakesWhatIsStoredWhateverTheLimitsAreNow) {
    auto const [map, faults] = read(R"({"a":"1","b":"2","c":"longer than that"})", JsonReader::Trust::stored);
    EXPECT_EQ(faults, "");
    EXPECT_EQ(map.value.size(), 3U);
    EXPECT_EQ(map.value.at("c"), "longer than that");
}

TEST(TextMap, TellsItsSchema) {
    JsonWriter w;
    w.begin_object();
    JsonType<Small>::schema(w);
    w.end_object();
    EXPECT_EQ(w.text(),
              R"({"type":"object","maxProperties":2,"additionalProperties":{"type":"string","maxLength":5}})");
}

}  // namespace
}  // namespace workforce::core
