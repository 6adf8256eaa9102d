// Patterns of texts.
#include "core/glob.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace workforce::core {
namespace {

struct GlobCase {
    char const* pattern;
    char const* text;
    bool matches;
};

TEST(Glob, MatchesTheWholeText) {
    std::vector<GlobCase> const cases{
        {"shifts_*", "shifts_create", true},
        {"shifts_*", "shifts_", true},
        {"shifts_*", "shift_create", false},
        {"shifts_create", "shifts_create", true},
        {"shifts_create", "shifts_create2", false},
        {"shifts_create", "shifts_creat", false},
        {"*", "", true},
        {"", "", true},
        {"", "a", false},
        {"?", "", false},
        {"?", "ab", false},
        {"*_?et", "staff_get", true},
        {"*_get*_get", "a_get_get", true},
        {"*_get*_get", "a_get", false},
        {"a*b*c", "axxbxxbxc", true},
        {"a*b*c", "axxbxxbx", false},
        {"**", "anything", true},
        {"?", "\xC3\xA9", true},  // one character of two bytes
        {"??", "\xC3\xA9", false},
        {"*\xA9", "\xC3\xA9", false},  // no part of a character
        {"[a]", "a", false},           // no other sign means anything
        {"[a]", "[a]", true},
        {"A", "a", false},
    };
    for (auto const& each : cases) {
        EXPECT_EQ(matches_glob(each.pattern, each.text), each.matches) << each.pattern << " on " << each.text;
    }
}

TEST(Glob, TellsWhereItsStepsDoNotSuffice) {
    std::size_t steps = 10;
    EXPECT_EQ(matches_glob("a*", "abc", steps), true);
    EXPECT_EQ(steps, 6U);
    EXPECT_EQ(matches_glob("*x", "0123456789", steps), std::nullopt);
    EXPECT_EQ(steps, 0U);
}

TEST(Glob, TakesNoLongerForManyStars) {
    std::string pattern;
    for (int i = 0; i < 100; ++i) pattern += "a*";
    EXPECT_FALSE(matches_glob(pattern + "b", std::string(20'000, 'a')));
    EXPECT_TRUE(matches_glob(pattern, std::string(20'000, 'a')));
}

}  // namespace
}  // namespace workforce::core
