// The data of an event of any aggregate: it is copied, moved and replaced as the variant that it holds.
#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "events/event.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"

namespace workforce::tests {
namespace {

using events::AnyEvent;
using events::Kind;

/// Longer than what a text keeps within itself, so that a copy that shared it would be noticed.
std::string const kLongTitle(100, 'n');

AnyEvent posted_night() {
    events::ShiftPosted posted;
    posted.title = kLongTitle;
    return posted;
}
std::string title_of(AnyEvent const& event) { return events::get<events::ShiftPosted>(event).title.value; }

AnyEvent staff_with(std::string const& specialty) {
    events::StaffOnboarded onboarded;
    onboarded.specialty = specialty;
    return events::StaffEvent(std::move(onboarded));
}
std::string specialty_of(AnyEvent const& event) { return events::get<events::StaffOnboarded>(event).specialty.value; }

TEST(AnyEvent, IsOfTheKindWhoseEventItHolds) {
    auto const shift = posted_night();
    EXPECT_EQ(shift.kind(), Kind::shift);
    EXPECT_TRUE(events::is<events::ShiftPosted>(shift));
    EXPECT_FALSE(events::is<events::ShiftFilled>(shift));
    EXPECT_TRUE(events::is<events::ShiftEvent>(shift));
    EXPECT_FALSE(events::is<events::StaffEvent>(shift));
    EXPECT_FALSE(events::is<events::StaffOnboarded>(shift));
    EXPECT_THROW(std::ignore = events::get<events::StaffOnboarded>(shift), std::bad_variant_access);
}

TEST(AnyEvent, ACopyIsItsOwn) {
    auto event = posted_night();
    auto const copy = event;
    event = staff_with("nurse");
    EXPECT_EQ(title_of(copy), kLongTitle);
    EXPECT_EQ(event.kind(), Kind::staff);
    EXPECT_EQ(specialty_of(event), "nurse");
}

TEST(AnyEvent, MovesBetweenKinds) {
    auto event = staff_with("nurse");
    auto other = posted_night();
    std::swap(event, other);
    EXPECT_EQ(title_of(event), kLongTitle);
    EXPECT_EQ(specialty_of(other), "nurse");
}

TEST(AnyEvent, MayBeAssignedToItself) {
    auto event = posted_night();
    auto& same = event;
    event = same;
    EXPECT_EQ(title_of(event), kLongTitle);
    event = std::move(same);
    EXPECT_EQ(title_of(event), kLongTitle);
}

TEST(AnyEvent, MovesWithTheVectorThatHoldsIt) {
    std::vector<AnyEvent> events;
    for (int i = 0; i < 100; ++i) events.push_back(i % 2 == 0 ? posted_night() : staff_with(std::to_string(i)));
    events.erase(events.begin());
    ASSERT_EQ(events.size(), 99U);
    EXPECT_EQ(specialty_of(events.at(0)), "1");
    EXPECT_EQ(title_of(events.at(97)), kLongTitle);
    EXPECT_EQ(specialty_of(events.at(98)), "99");
}

}  // namespace
}  // namespace workforce::tests
