// How subscriptions fold, and the tables of what they hear.
#include "events/webhook.hpp"

#include <gtest/gtest.h>

#include "events/webhook_types.hpp"

namespace workforce::tests {
namespace {

using namespace events;  // the events are what these tests are about
using Types = std::vector<std::string>;

constexpr Timestamp kCreation{1'784'887'200'000};  // 2026-07-24T10:00:00Z

Envelope said(std::int64_t ms = 0) {
    Envelope meta;
    meta.subject = {Kind::webhook, 42};
    meta.organization = 7;
    meta.time = {kCreation.ms + ms};
    meta.actor = {ActorType::api_key, 9, 31};
    return meta;
}

WebhookRecord created(std::vector<core::ShortText> named = {"shift_posted", "lead_qualified"}) {
    WebhookCreated event;
    event.name = "Mirror";
    event.url = "https://hooks.example.test/in";
    event.events = std::move(named);
    event.metadata.value = {{"team", "blue"}};
    event.readable = {"shift_posted", "shift_filled"};
    event.secretId = "first";
    WebhookRecord record;
    auto meta = said();
    meta.seq = 1;
    evolve(record, event, meta);
    return record;
}

TEST(WebhookEvolve, TheFirstEventGivesIdsAndTheCreator) {
    auto const record = created();
    EXPECT_EQ(record.id, 42);
    EXPECT_EQ(record.organizationId, 7);
    EXPECT_EQ(record.createdAt, kCreation);
    EXPECT_TRUE(record.isActive);
    EXPECT_EQ(record.createdBy.type, ActorType::api_key);
    EXPECT_EQ(record.createdBy.id, 9);
    EXPECT_EQ(record.createdBy.userId, 31);
    EXPECT_EQ(owner_of(record.createdBy), "user/31");
    EXPECT_EQ(record.effectiveEvents, Types{"shift_posted"});
    EXPECT_EQ(record.internals.secret, "first");
}

TEST(WebhookEvolve, ReservedMetadataSurvivesChangesAndGoesWhenItGoesOn) {
    auto record = created();
    evolve(record, WebhookDisabled{"max_retries_exceeded", "timeout: no answer", "an event", 31}, said(5000));
    EXPECT_FALSE(record.isActive);
    EXPECT_EQ(record.metadata.value.size(), 4U);
    EXPECT_EQ(record.metadata.value.at("disabledAt"), core::to_string(Timestamp{kCreation.ms + 5000}));
    WebhookUpdated updated;
    updated.metadata.emplace().value = {{"room", "5"}};
    evolve(record, updated, said(6000));
    EXPECT_EQ(record.metadata.value.size(), 4U) << "what the caller had is replaced, what the system said is not";
    EXPECT_EQ(record.metadata.value.at("room"), "5");
    EXPECT_EQ(record.metadata.value.at("lastError"), "timeout: no answer");
    EXPECT_FALSE(record.metadata.value.contains("team"));
    evolve(record, WebhookEnabled{}, said(7000));
    EXPECT_TRUE(record.isActive);
    EXPECT_EQ(record.metadata.value.size(), 1U);
    EXPECT_EQ(record.updatedAt.ms, kCreation.ms + 7000);
}

TEST(WebhookEvolve, EitherSideNarrowsWhatIsDelivered) {
    auto record = created();
    WebhookUpdated updated;
    updated.events = {"shift_filled", "lead_qualified"};
    evolve(record, updated, said());
    EXPECT_EQ(record.effectiveEvents, Types{"shift_filled"});
    updated = {};
    updated.readable = {"lead_qualified"};
    evolve(record, updated, said());
    EXPECT_EQ(record.effectiveEvents, Types{"lead_qualified"});
    updated = {};
    updated.isActive = false;
    evolve(record, updated, said());
    EXPECT_FALSE(record.isActive);
    EXPECT_EQ(record.metadata.value.size(), 1U) << "nobody gave it up";
}

TEST(WebhookEvolve, SecretsTakeOverAtTheirTime) {
    auto record = created();
    evolve(record, WebhookSecretRotated{"second", {kCreation.ms + 1000}}, said());
    EXPECT_EQ(record.internals.secret, "first");
    EXPECT_EQ(record.internals.nextSecret, "second");
    evolve(record, WebhookSecretRotated{"third", {kCreation.ms + 2000}}, said(999));
    EXPECT_EQ(record.internals.secret, "first");
    EXPECT_EQ(record.internals.nextSecret, "third");
    evolve(record, WebhookSecretRotated{"fourth", {kCreation.ms + 9000}}, said(2000));
    EXPECT_EQ(record.internals.secret, "third");
    EXPECT_EQ(record.internals.nextSecret, "fourth");
    evolve(record, WebhookSecretRotated{"fifth", {kCreation.ms + 3000}}, said(3000));
    EXPECT_EQ(record.internals.secret, "fifth");
    EXPECT_EQ(record.internals.nextSecret, "");
}

TEST(WebhookEvolve, WhatWasSentAgainLeavesItAndADeletionEndsIt) {
    auto const before = created();
    auto record = before;
    for (WebhookEvent const& event : {WebhookEvent(WebhookTested{5}), WebhookEvent(WebhookRedelivered{5, 6, "e"}),
                                      WebhookEvent(WebhookReplayed{})}) {
        evolve(record, event, said());
        EXPECT_EQ(core::to_json(record), core::to_json(before));
    }
    evolve(record, WebhookDeleted{}, said());
    EXPECT_TRUE(record.deleted);
}

TEST(WebhookTypes, AreReadByPermissions) {
    auto const of = [](std::vector<std::string> const& scopes) { return readable_types(core::permissions_of(scopes)); };
    EXPECT_EQ(of({}), Types{});
    EXPECT_EQ(of({"shifts:read"}), (Types{"shift_posted", "shift_filled"}));
    EXPECT_EQ(of({"crm:*", "staff:read"}), (Types{"lead_qualified", "staff_onboarded"}))
        << "credentials.view is another permission than staff.view_credentials";
    for (auto const& type : webhook_types()) {
        core::Permissions alone;
        alone.set(type.permission.index());
        auto const readable = readable_types(alone);
        EXPECT_NE(std::ranges::find(readable, type.name), readable.end()) << type.name;
    }
    core::Permissions manager;
    manager.set(core::Permission("integrations.manage_webhooks").index());
    EXPECT_EQ(readable_types(manager), Types{"*"});
}

TEST(WebhookTypes, AreThoseOfTheSpecification) {
    Types names;
    for (auto const& type : webhook_types()) names.emplace_back(type.name);
    EXPECT_EQ(names, (Types{"shift_posted", "shift_filled", "credential_expired", "timesheet_approved",
                            "lead_qualified", "payroll_completed", "staff_onboarded", "agent_run.pending_approval",
                            "agent_run.completed", "agent_run.failed"}));
    for (auto const* name : {"*", "test", "shift_posted"}) EXPECT_TRUE(can_subscribe_to(name)) << name;
    for (auto const* name : {"", "shift.posted", "Shift_posted", "**"}) EXPECT_FALSE(can_subscribe_to(name)) << name;
}

TEST(WebhookTypes, AreNarrowed) {
    using Named = std::vector<core::ShortText>;
    struct Row {
        Named named;
        Types readable, effective;
    };
    for (auto const& row :
         {Row{{"shift_posted"}, {"shift_posted"}, {"shift_posted"}}, Row{{"shift_posted"}, {}, {}},
          Row{{"shift_posted"}, {"*"}, {"shift_posted"}}, Row{{"*"}, {"shift_filled"}, {"shift_filled"}},
          Row{{"shift_posted", "*"}, {"shift_filled"}, {"shift_filled"}}, Row{{"*"}, {"*"}, {"*"}}, Row{{"*"}, {}, {}},
          Row{{"test"}, {"shift_posted"}, {}},
          Row{{"lead_qualified", "shift_posted"},
              {"shift_posted", "lead_qualified"},
              {"lead_qualified", "shift_posted"}}}) {
        EXPECT_EQ(effective_types(row.named, row.readable), row.effective) << core::to_json(row.named);
    }
}

TEST(WebhookTypes, AreSentAgainAsFarAsTheyAreDelivered) {
    EXPECT_EQ(types_to_replay({"shift_posted", "shift_filled"}, {}), (Types{"shift_posted", "shift_filled"}));
    EXPECT_EQ(types_to_replay({"shift_posted"}, {"shift_filled", "shift_posted"}), Types{"shift_posted"});
    EXPECT_EQ(types_to_replay({"shift_posted"}, {"shift_filled"}), Types{});
    EXPECT_EQ(types_to_replay({"*"}, {"shift_filled"}), Types{"shift_filled"});
    EXPECT_EQ(types_to_replay({"*"}, {}), Types{"*"});
}

}  // namespace
}  // namespace workforce::tests
