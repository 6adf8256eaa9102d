// Organizations and users.
#include "commands/organization.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using commands::CreateOrganization;
using commands::CreateUser;

CreateUser user(events::Role role, std::vector<Id> facilities = {}) {
    CreateUser command;
    command.email = core::Email("kay@example.test");
    command.firstName = core::Name("Kay");
    command.lastName = core::Name("Low");
    command.role = role;
    command.facilityIds = std::move(facilities);
    return command;
}

TEST(CreateOrganization, Once) {
    Given given;
    CreateOrganization command;
    command.name = "Harbour Care";
    EXPECT_EQ(given.when(command).summary(), "organization.created");
    auto const organization = given.after(command);
    EXPECT_EQ(organization.id, Given::kOrganization);
    EXPECT_TRUE(organization.isActive);
    EXPECT_EQ(organization.settings.approvalTtlHours.value, 72);
    EXPECT_EQ(organization.settings.overtimeMultiplier.hundredths, 150);
    EXPECT_EQ(given.when(command).summary(), "DUPLICATE_RESOURCE");
}

TEST(CreateUser, RolesHaveTheirPlaces) {
    struct {
        events::OrganizationType organization;
        events::Role role;
        std::vector<Id> facilities;
        std::string summary;
    } const cases[] = {
        {events::OrganizationType::internal, events::Role::super_admin, {}, "user.created"},
        {events::OrganizationType::customer, events::Role::super_admin, {}, "VALIDATION_ERROR"},
        {events::OrganizationType::customer, events::Role::admin, {}, "user.created"},
        {events::OrganizationType::customer, events::Role::facility_admin, {}, "VALIDATION_ERROR"},
        {events::OrganizationType::customer, events::Role::facility_admin, {1}, "user.created"},
        {events::OrganizationType::customer, events::Role::viewer, {1, 9}, "FACILITY_SCOPE_VIOLATION"},
    };
    for (auto const& c : cases) {
        Given given;
        given.organization(c.organization).facility(1);
        EXPECT_EQ(given.when(user(c.role, c.facilities)).summary(), c.summary) << core::enum_name(c.role);
    }
}

TEST(CreateUser, TheUserNameIsTheAddressUnlessNamed) {
    Given given;
    given.organization();
    auto command = user(events::Role::admin);
    auto const made = given.after(command);
    EXPECT_EQ(made.id, 101);
    EXPECT_EQ(made.username.value.value, "kay@example.test");
    EXPECT_EQ(made.status, events::UserStatus::active);
}

TEST(CreateUser, SignInNamesAreOnThePlatformOnce) {
    auto command = user(events::Role::admin);
    command.username = core::ShortText("Kay");
    for (auto const* name : {"kay@example.test", "kay"}) {
        Given given;
        EXPECT_EQ(given.organization().taken(name).when(command).summary(), "DUPLICATE_RESOURCE") << name;
    }
    Given given;
    given.organization().taken("low@example.test");
    EXPECT_EQ(given.when(command).summary(), "user.created");
    command.role = events::Role::super_admin;
    EXPECT_EQ(given.taken("kay").when(command).summary(), "VALIDATION_ERROR") << "nothing is asked for in vain";
}

constexpr Id kAda = 31, kBen = 32;

/// Two users of an organization, both of that role.
Given with_users(events::OrganizationType type, events::Role role) {
    Given given;
    given.organization(type);
    for (Id const id : {kAda, kBen}) {
        auto details = user(role);
        details.email = core::Email("user" + std::to_string(id) + "@example.test");
        given.event({events::Kind::user, id}, events::UserEvent(events::UserCreated{details}));
    }
    return given;
}

TEST(DeactivateUser, AndBackOnceEach) {
    auto given = with_users(events::OrganizationType::customer, events::Role::admin);
    EXPECT_EQ(given.when(commands::DeactivateUser{99}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(commands::ReactivateUser{99}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(commands::ReactivateUser{kAda}).summary(), "nothing");
    EXPECT_EQ(given.when(commands::DeactivateUser{kAda}).summary(), "user.deactivated");
    EXPECT_EQ(given.after(commands::DeactivateUser{kAda}).status, events::UserStatus::deactivated);
    EXPECT_EQ(given.when(commands::DeactivateUser{kAda}).summary(), "nothing");
    EXPECT_EQ(given.when(commands::ReactivateUser{kAda}).summary(), "user.reactivated");
    EXPECT_EQ(given.after(commands::ReactivateUser{kAda}).status, events::UserStatus::active);
    EXPECT_EQ(given.view().get<events::User>(kBen)->status, events::UserStatus::active);
}

TEST(DeactivateUser, NotTheLastSuperAdmin) {
    auto given = with_users(events::OrganizationType::internal, events::Role::super_admin);
    given.after(commands::DeactivateUser{kAda});
    EXPECT_EQ(given.when(commands::DeactivateUser{kBen}).summary(), "LAST_SUPER_ADMIN");
    given.after(commands::ReactivateUser{kAda});
    EXPECT_EQ(given.when(commands::DeactivateUser{kBen}).summary(), "user.deactivated");
}

TEST(ReactivateUser, NobodyWhoWasErased) {
    auto given = with_users(events::OrganizationType::customer, events::Role::admin);
    given.event({events::Kind::user, kAda}, events::UserEvent(events::UserErased{}));
    EXPECT_EQ(given.when(commands::ReactivateUser{kAda}).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(commands::DeactivateUser{kAda}).summary(), "nothing");
}

TEST(DeactivateOrganization, AndBackOnceEach) {
    Given given;
    EXPECT_EQ(given.when(commands::DeactivateOrganization{}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(commands::ReactivateOrganization{}).summary(), "NOT_FOUND");
    given.organization();
    EXPECT_EQ(given.when(commands::ReactivateOrganization{}).summary(), "nothing");
    EXPECT_EQ(given.when(commands::DeactivateOrganization{}).summary(), "organization.deactivated");
    EXPECT_FALSE(given.after(commands::DeactivateOrganization{}).isActive);
    EXPECT_EQ(given.when(commands::DeactivateOrganization{}).summary(), "nothing");
    EXPECT_TRUE(given.after(commands::ReactivateOrganization{}).isActive);
}

TEST(DeactivateOrganization, NotTheOneThatRunsTheInstallation) {
    Given given;
    given.organization(events::OrganizationType::internal);
    EXPECT_EQ(given.when(commands::DeactivateOrganization{}).summary(), "LAST_SUPER_ADMIN");
}

}  // namespace
}  // namespace workforce::tests
