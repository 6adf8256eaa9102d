// What is suggested for a mistyped name.
#include "core/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace workforce::tests {
namespace {

constexpr std::array<std::string_view, 5> kNames{"serve", "seed", "status", "restore", "rebuild"};

TEST(NearestTest, SuggestsWhatIsNearAndNothingElse) {
    EXPECT_EQ(core::suggest("srve", kNames), "; did you mean serve?");
    EXPECT_EQ(core::suggest("sttaus", kNames), "; did you mean status?");
    EXPECT_EQ(core::suggest("seve", kNames), "; did you mean serve?");
    EXPECT_EQ(core::suggest("reb", kNames), "; did you mean rebuild?") << "a beginning is near";
    EXPECT_EQ(core::suggest("frobnicate", kNames), "");
    EXPECT_EQ(core::suggest("", kNames), "");
}

TEST(NearestTest, TheNearestAreShown) {
    constexpr std::array<std::string_view, 4> kTypes{"shift.cancelled", "shift.filled", "shift.fillet", "shift.filmed"};
    EXPECT_EQ(core::suggest("shift.filled", kTypes), "; did you mean shift.filled?");
    EXPECT_EQ(core::suggest("shift.filed", kTypes), "; did you mean shift.filled or shift.filmed?");
}

}  // namespace
}  // namespace workforce::tests
