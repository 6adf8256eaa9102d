// API keys and their secrets.
#include "commands/api_key.hpp"

#include <gtest/gtest.h>

#include "commands/organization.hpp"
#include "commands/user.hpp"
#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using commands::CreateApiKey;
using commands::RevokeApiKey;

commands::CreateUser user() {
    commands::CreateUser command;
    command.email = core::Email("kay@example.test");
    command.firstName = core::Name("Kay");
    command.lastName = core::Name("Low");
    command.role = events::Role::admin;
    return command;
}

CreateApiKey key(std::vector<core::ShortText> scopes) {
    CreateApiKey command;
    command.name = "Nightly export";
    command.scopes = std::move(scopes);
    command.secret_id = "first";
    command.hint = {"svc_live_", "x9Zq"};
    return command;
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
        EXPECT_NE(refused.message().find("scopes[1] names '" + std::string(scope) + "', which is no scope"),
                  std::string::npos)
            << refused.message();
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
    given.after(user());
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
    given.organization().facility(1).facility(2);
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

TEST(CreateApiKey, ASandboxKeyIsOfTheOnlyFacility) {
    Given given;
    given.organization().facility(12);
    auto command = key({"staff:read"});
    command.type = events::ApiKeyType::test;
    EXPECT_EQ(given.after(command).facilityId.value, 12);
}

TEST(CreateApiKey, APersonalTokenIsItsCreators) {
    Given given;
    given.organization();
    auto command = key({"staff:read"});
    command.type = events::ApiKeyType::pat;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR") << "the creator is of another organization";
    given.after(user());
    given.context.actor = {events::ActorType::user, 101, 101};
    given.context.new_ids = {102};
    EXPECT_EQ(given.after(command).userId.value, 101);
    command.userId = 9;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
}

/// An operator of another organization, with that role.
void as_operator(Given& given, events::Role role) {
    given.context.actor = {events::ActorType::user, 3, 3};
    given.context.role = role;
}

TEST(CreateApiKey, AnOperatorBindsItToNobodyAboveThem) {
    Given given;
    given.organization();
    as_operator(given, events::Role::admin);
    given.after(user());  // 101, an admin
    given.context.new_ids = {102};
    auto command = key({"staff:read"});
    EXPECT_EQ(given.when(command).summary(), "api_key.created");
    EXPECT_FALSE(given.when(command).event<events::ApiKeyCreated>().userId.value) << "nobody is named";
    command.userId = 101;
    EXPECT_EQ(given.when(command).summary(), "api_key.created");
    as_operator(given, events::Role::manager);
    EXPECT_EQ(given.when(command).summary(), "FORBIDDEN");
    as_operator(given, events::Role::super_admin);
    given.after(command);
    commands::RotateApiKey rotate;
    rotate.id = 102;
    EXPECT_EQ(given.when(rotate).summary(), "api_key.rotated");
    as_operator(given, events::Role::manager);
    EXPECT_EQ(given.when(rotate).summary(), "FORBIDDEN");
}

TEST(CreateApiKey, APersonalTokenIsOfItsCreatorsOrganization) {
    Given given;
    given.organization();
    as_operator(given, events::Role::super_admin);
    given.after(user());
    auto command = key({"staff:read"});
    command.type = events::ApiKeyType::pat;
    for (auto const& named : {core::Nullable<Id>(), core::Nullable<Id>(Id{3}), core::Nullable<Id>(Id{101})}) {
        command.userId = named;
        EXPECT_NE(given.when(command).details().find(R"("field":"orgUnitId")"), std::string::npos);
    }
}

TEST(CreateApiKey, WhoIsBoundToFacilitiesMakesKeysOfThese) {
    Given given;
    given.organization().facility(1).facility(2).facility(3);
    given.after(key({"staff:read"}));  // of the organization
    given.context.new_ids = {102};
    given.context.facilities = {1, 2};
    auto command = key({"staff:read"});
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    command.facilityId = 3;
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
    command.facilityId = 2;
    EXPECT_EQ(given.after(command).facilityId.value, 2);
    given.context.facilities = {1};
    command.facilityId = {};
    EXPECT_EQ(events::get<events::ApiKeyCreated>(given.when(command).result->events[0].data).facilityId.value, 1);
    commands::UpdateApiKey update;
    commands::RotateApiKey rotate;
    for (Id const id : {101, 102}) {
        update.id = rotate.id = id;
        EXPECT_EQ(given.when(update).summary(), "NOT_FOUND") << id;
        EXPECT_EQ(given.when(rotate).summary(), "NOT_FOUND") << id;
        EXPECT_EQ(given.when(RevokeApiKey{id}).summary(), "NOT_FOUND") << id;
    }
}

TEST(CreateApiKey, EndsInTheFuture) {
    Given given;
    given.organization();
    auto command = key({"staff:read"});
    command.expiresAt = given.context.now;
    EXPECT_NE(given.when(command).details().find(R"("field":"expiresAt")"), std::string::npos);
    command.expiresAt = core::Timestamp{given.context.now.ms + 1};
    EXPECT_EQ(given.when(command).summary(), "api_key.created");
}

TEST(CreateApiKey, AllScopesAreForTheSystem) {
    for (auto const type : {events::OrganizationType::internal, events::OrganizationType::customer}) {
        Given given;
        given.organization(type);
        EXPECT_EQ(given.when(key({"*"})).summary(), "VALIDATION_ERROR");
        given.context.actor = {};
        bool const internal = type == events::OrganizationType::internal;
        EXPECT_EQ(given.when(key({"*"})).summary(), internal ? "api_key.created" : "VALIDATION_ERROR");
    }
}

TEST(CreateApiKey, WhatNobodySaidIsTheDefault) {
    Given given;
    given.organization();
    auto const made = given.after(key({"staff:read"}));
    EXPECT_EQ(made.rateLimitPerMin.value->value, 60);
    EXPECT_TRUE(made.rateLimitIsDefault);
    commands::UpdateApiKey update;
    update.id = 101;
    update.rateLimitPerMin = core::Nullable<core::Int<1, 6000>>(600);
    auto updated = given.after(update);
    EXPECT_EQ(updated.rateLimitPerMin.value->value, 600);
    EXPECT_FALSE(updated.rateLimitIsDefault);
    update.rateLimitPerMin = core::Nullable<core::Int<1, 6000>>();
    updated = given.after(update);
    EXPECT_EQ(updated.rateLimitPerMin.value->value, 60);
    EXPECT_TRUE(updated.rateLimitIsDefault);
}

TEST(CreateApiKey, TheAnswerNamesTheSecret) {
    Given given;
    given.organization();
    auto const made = given.after(key({"staff:read"}));
    EXPECT_EQ(made.key.value, "first") << "the token is put there once the answer leaves";
    ASSERT_EQ(made.secrets.size(), 1U);
    EXPECT_EQ(made.secrets[0].id, "first");
}

TEST(UpdateApiKey, ChangesWhatMayChange) {
    Given given;
    given.organization().facility(1);
    commands::UpdateApiKey update;
    update.id = 101;
    EXPECT_EQ(given.when(update).summary(), "NOT_FOUND");
    given.after(key({"staff:read"}));
    EXPECT_EQ(given.when(update).summary(), "nothing");
    update.name = "Nightly export";
    update.type = events::ApiKeyType::live;
    update.userId = core::Nullable<Id>();
    EXPECT_EQ(given.when(update).summary(), "nothing") << "what it is may be said again";
    update.name = "Weekly export";
    update.scopes = std::vector<core::ShortText>{"crm:read"};
    auto const changed = given.after(update);
    EXPECT_EQ(changed.name.value, "Weekly export");
    EXPECT_EQ(changed.scopes.at(0).value, "crm:read");
    update.scopes = std::vector<core::ShortText>{"*"};
    update.facilityId = core::Nullable<Id>(1);
    update.type = events::ApiKeyType::test;
    auto const details = given.when(update).details();
    for (auto const* field : {"scopes[0]", "facilityId", "type"}) {
        EXPECT_NE(details.find(std::string(R"("field":")") + field), std::string::npos) << field;
    }
    given.after(RevokeApiKey{101});
    commands::UpdateApiKey late;
    late.id = 101;
    late.name = "Late";
    EXPECT_EQ(given.when(late).summary(), "INVALID_STATE_TRANSITION");
}

TEST(UpdateApiKey, TheOrganizationIsFixed) {
    Given given;
    given.organization(events::OrganizationType::internal);
    EXPECT_EQ(given.after(key({"staff:read"})).orgUnitId.value, Given::kOrganization);
    auto across = key({"staff:read"});
    across.acrossOrganizations = true;
    given.context.new_ids = {102};
    EXPECT_FALSE(given.after(across).orgUnitId.value);
    for (Id const id : {101, 102}) {
        commands::UpdateApiKey update;
        update.id = id;
        update.orgUnitId = id == 101 ? core::Nullable<Id>(Given::kOrganization) : core::Nullable<Id>();
        EXPECT_EQ(given.when(update).summary(), "nothing") << "what it is may be said again";
        update.orgUnitId = id == 102 ? core::Nullable<Id>(Given::kOrganization) : core::Nullable<Id>();
        auto const refused = given.when(update);
        EXPECT_EQ(refused.summary(), "VALIDATION_ERROR") << id;
        EXPECT_NE(refused.details().find(R"("field":"orgUnitId","rule":"fixed")"), std::string::npos)
            << refused.details();
    }
}

TEST(UpdateApiKey, APersonalTokensLimitIsConfigured) {
    Given given;
    given.organization();
    given.after(user());
    given.context.actor = {events::ActorType::user, 101, 101};
    given.context.new_ids = {102};
    auto command = key({"staff:read"});
    command.pat_max_rate_limit = 600;
    command.rateLimitPerMin = core::Int<1, 6000>(601);
    EXPECT_EQ(given.when(command).summary(), "api_key.created") << "others may have more";
    command.type = events::ApiKeyType::pat;
    EXPECT_NE(given.when(command).details().find(R"("field":"rateLimitPerMin","rule":"max")"), std::string::npos);
    command.rateLimitPerMin = core::Int<1, 6000>(600);
    given.after(command);
    commands::UpdateApiKey update;
    update.id = 102;
    update.pat_max_rate_limit = 600;
    update.rateLimitPerMin = core::Nullable<core::Int<1, 6000>>(601);
    EXPECT_EQ(given.when(update).summary(), "VALIDATION_ERROR");
    update.rateLimitPerMin = core::Nullable<core::Int<1, 6000>>(599);
    EXPECT_EQ(given.when(update).summary(), "api_key.updated");
}

// Whoever gets a secret of a key gets what the person behind it has.
TEST(ApiKeys, WhoseAreAboveOrOthers) {
    Given given;
    given.organization(events::OrganizationType::internal);
    auto const add_user = [&](Id id, events::Role role) {
        auto details = user();
        details.email = core::Email("user" + std::to_string(id) + "@example.test");
        details.role = role;
        given.event({events::Kind::user, id}, events::UserEvent(events::UserCreated{details}));
    };
    add_user(31, events::Role::super_admin);
    add_user(32, events::Role::manager);
    add_user(33, events::Role::viewer);
    auto const as = [&](Id id) { given.context.actor = {events::ActorType::user, id, id}; };
    auto command = key({"staff:read"});
    as(32);
    command.userId = 31;
    EXPECT_EQ(given.when(command).summary(), "FORBIDDEN");
    command.userId = 33;
    EXPECT_EQ(given.when(command).summary(), "api_key.created");
    as(31);
    for (Id id = 51; auto const type : {events::ApiKeyType::live, events::ApiKeyType::pat}) {
        command.userId = 31;
        command.type = type;
        given.context.new_ids = {id++};
        given.after(command);
    }
    commands::RotateApiKey rotation;
    rotation.secret_id = "second";
    as(32);
    for (Id const id : {51, 52}) {
        rotation.id = id;
        EXPECT_EQ(given.when(rotation).summary(), "FORBIDDEN") << id;
    }
    commands::UpdateApiKey update;
    update.id = 52;
    update.name = "Renamed";
    EXPECT_EQ(given.when(update).summary(), "api_key.updated") << "it opens no more by that";
    update.scopes = std::vector<core::ShortText>{"crm:read"};
    EXPECT_EQ(given.when(update).summary(), "FORBIDDEN");
    update.scopes.reset();
    update.expiresAt = core::Nullable<core::Timestamp>(core::Timestamp{given.context.now.ms + 1000});
    EXPECT_EQ(given.when(update).summary(), "FORBIDDEN");
    for (Id const id : {51, 52}) EXPECT_EQ(given.when(RevokeApiKey{id}).summary(), "api_key.revoked") << id;
    as(31);
    EXPECT_EQ(given.when(update).summary(), "api_key.updated");
    EXPECT_EQ(given.when(rotation).summary(), "api_key.rotated");
}

// Rights are judged by a read model, which may be behind.
TEST(ApiKeys, WhatWasJudgedIsWhatIsChanged) {
    Given given;
    given.organization();
    auto const made = given.after(key({"staff:read"}));
    commands::UpdateApiKey update;
    update.id = 101;
    update.scopes = std::vector<core::ShortText>{"staff:read", "crm:read"};
    commands::RotateApiKey rotation;
    rotation.id = 101;
    rotation.secret_id = "second";
    auto const expect = [&](char const* updated, char const* rotated) {
        EXPECT_EQ(given.when(update).summary(), updated);
        EXPECT_EQ(given.when(rotation).summary(), rotated);
    };
    update.judged = rotation.judged = {made.scopes, made.expiresAt};
    expect("api_key.updated", "api_key.rotated");
    update.judged->scopes = rotation.judged->scopes = {"crm:read"};
    expect("CONCURRENT_MODIFICATION", "CONCURRENT_MODIFICATION");
    update.judged = rotation.judged = {made.scopes, core::Timestamp{given.context.now.ms + 1000}};
    expect("CONCURRENT_MODIFICATION", "CONCURRENT_MODIFICATION");
    update.scopes = made.scopes;
    EXPECT_EQ(given.when(update).summary(), "nothing") << "so nothing is handed on";
}

class RotateApiKeyTest : public testing::Test {
   protected:
    RotateApiKeyTest() {
        given_.organization();
        given_.after(key({"staff:read"}));
    }
    static commands::RotateApiKey rotation(std::string secret) {
        commands::RotateApiKey command;
        command.id = 101;
        command.secret_id = std::move(secret);
        command.hint = {"svc_live_", "abcd"};
        return command;
    }
    void wait(std::int64_t hours) { given_.context.now.ms += hours * 3'600'000; }

    Given given_;
};

TEST_F(RotateApiKeyTest, EachOldSecretHasADayOfItsOwn) {
    auto const begun = given_.context.now;
    auto rotated = given_.after(rotation("second"));
    EXPECT_EQ(rotated.status, events::ApiKeyStatus::rotating);
    EXPECT_EQ(rotated.last4, "abcd");
    EXPECT_EQ(rotated.key.value, "second");
    EXPECT_EQ(rotated.previousKeyValidUntil.value, core::Timestamp{begun.ms + 24 * 3'600'000});
    wait(10);
    rotated = given_.after(rotation("third"));
    ASSERT_EQ(rotated.secrets.size(), 3U);
    EXPECT_EQ(rotated.secrets[0].id, "third");
    EXPECT_FALSE(rotated.secrets[0].validUntil.value);
    EXPECT_EQ(rotated.secrets[1].validUntil.value, core::Timestamp{begun.ms + 34 * 3'600'000});
    EXPECT_EQ(rotated.secrets[2].validUntil.value, core::Timestamp{begun.ms + 24 * 3'600'000});
}

TEST_F(RotateApiKeyTest, NoMoreThanFiveAtATime) {
    for (auto const* secret : {"2", "3", "4", "5"}) given_.after(rotation(secret));
    EXPECT_EQ(given_.when(rotation("6")).summary(), "INVALID_STATE_TRANSITION");
    wait(24);
    EXPECT_EQ(given_.when(rotation("6")).summary(), "api_key.secret_retired api_key.rotated");
    EXPECT_EQ(given_.after(rotation("6")).secrets.size(), 2U);
}

TEST(RotateApiKey, APersonalTokenIsRenewedByItsPersonAlone) {
    Given given;
    given.organization();
    given.after(user());
    auto command = key({"staff:read"});
    command.type = events::ApiKeyType::pat;
    given.context.actor = {events::ActorType::user, 101, 101};
    given.context.new_ids = {102};
    given.after(command);
    commands::RotateApiKey rotation;
    rotation.id = 102;
    rotation.secret_id = "second";
    EXPECT_EQ(given.when(rotation).summary(), "api_key.rotated");
    given.context.actor = {events::ActorType::user, 7, 7};
    EXPECT_EQ(given.when(rotation).summary(), "FORBIDDEN");
}

TEST_F(RotateApiKeyTest, NotOfAKeyThatEnded) {
    commands::UpdateApiKey update;
    update.id = 101;
    update.expiresAt = core::Nullable<core::Timestamp>(core::Timestamp{given_.context.now.ms + 1});
    given_.after(update);
    wait(1);
    EXPECT_EQ(given_.when(rotation("late")).summary(), "INVALID_STATE_TRANSITION") << "nobody has recorded it yet";
    given_.after(commands::EndDueApiKeys{{101}});
    EXPECT_EQ(given_.when(rotation("late")).summary(), "INVALID_STATE_TRANSITION");
    update.expiresAt = core::Nullable<core::Timestamp>();
    EXPECT_EQ(given_.after(update).status, events::ApiKeyStatus::active) << "it was given more time";
    given_.after(RevokeApiKey{101});
    EXPECT_EQ(given_.when(rotation("late")).summary(), "INVALID_STATE_TRANSITION");
}

TEST_F(RotateApiKeyTest, TheClockEndsWhatIsDue) {
    commands::EndDueApiKeys const clock{{101, 999}};
    given_.after(rotation("second"));
    EXPECT_EQ(given_.when(clock).summary(), "nothing");
    wait(24);
    EXPECT_EQ(given_.when(clock).summary(), "api_key.secret_retired");
    given_.after(clock);
    EXPECT_EQ(given_.when(clock).summary(), "nothing");
    auto const& key = given_.state.rows<events::ApiKey>().at(101).value;
    EXPECT_EQ(key.status, events::ApiKeyStatus::active);
    EXPECT_FALSE(key.previousKeyValidUntil.value);
    ASSERT_EQ(key.secrets.size(), 1U);
    EXPECT_EQ(key.secrets[0].id, "second");
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
