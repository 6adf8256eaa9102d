// What entries tell of changes, and what they never tell.
#include "projections/audit/changes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "events/api_key.hpp"
#include "events/organization.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

using core::Id;

/// Folds events of one resource and keeps what the last one changed.
template <class State, class Group>
struct Folded {
    State state{};
    std::string changes{};
    events::Envelope meta{};

    Folded& fold(Group const& event) {
        ++meta.seq;
        meta.time = {1'784'880'000'000 + meta.seq};
        meta.subject.id = 5;
        meta.organization = 7;
        projections::ChangeWriter writer;
        projections::fold_changes(writer, state, event, meta);
        changes = writer.take();
        return *this;
    }
};
using Users = Folded<events::User, events::UserEvent>;
using Keys = Folded<events::ApiKey, events::ApiKeyEvent>;
using Organizations = Folded<events::Organization, events::OrganizationEvent>;

events::UserCreated ada() {
    events::UserCreated user;
    user.email = core::Email("ada@example.test");
    user.firstName = core::Name("Ada");
    user.lastName = core::Name("Byron");
    user.role = events::Role::viewer;
    user.status = events::UserStatus::invited;
    return user;
}

constexpr std::string_view kPersonal = R"({"from":"[personal]","to":"[personal]"})";

TEST(AuditChanges, AnUpdateTellsBeforeAndAfter) {
    Users users;
    users.fold(ada());
    events::UserUpdated update;
    update.role = events::Role::scheduler;
    update.facilityIds = std::vector<Id>{1, 2};
    EXPECT_EQ(users.fold(update).changes,
              R"({"role":{"from":"viewer","to":"scheduler"},"facilityIds":{"from":[],"to":[1,2]}})");
    events::UserUpdated back;
    back.role = events::Role::viewer;
    EXPECT_EQ(users.fold(back).changes, R"({"role":{"from":"scheduler","to":"viewer"}})");
    EXPECT_EQ(users.fold(events::UserDeactivated{}).changes, R"({"status":{"from":"invited","to":"deactivated"}})");
}

TEST(AuditChanges, WhatIsNewWasNothingBefore) {
    Users users;
    auto const changes = users.fold(ada()).changes;
    EXPECT_NE(changes.find(R"("role":{"from":null,"to":"viewer"})"), std::string::npos) << changes;
    EXPECT_NE(changes.find(R"("status":{"from":null,"to":"invited"})"), std::string::npos) << changes;
    EXPECT_EQ(changes.find("staffId"), std::string::npos) << changes << ": nothing still";
    for (auto const* field : {"createdAt", "organizationId", "\"id\""})
        EXPECT_EQ(changes.find(field), std::string::npos);
}

TEST(AuditChanges, OfPersonalFieldsTellThatTheyChanged) {
    Users users;
    users.fold(ada());
    events::UserUpdated update;
    update.lastName = core::Personal<core::Name>(core::Name("Lovelace"));
    auto const expected = R"({"lastName":)" + std::string(kPersonal) + "}";
    EXPECT_EQ(users.fold(update).changes, expected);
    EXPECT_EQ(core::to_json(users.state).find("Lovelace"), std::string::npos) << "nor is it kept";
    // As it is read once the person's key is destroyed.
    update.lastName->value = {};
    update.lastName->erased = true;
    EXPECT_EQ(users.fold(update).changes, expected);
}

TEST(AuditChanges, AnErasureLeavesWhatWasToldBefore) {
    auto erased = ada();
    events::erase_personal(static_cast<events::UserDetails&>(erased));
    Users before, after;
    EXPECT_EQ(before.fold(ada()).changes, after.fold(erased).changes);
    EXPECT_EQ(core::to_json(before.state), core::to_json(after.state));
    auto const changes = before.fold(events::UserErased{{"asked for", "operator"}}).changes;
    for (auto const* field : {"email", "username", "firstName", "lastName"}) {
        EXPECT_NE(changes.find('"' + std::string(field) + "\":" + std::string(kPersonal)), std::string::npos)
            << changes;
    }
    EXPECT_NE(changes.find(R"("status":{"from":"invited","to":"deactivated"})"), std::string::npos) << changes;
}

TEST(AuditChanges, NoSampleTellsAPersonalValue) {
    Users users;
    std::string all;
    for (auto const& event : sample_events()) {
        auto const* user = events::get_if<events::UserEvent>(event.data);
        if (user) all += users.fold(*user).changes + core::to_json(users.state);
    }
    for (auto const* personal : {"Mara", "Lind", "harbour.example", "mara"}) {
        EXPECT_EQ(all.find(personal), std::string::npos) << personal;
    }
}

TEST(AuditChanges, OfSecretsTellThatTheyChanged) {
    Keys keys;
    events::ApiKeyCreated key;
    key.name = "Export";
    key.prefix = "svc_live_";
    key.last4 = "aB3x";
    key.secretId = "secret-one";
    auto const created = keys.fold(key).changes;
    auto const rotated =
        keys.fold(events::ApiKeyRotated{"secret-two", "qQ9z", "secret-one", {1'784'890'000'000}}).changes;
    auto const revoked = keys.fold(events::ApiKeyRevoked{}).changes;
    for (auto const& changes : {created, rotated, revoked}) {
        EXPECT_NE(changes.find(R"("secrets":{"from":"[redacted]","to":"[redacted]"})"), std::string::npos) << changes;
        for (auto const* secret : {"secret-one", "secret-two", "aB3x", "qQ9z", "svc_live_"}) {
            EXPECT_EQ(changes.find(secret), std::string::npos) << changes;
        }
    }
    EXPECT_NE(rotated.find(R"("status":{"from":"active","to":"rotating"})"), std::string::npos) << rotated;
    EXPECT_NE(revoked.find(R"("status":{"from":"rotating","to":"revoked"})"), std::string::npos) << revoked;
}

TEST(AuditChanges, PartsAreNamedByTheirPath) {
    Organizations organizations;
    events::OrganizationCreated created;
    created.name = "Harbour";
    organizations.fold(created);
    events::OrganizationUpdated update;
    update.settings.emplace().approvalTtlHours = core::Int<1, 720>(24);
    EXPECT_EQ(organizations.fold(update).changes, R"({"settings.approvalTtlHours":{"from":72,"to":24}})");
    EXPECT_EQ(organizations.fold(update).changes, "{}") << "nothing changed";
}

TEST(AuditChanges, OfAnAddressTheOriginAloneIsTold) {
    Folded<events::WebhookRecord, events::WebhookEvent> webhooks;
    events::WebhookCreated created;
    created.name = "Mirror";
    created.url = "https://Hooks.example.test/in/s3cret?token=s3cret";
    auto told = webhooks.fold(created).changes;
    EXPECT_NE(told.find(R"("url":{"from":null,"to":"https://hooks.example.test"})"), std::string::npos) << told;
    events::WebhookUpdated updated;
    updated.url = events::WebhookUrl("https://hooks.example.test/in/other");
    told += webhooks.fold(updated).changes;
    EXPECT_NE(told.find(R"("url":{"from":"https://hooks.example.test","to":"https://hooks.example.test"})"),
              std::string::npos)
        << told << ": that it changed is told";
    updated.url = events::WebhookUrl("https://elsewhere.example.test:8443/s3cret");
    told += webhooks.fold(updated).changes;
    EXPECT_NE(told.find(R"("to":"https://elsewhere.example.test:8443")"), std::string::npos) << told;
    EXPECT_EQ(told.find("s3cret"), std::string::npos) << told;
    EXPECT_EQ(told.find("/in"), std::string::npos) << told;
}

}  // namespace
}  // namespace workforce::tests
