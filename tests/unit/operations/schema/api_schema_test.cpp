// Schemas of requests and answers: what they say beyond those of events.
#include "operations/schema/api_schema.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

namespace workforce::operations {

BOOST_DESCRIBE_ENUM(Side, request, answer)

namespace described {

struct Row {
    core::Name name;
    core::LongText notes;
    std::optional<core::Text<2, 100>> q;
    std::vector<std::int32_t> numbers;
    core::Personal<core::Nullable<core::HttpsUrl>> photo;
    core::Id staffId = 0;
    std::vector<core::Id> otherIds;
    core::Nullable<core::Id> noId;
    core::Id count = 0;
    core::AbsentOrNull<core::Date> until;
    core::Personal<core::Name> person;
    core::Personal<core::Email> address;
    core::EnumText<Side> side;
    core::TimeZoneName zone;
    core::Currency currency;
    static constexpr std::array<std::string_view, 1> kRequired{"name"};
};
BOOST_DESCRIBE_STRUCT(Row, (),
                      (name, notes, q, numbers, photo, staffId, otherIds, noId, count, until, person, address, side,
                       zone, currency))

}  // namespace described

namespace {

/// The definition that a schema of the row refers to.
nlohmann::json schema_of(Side side) {
    core::JsonWriter w;
    Components components;
    write_object<described::Row>(w, side, components);
    auto const name = side == Side::request ? "RowInput" : "Row";
    EXPECT_EQ(nlohmann::json::parse(w.text())["$ref"], std::string("#/components/schemas/") + name);
    core::JsonWriter all;
    all.begin_object();
    components.write(all);
    all.end_object();
    return nlohmann::json::parse(all.text())[name];
}

TEST(ApiSchema, OfAnAnswerRequiresWhatAlwaysStandsThere) {
    auto const schema = schema_of(Side::answer);
    EXPECT_EQ(schema["required"], nlohmann::json({"name", "notes", "numbers", "photo", "staffId", "otherIds", "noId",
                                                  "count", "until", "person", "address", "side", "zone", "currency"}));
    EXPECT_EQ(schema["properties"]["until"]["type"], nlohmann::json({"string", "null"}));
    EXPECT_EQ(schema["properties"]["until"]["format"], "date");
    EXPECT_EQ(schema["properties"]["photo"]["format"], "uri");
    EXPECT_FALSE(schema["properties"]["numbers"].contains("maxItems"));
}

TEST(ApiSchema, OfARequestSaysWhatItsReaderTakes) {
    auto const schema = schema_of(Side::request);
    EXPECT_EQ(schema["required"], nlohmann::json({"name"}));
    EXPECT_EQ(schema["properties"]["numbers"]["maxItems"], 100);
    EXPECT_EQ(schema["properties"]["numbers"]["items"]["maximum"], 2147483647);
    EXPECT_TRUE(schema["properties"]["photo"].contains("pattern"));
    EXPECT_EQ(schema["properties"]["until"]["type"], nlohmann::json({"string", "null"}));
}

TEST(ApiSchema, AnswersMayShowWhatIsErasedOrOlderThanARule) {
    auto const asked = schema_of(Side::request)["properties"];
    auto const shown = schema_of(Side::answer)["properties"];
    EXPECT_EQ(asked["person"]["minLength"], 1);
    EXPECT_FALSE(shown["person"].contains("minLength")) << "an erased person has no name";
    EXPECT_EQ(asked["address"]["format"], "email");
    EXPECT_EQ(shown["address"], nlohmann::json({{"type", "string"}})) << "nor an address";
    EXPECT_EQ(asked["side"]["$ref"], "#/components/schemas/Side");
    EXPECT_EQ(shown["side"]["type"], "string");
    EXPECT_EQ(asked["currency"]["$ref"], "#/components/schemas/Currency");
    EXPECT_EQ(shown["currency"], nlohmann::json({{"type", "string"}}));
    EXPECT_FALSE(asked["zone"].contains("format")) << "JSON Schema has none for time zones";
}

TEST(ApiSchema, IdsArePositive) {
    for (auto const side : {Side::request, Side::answer}) {
        auto const members = schema_of(side)["properties"];
        for (auto const& id : {members["staffId"], members["otherIds"]["items"], members["noId"]}) {
            EXPECT_EQ(id.value("minimum", core::Id{0}), side == Side::request ? 1 : 0) << id;
            EXPECT_EQ(id["format"], "int64") << id;
        }
        EXPECT_NE(members["count"].value("minimum", core::Id{0}), 1);
    }
}

TEST(ApiSchema, OfAnAnswerHasNoBoundsOfInput) {
    auto const members = schema_of(Side::answer)["properties"];
    for (auto const& [name, member] : members.items()) {
        for (auto const* bound : {"minimum", "maximum", "minLength", "maxLength", "pattern", "maxItems", "anyOf"}) {
            EXPECT_FALSE(member.contains(bound)) << name;
        }
    }
}

TEST(ApiSchema, OfATextOfAddressNamesTheTypeInEachBranch) {
    core::JsonWriter w;
    Components components;
    write_object<core::OptionalEmail>(w, Side::request, components);
    auto const branches = nlohmann::json::parse(w.text())["anyOf"];
    for (auto const& branch : branches) EXPECT_EQ(branch["type"], "string");
}

TEST(ApiSchema, OfWhatIsNamedElsewhereTakesNullBeside) {
    core::JsonWriter w;
    Components components;
    write_object<core::Nullable<Side>>(w, Side::answer, components);
    auto const choices = nlohmann::json::parse(w.text())["anyOf"];
    EXPECT_EQ(choices[0]["$ref"], "#/components/schemas/Side");
    EXPECT_EQ(choices[1]["type"], "null");
}

/// What the field's reader says of the text.
template <class T>
bool taken(std::string const& text) {
    core::JsonWriter w;
    w.string(text);
    auto const document = core::parse_json(w.text());
    T value;
    core::JsonReader reader;
    core::JsonType<T>::read(*document, value, reader);
    return reader.errors().empty();
}

/// Whether the pattern of the type's request matches.
template <class T>
bool matches(std::string const& text) {
    core::JsonWriter w;
    Components components;
    write_object<T>(w, Side::request, components);
    auto const pattern = nlohmann::json::parse(w.text())["pattern"].get<std::string>();
    auto const wide = [](std::string const& ascii) { return std::wstring(ascii.begin(), ascii.end()); };
    return std::regex_search(wide(text), std::wregex(wide(pattern)));
}

TEST(ApiSchema, PatternsAgreeWithTheReader) {
    for (auto const* text : {"", " ", "\n", "a", " a", "a ", "ab", " ab\r\n", "a b", "\ta\t", "a\tb", "a\nb", "a\rb",
                             "\x01", "a\x7f", "a  b", " a b ", "a\x1f"}) {
        EXPECT_EQ(matches<core::ShortText>(text), taken<core::ShortText>(text)) << text;
        EXPECT_EQ(matches<core::Name>(text), taken<core::Name>(text)) << text;
        EXPECT_EQ(matches<core::LongText>(text), taken<core::LongText>(text)) << text;
        using Query = core::Text<2, 100>;
        EXPECT_EQ(matches<Query>(text), taken<Query>(text)) << text;
    }
    for (auto const* text : {"https://a", "https://a:1/b%20c?d=e#f", "http://a", "https://",
                             "https://a:", "https://a/%2", "https://a/#b#c", "https://a?b", "https://a#",
                             "https://a:123456/", "https://u@a/", "https://a/[", "https://a-b_c.d/~"}) {
        EXPECT_EQ(matches<core::HttpsUrl>(text), taken<core::HttpsUrl>(text)) << text;
    }
}

}  // namespace
}  // namespace workforce::operations
