#include "core/utf8.hpp"
#include "core/excerpt.hpp"

#include <gtest/gtest.h>

namespace workforce::core {
namespace {

constexpr char const* kLost = "\xEF\xBF\xBD";

TEST(ToValidUtf8, LeavesTextAlone) {
    for (std::string const text : {"", "plain\r\n\t", "Grüße, 東京 🚑", "\xEF\xBF\xBD"}) {
        EXPECT_EQ(to_valid_utf8(text), text);
    }
}

TEST(ToValidUtf8, ReplacesEachByteThatIsPartOfNone) {
    std::string const lost = kLost;
    EXPECT_EQ(to_valid_utf8("\xff"), lost);
    EXPECT_EQ(to_valid_utf8("a\xc3"), "a" + lost) << "cut off within a character";
    EXPECT_EQ(to_valid_utf8("\xe6\x9d"
                            "b"),
              lost + lost + "b");
    EXPECT_EQ(to_valid_utf8("\xc0\xaf"), lost + lost) << "longer than need be";
    EXPECT_EQ(to_valid_utf8("\xed\xa0\x80"), lost + lost + lost) << "half of a pair";
    EXPECT_EQ(to_valid_utf8("\xf4\x90\x80\x80"), lost + lost + lost + lost) << "past the last character";
    EXPECT_EQ(to_valid_utf8("\x80ok\xc3\xa9"), lost + "oké");
}

TEST(ToValidUtf8, ReplacesWhatNoColumnTakes) {
    EXPECT_EQ(to_valid_utf8(std::string("a\0b", 3)), "a" + std::string(kLost) + "b");
}

TEST(Excerpt, CutsBetweenCodePoints) {
    EXPECT_EQ(excerpt("short", 5), "short");
    EXPECT_EQ(excerpt("longer", 5), "longe\u2026");
    EXPECT_EQ(excerpt("ab\u00e9", 3), "ab\u2026") << "not within one";
    EXPECT_EQ(excerpt("\U0001f600", 3), "\u2026");
    EXPECT_EQ(excerpt("", 0), "");
}

}  // namespace
}  // namespace workforce::core
