#include "core/any_json.hpp"

#include <gtest/gtest.h>

namespace workforce::core {
namespace {

using Small = AnyJson<20>;
using SmallObject = AnyObject<20>;

/// What is read, and the rules that it breaks.
template <class T>
std::pair<std::string, std::string> any_json(std::string const& json,
                                             JsonReader::Trust trust = JsonReader::Trust::outside) {
    auto const document = parse_json(json).value();
    T any;
    JsonReader reader(trust);
    JsonType<T>::read(document, any, reader);
    std::string rules;
    for (auto const& error : reader.errors()) rules += error.rule;
    return {to_json(any), rules};
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(AnyJson, KeepsAnyValue) {
    for (auto const* value : {"null", "5", "-0.5", "\"a\"", R"(["",{"b":null}])", "{}"}) {
        EXPECT_EQ(any_json<Small>(value), std::pair(std::string(value), std::string())) << value;
    }
    EXPECT_EQ(any_json<Small>(" { \"a\" : [ 1 ] } ").first, R"({"a":[1]})");
    EXPECT_EQ(to_json(Small()), "null");
}

TEST(AnyJson, AnObjectIsOne) {
    EXPECT_EQ(any_json<SmallObject>(R"({"a":1})"), std::pair(std::string(R"({"a":1})"), std::string()));
    for (auto const* other : {"null", "[]", "5"}) EXPECT_EQ(any_json<SmallObject>(other).second, "type") << other;
    EXPECT_EQ(to_json(SmallObject()), "{}");
}

TEST(AnyJson, HasLimitsForWhatComesFromOutside) {
    auto const long_text = "\"" + std::string(19, 'x') + "\"";
    EXPECT_EQ(any_json<Small>(long_text).second, "max_bytes");
    EXPECT_EQ(any_json<Small>("\"" + std::string(18, 'x') + "\"").second, "");
    EXPECT_EQ(any_json<Small>(long_text, JsonReader::Trust::stored).second, "");
    EXPECT_EQ(any_json<AnyJson<100>>(nested(kMostNesting)).second, "");
    EXPECT_EQ(any_json<AnyJson<100>>(nested(kMostNesting + 1)).second, "max_depth");
    EXPECT_EQ(any_json<AnyJson<100>>(nested(30), JsonReader::Trust::stored).second, "");
}

TEST(AnyJson, HasNoNulFromOutside) {
    for (auto const* bad : {R"("a\u0000")", R"({"a":["\u0000"]})", R"([{"a\u0000b":1}])"}) {
        EXPECT_EQ(any_json<AnyJson<100>>(bad).second, "characters") << bad;
        EXPECT_EQ(any_json<AnyJson<100>>(bad, JsonReader::Trust::stored), std::pair(std::string(bad), std::string()));
    }
    EXPECT_EQ(any_json<AnyJson<100>>(R"(["\\u0000","\u0001"])").second, "");
}

TEST(AnyJson, HidesWhatMembersOfSecretsHold) {
    auto const hidden = [](char const* json) { return without_secrets(parse_json(json).value()); };
    EXPECT_EQ(hidden(R"({"apiKey":"k","API-Key":"k","x_access_token":5,"note":"token","n":1})"),
              R"({"apiKey":"[redacted]","API-Key":"[redacted]","x_access_token":"[redacted]","note":"token","n":1})");
    EXPECT_EQ(hidden(R"([{"auth":{"client_secret":["a","b",null,true]}}])"),
              R"([{"auth":{"client_secret":["[redacted]","[redacted]",null,true]}}])");
    EXPECT_EQ(hidden(R"({"Credential":{"user":"u"}})"), R"({"Credential":{"user":"[redacted]"}})");
    EXPECT_EQ(hidden(R"({"spin":"a","pin":"b","pagination":{"tokens":3}})"),
              R"({"spin":"a","pin":"[redacted]","pagination":{"tokens":"[redacted]"}})");
    EXPECT_EQ(
        hidden(R"({"apiKeys":["a"],"pwd":1,"compass":"n","sessionId":"x","h":"Bearer abc","k":"svc_live_1"})"),
        R"({"apiKeys":["[redacted]"],"pwd":"[redacted]","compass":"n","sessionId":"[redacted]","h":"[redacted]","k":"[redacted]"})");
    EXPECT_EQ(hidden(R"([{"name":"password","value":"x"},{"name":"colour","value":"red"}])"),
              R"([{"name":"password","value":"[redacted]"},{"name":"colour","value":"red"}])");
}

}  // namespace
}  // namespace workforce::core
