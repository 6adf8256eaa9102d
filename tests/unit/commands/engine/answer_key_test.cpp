#include "commands/engine/answer_key.hpp"

#include <gtest/gtest.h>

#include "events/envelope.hpp"

namespace workforce::tests {
namespace {

using commands::answer_key;
using commands::AnswerKeyUse;

core::Timestamp moment_of(std::string const& text) { return core::parse_timestamp(text).value(); }

TEST(AnswerKey, IsAnotherOneAfterSoManyDays) {
    AnswerKeyUse const use{.days = 10};
    auto const first = answer_key(7, moment_of("2026-11-23T12:00:00Z"), 5, use);
    auto const last_day = first.substr(std::string("organization/7/").size(), 10);
    EXPECT_EQ(first, "organization/7/" + last_day + ".0");
    auto const end = moment_of(last_day + "T23:59:59.999Z");
    EXPECT_LE(moment_of("2026-11-23T12:00:00Z").ms, end.ms);
    EXPECT_LT(end.ms - moment_of("2026-11-23T12:00:00Z").ms, 10 * 86'400'000LL);
    EXPECT_EQ(answer_key(7, end, 5, use), first);
    EXPECT_NE(answer_key(7, {end.ms + 1}, 5, use), first);
    EXPECT_EQ(answer_key(7, {end.ms + 1}, 5, use), answer_key(7, {end.ms + 10 * 86'400'000LL}, 5, use));
}

TEST(AnswerKey, IsAnotherOneAfterSoManyEvents) {
    AnswerKeyUse const use{.days = 10, .events = 4};
    auto const now = moment_of("2026-11-23T12:00:00Z");
    auto const first = answer_key(7, now, -1, use);
    EXPECT_EQ(answer_key(7, now, 3, use), first);
    auto const second = answer_key(7, now, 4, use);
    EXPECT_NE(second, first);
    EXPECT_EQ(answer_key(7, now, 7, use), second);
    EXPECT_NE(answer_key(7, now, 8, use), second);
}

TEST(AnswerKey, StaysFarBelowWhatOneKeyMaySeal) { EXPECT_LE(AnswerKeyUse{}.events * 16, std::int64_t{1} << 32); }

TEST(AnswerKey, IsOfItsOrganizationAndNoPersons) {
    auto const now = moment_of("2026-11-23T12:00:00Z");
    EXPECT_NE(answer_key(7, now, 0, {}), answer_key(70, now, 0, {}));
    EXPECT_FALSE(events::parse_aggregate(answer_key(7, now, 0, {})));
}

}  // namespace
}  // namespace workforce::tests
