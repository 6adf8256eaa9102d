// Erasure: who leaves which shifts, whose keys end, and what is left of them.
#include "commands/erasure.hpp"

#include <gtest/gtest.h>

#include "commands/organization.hpp"
#include "commands/user.hpp"
#include "events/api_key.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::commands {
namespace {

using tests::Given;

ErasePerson erase_staff(Id id) { return {{"asked for", "ops"}, {events::Kind::staff, id}}; }
ErasePerson erase_user(Id id) { return {{"asked for", "ops"}, {events::Kind::user, id}}; }

TEST(ErasePerson, StaffLeavesShiftsAheadAndIsRecordedOnce) {
    Given given;
    given.organization().facility(1).staff(11).staff(12);
    given.shift(20, 1, "2026-07-20", "08:00", "16:00", 1, {11});
    given.shift(21, 1, "2026-07-25", "08:00", "16:00", 1, {11});
    given.shift(22, 1, "2026-07-26", "08:00", "16:00", 3, {11, 12});
    given.shift(23, 1, "2026-07-24", "08:00", "16:00", 1, {11}).on_shift(23, events::ShiftStarted{});
    EXPECT_EQ(given.when(erase_staff(99)).summary(), "NOT_FOUND");
    auto const outcome = given.when(erase_staff(11));
    EXPECT_EQ(outcome.summary(), "shift.unassigned shift.vacancy_opened shift.unassigned staff.erased");
    EXPECT_EQ(outcome.event<events::StaffErased>().reason.value, "asked for");
    EXPECT_EQ(outcome.event<events::StaffErased>().requestedBy.value, "ops");
    auto const done = given.after(erase_staff(11));
    EXPECT_EQ(done.person, "staff/11");
    EXPECT_TRUE(done.recorded);
    EXPECT_EQ(given.view().get<events::ShiftRecord>(22)->shift.assignedStaffIds, std::vector<Id>{12});
    EXPECT_EQ(given.view().get<events::ShiftRecord>(20)->shift.assignedStaffIds, std::vector<Id>{11})
        << "what was worked stays";
    auto const& staff = *given.view().get<events::StaffRecord>(11);
    EXPECT_FALSE(staff.isActive);
    EXPECT_EQ(staff.email.value.value + staff.firstName.value.value + staff.lastName.value.value, "");
    EXPECT_TRUE(staff.email.erased);
    EXPECT_FALSE(given.view().first_by<events::StaffByEmail>(std::string("staff11@example.test")))
        << "the address is free";
    EXPECT_TRUE(given.view().first_by<events::StaffByEmail>(std::string("staff12@example.test")));
    EXPECT_TRUE(given.state.erased({events::Kind::staff, 11}));
    EXPECT_FALSE(given.state.erased({events::Kind::staff, 12}));
    EXPECT_EQ(given.when(erase_staff(11)).summary(), "nothing");
    EXPECT_FALSE(given.after(erase_staff(11)).recorded);
}

TEST(ErasePerson, StaffIsOfLiveOrOfSandbox) {
    Given given;
    given.organization().staff(11);
    given.context.sandbox = true;
    EXPECT_EQ(given.when(erase_staff(11)).summary(), "NOT_FOUND");
}

TEST(ErasePerson, StaffIsRecordedThoughTheKeyIsGone) {
    Given given;
    given.organization();
    events::StaffOnboarded onboarded;
    onboarded.email.erased = true;
    given.event({events::Kind::staff, 11}, events::StaffEvent(std::move(onboarded)));
    EXPECT_EQ(given.when(erase_staff(11)).summary(), "staff.erased");
}

TEST(ErasePerson, UserEndsTheirKeys) {
    Given given;
    given.organization();
    for (Id const id : {31, 32}) {
        events::UserCreated created;
        created.email = core::Email("user" + std::to_string(id) + "@example.test");
        created.firstName = core::Name("Ada");
        given.event({events::Kind::user, id}, events::UserEvent(std::move(created)));
    }
    Id key = 50;
    for (std::optional<Id> const user : std::vector<std::optional<Id>>{31, 32, std::nullopt, 31, 31}) {
        events::ApiKeyCreated created;
        created.userId.value = user;
        given.event({events::Kind::api_key, key++}, events::ApiKeyEvent(std::move(created)));
    }
    given.event({events::Kind::api_key, 54}, events::ApiKeyEvent(events::ApiKeyRevoked{}));
    EXPECT_EQ(given.when(erase_user(99)).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(erase_user(31)).summary(), "api_key.revoked api_key.revoked user.erased");
    EXPECT_EQ(given.after(erase_user(31)).person, "user/31");
    EXPECT_EQ(given.view().get<events::ApiKey>(50)->status, events::ApiKeyStatus::revoked);
    EXPECT_EQ(given.view().get<events::ApiKey>(51)->status, events::ApiKeyStatus::active);
    EXPECT_EQ(given.view().get<events::ApiKey>(53)->status, events::ApiKeyStatus::revoked);
    EXPECT_EQ(given.view().get<events::User>(31)->status, events::UserStatus::deactivated);
    EXPECT_EQ(given.view().get<events::User>(31)->username.value.value, "");
    EXPECT_EQ(given.view().get<events::User>(32)->firstName.value.value, "Ada");
    EXPECT_EQ(given.when(erase_user(31)).summary(), "nothing");
}

TEST(ErasePerson, NotTheLastSuperAdmin) {
    Given given;
    given.organization(events::OrganizationType::internal);
    auto const add = [&](Id id) {
        events::UserCreated created;
        created.role = events::Role::super_admin;
        created.email = core::Email("user" + std::to_string(id) + "@example.test");
        given.event({events::Kind::user, id}, events::UserEvent(std::move(created)));
    };
    add(31);
    EXPECT_EQ(given.when(erase_user(31)).summary(), "LAST_SUPER_ADMIN");
    add(32);
    EXPECT_EQ(given.when(erase_user(31)).summary(), "user.erased");
    given.after(erase_user(31));
    EXPECT_EQ(given.when(erase_user(31)).summary(), "nothing");
    EXPECT_EQ(given.when(erase_user(32)).summary(), "LAST_SUPER_ADMIN") << "who was erased is none any more";
}

TEST(ErasePerson, TheLastSuperAdminIsRecordedThoughTheKeyIsGone) {
    Given given;
    given.organization(events::OrganizationType::internal);
    events::UserCreated created;
    created.role = events::Role::super_admin;
    created.email.erased = true;
    given.event({events::Kind::user, 31}, events::UserEvent(std::move(created)));
    EXPECT_EQ(given.when(erase_user(31)).summary(), "user.erased");
}

}  // namespace
}  // namespace workforce::commands
