// What the parser of JSON takes and refuses.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace workforce::core {
namespace {

std::string nested(int depth, char open, char close) {
    return std::string(static_cast<std::size_t>(depth), open) + std::string(static_cast<std::size_t>(depth), close);
}

TEST(Parser, RefusesMoreThan32Levels) {
    EXPECT_TRUE(parse_json(nested(32, '[', ']')));
    auto const refused = parse_json(nested(33, '[', ']'));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::validation_error);
    EXPECT_FALSE(parse_json(nested(100'000, '[', ']')));
    EXPECT_FALSE(parse_json(std::string(33, '[')));
    std::string objects;
    for (int i = 0; i < 33; ++i) objects += R"({"a":)";
    EXPECT_FALSE(parse_json(objects + "1" + std::string(33, '}')));
    // Brackets in strings are no levels, escaped quotes end none, and siblings do not add up.
    EXPECT_TRUE(parse_json('"' + std::string(100, '[') + '"'));
    EXPECT_TRUE(parse_json(R"(["\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["])"));
    EXPECT_TRUE(parse_json("[" + std::string("[],", 3) +
                           "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                           "[],[],[],[],[],[],[],[],[],[],[],[]]"));
}

TEST(Parser, RefusesWhatIsNoJson) {
    for (std::string_view const text : {"", " ", "{", "[1,]", R"({"a":1,})", "{a:1}", "'a'", "nul", "1 2", "{} x",
                                        "// c\n1", "NaN", "01", "+1", "\"a\nb\"", R"("\x")", "[1"}) {
        auto const refused = parse_json(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().details, R"({"reason":"invalid_json"})") << text;
    }
    EXPECT_TRUE(parse_json("\xef\xbb\xbf{}"));
    EXPECT_NE(parse_json("\xef\xbb\xbf{x}").error().message.find("byte 4"), std::string::npos);
    for (std::string_view const mark : {"\xef", "\xef\xbb", "\xef\xbb\xbf\xef\xbb\xbf", "\xfe\xff"}) {
        EXPECT_FALSE(parse_json(std::string(mark) + "{}"));
    }
    for (std::string_view const tail :
         {std::string_view("\0", 1), std::string_view("\0}", 2), std::string_view(" \0 1", 4)}) {
        auto const refused = parse_json("{}" + std::string(tail));
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find(tail[0] == ' ' ? "byte 3" : "byte 2"), std::string::npos)
            << refused.error().message;
    }
}

TEST(Parser, RefusesTextThatIsNoUtf8) {
    for (std::string_view const bytes : {"\xff", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x80"}) {
        EXPECT_FALSE(parse_json('"' + std::string(bytes) + '"'));
        EXPECT_FALSE(parse_json("{\"" + std::string(bytes) + "\":1}"));
    }
    EXPECT_FALSE(parse_json(R"("\ud800")"));
    EXPECT_FALSE(parse_json(R"("\ud800\u0041")"));
    EXPECT_FALSE(parse_json(R"({"\ude00":1})"));
    auto const refused = parse_json(R"(["\ud66d\ude00"])");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("surrogate"), std::string::npos) << refused.error().message;
    EXPECT_EQ(std::string_view(parse_json(R"("\ud66d")")->GetString()), "\xed\x99\xad");
    EXPECT_TRUE(parse_json("\"\xf0\x9f\x99\x82\""));
    EXPECT_EQ(std::string_view(parse_json(R"("\ud83d\ude42")")->GetString()), "\xf0\x9f\x99\x82");
}

TEST(Parser, ReadsEachNumberAsTheNearestDouble) {
    for (auto const* text : {"0e99",
                             "0.0e-99",
                             "-0e50",
                             "0e-228",
                             "0.000E+308",
                             "0.0e00000099",
                             "0.1",
                             "1.5E+3",
                             "1e23",
                             "2.5e-324",
                             "1e-400",
                             "5e-324",
                             "2.2250738585072011e-308",
                             "1.7976931348623157e308",
                             "9007199254740993",
                             "18446744073709551616",
                             "184467440737095516155",
                             "1844674407370955161550",
                             "18446744073709551615.5",
                             "1.84467440737095516155e30",
                             "5.1687675836958404912035981678056e-332",
                             "0.00000000000001e-2147483639",
                             "1e-99999999999999999999"}) {
        auto const parsed = parse_json(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_EQ(parsed->GetDouble(), std::strtod(text, nullptr)) << text;
    }
    for (auto const* text : {"9e308", "0e309", "1e309", "-1.8e308", "1e99999999999"}) {
        auto const parsed = parse_json(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_NE(parsed.error().message.find("too big"), std::string::npos) << parsed.error().message;
    }
}

TEST(Parser, ControlCharactersAreEscapedWhereverTheyStand) {
    for (char c = 1; c < ' '; ++c) {
        for (std::size_t const before : {0, 1, 15, 16, 40}) {
            auto const text = std::string(before, 'x') + c + std::string(40, 'y');
            EXPECT_FALSE(parse_json('"' + text + '"')) << int(c) << " after " << before;
            auto const written = to_json(text);
            EXPECT_EQ(written.find(c), std::string::npos) << int(c) << " after " << before;
            auto const read = parse_json(written);
            EXPECT_TRUE(read && read->GetString() == text) << int(c) << " after " << before;
        }
    }
}

}  // namespace
}  // namespace workforce::core
