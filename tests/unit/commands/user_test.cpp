// Users.
#include "commands/user.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using commands::CreateUser;
using commands::UpdateUser;

CreateUser user(events::Role role, std::vector<Id> facilities = {}) {
    CreateUser command;
    command.email = core::Email("kay@example.test");
    command.firstName = core::Name("Kay");
    command.lastName = core::Name("Low");
    command.role = role;
    command.facilityIds = std::move(facilities);
    return command;
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
        given.context.actor = {};
        EXPECT_EQ(given.when(user(c.role, c.facilities)).summary(), c.summary) << core::enum_name(c.role);
    }
}

TEST(CreateUser, TheUserNameIsTheAddressUnlessNamed) {
    Given given;
    given.context.actor = {};
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
    given.context.actor = {};
    command.role = events::Role::super_admin;
    EXPECT_EQ(given.taken("kay").when(command).summary(), "VALIDATION_ERROR") << "nothing is asked for in vain";
}

constexpr Id kAda = 31, kBen = 32;

/// Two users of an organization, both of that role.
Given with_users(events::OrganizationType type, events::Role role) {
    Given given;
    given.context.actor = {};
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

TEST(CreateUser, WhomPeopleMakeIsInvited) {
    auto given = with_users(events::OrganizationType::customer, events::Role::admin);
    EXPECT_EQ(given.after(user(events::Role::viewer)).status, events::UserStatus::active) << "the system's";
    given.context.actor = {events::ActorType::user, kAda, kAda};
    EXPECT_EQ(given.after(user(events::Role::viewer)).status, events::UserStatus::invited);
    given.context.sandbox = true;
    EXPECT_EQ(given.when(user(events::Role::viewer)).summary(), "FORBIDDEN");
}

/// An admin, a facility_admin of facility 1 and a super_admin in one internal organization, as the callers.
struct Ranks : testing::Test {
    static constexpr Id kAdmin = 41, kFacilityAdmin = 42, kSuper = 43, kViewer = 44;
    Given given;

    Ranks() {
        given.organization(events::OrganizationType::internal).facility(1).facility(2).staff(481);
        add(kAdmin, events::Role::admin);
        add(kFacilityAdmin, events::Role::facility_admin, {1});
        add(kSuper, events::Role::super_admin);
        add(kViewer, events::Role::viewer, {1});
        as(kAdmin);
    }
    void add(Id id, events::Role role, std::vector<Id> facilities = {}) {
        auto details = user(role, std::move(facilities));
        details.email = core::Email("user" + std::to_string(id) + "@example.test");
        given.event({events::Kind::user, id}, events::UserEvent(events::UserCreated{details}));
    }
    void as(Id id, std::vector<Id> facilities = {}) {
        given.context.actor = {events::ActorType::user, id, id};
        given.context.facilities = std::move(facilities);
    }
    std::string to_role(Id id, events::Role role) {
        UpdateUser command;
        command.id = id;
        command.role = role;
        return given.when(command).summary();
    }
    std::string to_facilities(Id id, std::vector<Id> facilities) {
        UpdateUser command;
        command.id = id;
        command.facilityIds = std::move(facilities);
        return given.when(command).summary();
    }
};

TEST_F(Ranks, NobodyGrantsOrTakesARoleAboveTheirOwn) {
    EXPECT_EQ(to_role(kViewer, events::Role::admin), "user.updated");
    EXPECT_EQ(to_role(kViewer, events::Role::super_admin), "FORBIDDEN");
    EXPECT_EQ(to_role(kSuper, events::Role::viewer), "FORBIDDEN");
    EXPECT_EQ(given.when(commands::DeactivateUser{kSuper}).summary(), "FORBIDDEN");
    EXPECT_EQ(given.when(user(events::Role::super_admin)).summary(), "FORBIDDEN");
    as(kFacilityAdmin, {1});
    EXPECT_EQ(to_role(kViewer, events::Role::admin), "FORBIDDEN");
    EXPECT_EQ(to_role(kViewer, events::Role::scheduler), "user.updated");
    EXPECT_EQ(to_role(kViewer, events::Role::facility_admin), "user.updated");
    as(kSuper);
    EXPECT_EQ(to_role(kViewer, events::Role::super_admin), "user.updated");
}

TEST_F(Ranks, OnlySuperAdminsTakeASecondFactorAway) {
    given.event({events::Kind::user, kViewer}, events::UserEvent(events::UserMfaEnabled{}));
    EXPECT_EQ(given.when(commands::ResetUserMfa{kViewer}).summary(), "FORBIDDEN");
    as(kSuper);
    EXPECT_EQ(given.when(commands::ResetUserMfa{kViewer}).summary(), "user.mfa_reset");
    EXPECT_EQ(given.when(commands::ResetUserMfa{kFacilityAdmin}).summary(), "nothing") << "there is none";
    EXPECT_EQ(given.when(commands::ResetUserMfa{kSuper}).summary(), "FORBIDDEN") << "one's own";
}

TEST_F(Ranks, AKeyGrantsWhatItsUserCould) {
    given.context.actor = {events::ActorType::api_key, 55, kViewer};
    EXPECT_EQ(to_role(kViewer, events::Role::admin), "FORBIDDEN");
    given.context.actor = {events::ActorType::api_key, 55, 0};
    EXPECT_EQ(to_role(kViewer, events::Role::admin), "user.updated");
    EXPECT_EQ(to_role(kViewer, events::Role::super_admin), "FORBIDDEN");
}

TEST_F(Ranks, WhoMayDeactivateMayUndoIt) {
    add(45, events::Role::super_admin);  // who stays
    as(45);
    for (Id const id : {kSuper, kViewer}) given.after(commands::DeactivateUser{id});
    as(kAdmin);
    EXPECT_EQ(given.when(commands::ReactivateUser{kSuper}).summary(), "FORBIDDEN");
    EXPECT_EQ(given.when(commands::ReactivateUser{kViewer}).summary(), "user.reactivated");
    as(kFacilityAdmin, {2});
    EXPECT_EQ(given.when(commands::ReactivateUser{kViewer}).summary(), "NOT_FOUND") << "of another facility";
    as(kFacilityAdmin, {1});
    EXPECT_EQ(given.when(commands::ReactivateUser{kViewer}).summary(), "user.reactivated");
}

TEST_F(Ranks, IsActiveStandsForTheCommands) {
    UpdateUser command;
    command.id = kViewer;
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.isActive = false;
    command.role = events::Role::scheduler;
    EXPECT_EQ(given.when(command).summary(), "user.updated user.deactivated");
    EXPECT_EQ(given.after(command).status, events::UserStatus::deactivated);
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "user.reactivated");
    command.id = kSuper;
    command.isActive = false;
    EXPECT_EQ(given.when(command).summary(), "FORBIDDEN");
    as(kSuper);
    command.role.reset();
    EXPECT_EQ(given.when(command).summary(), "LAST_SUPER_ADMIN");
}

TEST_F(Ranks, AnOperatorsOwnRoleCountsElsewhereToo) {
    auto customers = with_users(events::OrganizationType::customer, events::Role::admin);
    UpdateUser command;
    command.id = kAda;
    command.role = events::Role::viewer;
    struct {
        events::Role role;
        std::string_view of_admin, of_viewer;
    } const cases[] = {{events::Role::super_admin, "user.updated", "user.created"},
                       {events::Role::admin, "user.updated", "user.created"},
                       {events::Role::manager, "FORBIDDEN", "user.created"}};
    for (auto const& c : cases) {
        for (auto const type : {events::ActorType::user, events::ActorType::api_key}) {
            customers.context.actor = {type, 3, 3};
            customers.context.role = c.role;
            EXPECT_EQ(customers.when(command).summary(), c.of_admin);
            EXPECT_EQ(customers.when(commands::DeactivateUser{kAda}).summary() == "FORBIDDEN",
                      c.of_admin == "FORBIDDEN");
            EXPECT_EQ(customers.when(user(events::Role::viewer)).summary(), c.of_viewer);
            EXPECT_EQ(customers.when(user(events::Role::admin)).summary() == "FORBIDDEN", c.of_admin == "FORBIDDEN");
        }
    }
}

TEST_F(Ranks, TheLastSuperAdminStaysOne) {
    as(kSuper);
    EXPECT_EQ(to_role(kSuper, events::Role::admin), "LAST_SUPER_ADMIN");
    EXPECT_EQ(to_role(kSuper, events::Role::super_admin), "nothing");
    add(45, events::Role::super_admin);
    EXPECT_EQ(to_role(kSuper, events::Role::admin), "user.updated");
}

TEST_F(Ranks, WhomFacilitiesBindReachesNoFurther) {
    as(kFacilityAdmin, {1});
    EXPECT_EQ(to_role(kAdmin, events::Role::viewer), "NOT_FOUND") << "of no facility";
    EXPECT_EQ(to_facilities(kViewer, {1, 2}), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(to_facilities(kViewer, {}), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(user(events::Role::viewer)).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(user(events::Role::viewer, {1})).summary(), "user.created");
    add(46, events::Role::viewer, {1, 2});
    EXPECT_EQ(to_role(46, events::Role::staff), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(commands::DeactivateUser{46}).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(commands::DeactivateUser{kViewer}).summary(), "user.deactivated");
    as(kAdmin);
    EXPECT_EQ(to_facilities(kFacilityAdmin, {}), "VALIDATION_ERROR");
    EXPECT_EQ(to_facilities(kViewer, {9}), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(to_facilities(kViewer, {}), "user.updated");
}

TEST_F(Ranks, NamesToSignInWith) {
    UpdateUser command;
    command.id = kViewer;
    command.email = core::Email("new@example.test");
    auto const after = given.after(command);
    EXPECT_EQ(after.email.value.value, "new@example.test");
    EXPECT_EQ(after.username.value.value, "new@example.test") << "who had no other name signs in by the new address";
    command.username = core::ShortText("Kay");
    EXPECT_EQ(given.after(command).username.value.value, "Kay");
    command.email = core::Email("newer@example.test");
    command.username.reset();
    EXPECT_EQ(given.after(command).username.value.value, "Kay");
    command.username = core::ShortText("");
    EXPECT_EQ(given.after(command).username.value.value, "newer@example.test");
    command.email = core::Email("taken@example.test");
    EXPECT_EQ(given.taken("taken@example.test").when(command).summary(), "DUPLICATE_RESOURCE");
}

TEST_F(Ranks, AStaffMemberOfTheOrganization) {
    UpdateUser command;
    command.id = kViewer;
    command.staffId = core::Nullable<Id>(Id{481});
    EXPECT_EQ(given.when(command).summary(), "user.updated");
    command.staffId = core::Nullable<Id>(Id{482});
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    command.staffId = core::Nullable<Id>();
    EXPECT_EQ(given.when(command).summary(), "nothing");
}

TEST_F(Ranks, NobodyLinksAUserToWhomTheyDoNotSee) {
    given.staff(483, {2}).staff(484, {1, 2});
    auto const linked = [&](Id staff) {
        UpdateUser command;
        command.id = kViewer;
        command.staffId = core::Nullable<Id>(staff);
        auto made = user(events::Role::staff, {1});
        made.staffId = core::Nullable<Id>(staff);
        return given.when(command).summary() + ", " + given.when(made).summary();
    };
    EXPECT_EQ(linked(483), "user.updated, user.created");
    as(kFacilityAdmin, {1});
    EXPECT_EQ(linked(483), "VALIDATION_ERROR, VALIDATION_ERROR") << "of another facility";
    EXPECT_EQ(linked(484), "user.updated, user.created");
    EXPECT_EQ(linked(481), "user.updated, user.created") << "of none";
    events::UserUpdated moved;
    moved.staffId = core::Nullable<Id>(483);
    given.event({events::Kind::user, kViewer}, events::UserEvent(moved));
    EXPECT_EQ(to_role(kViewer, events::Role::scheduler), "user.updated") << "a link that is there stays";
}

TEST_F(Ranks, NobodyWhoWasErasedChanges) {
    given.event({events::Kind::user, kViewer}, events::UserEvent(events::UserErased{}));
    EXPECT_EQ(to_role(kViewer, events::Role::staff), "INVALID_STATE_TRANSITION");
}

}  // namespace
}  // namespace workforce::tests
