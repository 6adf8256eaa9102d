// Organizations, users and API keys.
#include "commands/organization.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using commands::CreateApiKey;
using commands::CreateOrganization;
using commands::CreateUser;
using commands::RevokeApiKey;

CreateUser user(events::Role role, std::vector<Id> facilities = {}) {
    CreateUser command;
    command.email = core::Email("kay@example.test");
    command.firstName = core::Name("Kay");
    command.lastName = core::Name("Low");
    command.role = role;
    command.facilityIds = std::move(facilities);
    return command;
}

CreateApiKey key(std::vector<core::ShortText> scopes) {
    CreateApiKey command;
    command.name = "Nightly export";
    command.scopes = std::move(scopes);
    command.prefix = "svc_live_";
    command.last4 = "x9Zq";
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

TEST(CreateApiKey, TakesScopesOfTheCatalogue) {
    Given given;
    given.organization().facility(1);
    for (auto const* scope : {"staff:read", "crm:*", "scheduling:write", "ai:approve_actions"}) {
        EXPECT_EQ(given.when(key({scope})).summary(), "api_key.created") << scope;
    }
    for (auto const* scope : {"*", "*:*", "staff:fire", "pets:*", "", "staff"}) {
        auto const refused = given.when(key({"staff:read", scope}));
        EXPECT_EQ(refused.summary(), "VALIDATION_ERROR") << scope;
        EXPECT_NE(refused.details().find(R"("field":"scopes[1]")"), std::string::npos);
    }
    EXPECT_EQ(given.when(key({})).summary(), "VALIDATION_ERROR");
}

TEST(CreateApiKey, BindsToWhatIsThere) {
    Given given;
    given.organization().facility(1);
    auto command = key({"staff:read"});
    command.facilityId = 9;
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
    command.facilityId = 1;
    command.userId = 9;
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    given.after(user(events::Role::admin));
    command.userId = 101;
    auto const outcome = given.when(command);
    ASSERT_EQ(outcome.summary(), "api_key.created");
    EXPECT_EQ(outcome.result->events[0].facility, 1);
    auto const made = given.after(command);
    EXPECT_EQ(made.createdBy, 3);
    EXPECT_EQ(made.last4, "x9Zq");
}

TEST(CreateApiKey, OnlyKeysOfTheInternalOrganizationReachAll) {
    auto command = key({"staff:read"});
    command.acrossOrganizations = true;
    using enum events::OrganizationType;
    for (auto const type : {internal, customer}) {
        Given given;
        given.organization(type).facility(1);
        command.facilityId = {};
        EXPECT_EQ(given.when(command).summary(), type == internal ? "api_key.created" : "VALIDATION_ERROR");
        command.facilityId = 1;
        EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR") << "bound to a facility";
    }
}

TEST(CreateApiKey, ASandboxKeyNeedsAFacility) {
    Given given;
    given.organization().facility(1);
    auto command = key({"staff:read"});
    command.type = events::ApiKeyType::test;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    command.scopes.emplace_back("pets:*");
    auto const details = given.when(command).details();
    EXPECT_NE(details.find(R"("field":"scopes[1]")"), std::string::npos) << details;
    EXPECT_NE(details.find(R"("field":"facilityId")"), std::string::npos) << details;
    command.scopes.pop_back();
    command.facilityId = 1;
    EXPECT_EQ(given.when(command).summary(), "api_key.created");
}

TEST(RevokeApiKey, ForGood) {
    Given given;
    given.organization();
    EXPECT_EQ(given.when(RevokeApiKey{101}).summary(), "NOT_FOUND");
    given.after(key({"staff:read"}));
    EXPECT_EQ(given.when(RevokeApiKey{101}).summary(), "api_key.revoked");
    auto const told = decide(given.view(), RevokeApiKey{101, core::ShortText("lost")}, given.context);
    auto const& event = events::get<events::ApiKeyEvent>(told->events.at(0).data);
    EXPECT_EQ(std::get<events::ApiKeyRevoked>(event).reason.value->value, "lost");
    auto const revoked = given.after(RevokeApiKey{101});
    EXPECT_EQ(revoked.status, events::ApiKeyStatus::revoked);
    EXPECT_EQ(revoked.revokedAt.value, given.context.now);
    EXPECT_EQ(given.when(RevokeApiKey{101}).summary(), "nothing");
}

}  // namespace
}  // namespace workforce::tests
