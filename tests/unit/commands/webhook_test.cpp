// Webhook subscriptions: whose they are, what changes them, and what is sent once more.
#include "commands/webhook.hpp"

#include <gtest/gtest.h>

#include "core/sql_values.hpp"
#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using commands::CreateWebhook;
using commands::DeleteWebhook;
using commands::DisableWebhook;
using commands::RedeliverWebhook;
using commands::ReplayWebhook;
using commands::RotateWebhookSecret;
using commands::TestWebhook;
using commands::UpdateWebhook;
using commands::WebhookRights;
using Types = std::vector<std::string>;

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;

/// Of the user 3, who sends the commands of Given.
WebhookRights own(Types readable = {"shift_posted", "shift_filled"}) { return {"user/3", false, std::move(readable)}; }
/// Of somebody else.
WebhookRights stranger() { return {"user/4", false, {"shift_posted"}}; }
WebhookRights manager() { return {"user/4", true, {"*"}}; }

CreateWebhook subscription(std::vector<core::ShortText> types = {"shift_posted"}) {
    CreateWebhook command;
    command.name = "Roster mirror";
    command.url = "https://hooks.example.test/in";
    command.events = std::move(types);
    command.rights = own();
    command.secret_id = "first";
    return command;
}
UpdateWebhook changes(WebhookRights rights = own()) {
    UpdateWebhook command;
    command.id = 101;
    command.rights = std::move(rights);
    return command;
}
DisableWebhook disable() {
    DisableWebhook command;
    command.reason = "max_retries_exceeded";
    command.lastError = "non_2xx: the receiver answered 500";
    command.eventId = "018f3c5e-7a10-7cc1-b1ba-2ad1d9f0a001";
    command.id = 101;
    return command;
}

class WebhookCommands : public testing::Test {
   protected:
    WebhookCommands() { given.organization().facility(1).facility(2); }

    events::WebhookRecord const& record(Id id = 101) const { return *given.view().get<events::WebhookRecord>(id); }
    events::WebhookInternals const& internals() const { return record().internals; }
    Types effective() const { return record().effectiveEvents; }
    void pass(std::int64_t ms) { given.context.now.ms += ms; }

    Given given;
};

TEST_F(WebhookCommands, CreatesOfItsCreator) {
    auto const outcome = given.when(subscription());
    ASSERT_EQ(outcome.summary(), "webhook.created");
    EXPECT_EQ(outcome.result->events[0].subject, (events::AggregateRef{events::Kind::webhook, 101}));
    EXPECT_EQ(outcome.result->events[0].facility, 0);
    EXPECT_EQ(outcome.event<events::WebhookCreated>().secretId, "first");
    auto const made = given.after(subscription());
    EXPECT_EQ(made.id, 101);
    EXPECT_EQ(made.signingSecret.value, "first");
    EXPECT_TRUE(made.isActive);
    EXPECT_EQ(made.consecutiveFailures, 0);
    EXPECT_FALSE(made.lastDeliveryAt.value);
    EXPECT_EQ(events::owner_of(made.createdBy), "user/3");
    EXPECT_EQ(made.effectiveEvents, Types{"shift_posted"});
    EXPECT_EQ(internals().secret, "first");
    EXPECT_EQ(internals().nextSecret, "");
}

TEST_F(WebhookCommands, IsOfTheCredentialWhereNobodyStandsBehindIt) {
    given.context.actor = {events::ActorType::api_key, 8, 0};
    auto command = subscription();
    command.rights.owner = "api_key/8";
    EXPECT_EQ(events::owner_of(given.after(command).createdBy), "api_key/8");
    EXPECT_EQ(given.when(changes(own())).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeleteWebhook{101, {"api_key/8", false, {}}}).summary(), "webhook.deleted");
}

TEST_F(WebhookCommands, FoldsTypesAndDeliversThoseThatItsCreatorMayRead) {
    auto const made = given.after(subscription({"shift_filled", "lead_qualified", "shift_filled", "test"}));
    ASSERT_EQ(made.events.size(), 3U);
    EXPECT_EQ(made.events[0].value, "shift_filled");
    EXPECT_EQ(made.events[1].value, "lead_qualified");
    EXPECT_EQ(made.effectiveEvents, Types{"shift_filled"});
    given.context.new_ids = {102};
    auto all = subscription({"*"});
    EXPECT_EQ(given.after(all).effectiveEvents, (Types{"shift_posted", "shift_filled"}));
    given.context.new_ids = {103};
    all.rights = manager();
    EXPECT_EQ(given.after(all).effectiveEvents, Types{"*"});
}

TEST_F(WebhookCommands, TheCredentialThatNamedTypesLastIsTheReader) {
    given.context.actor = {events::ActorType::api_key, 8, 3};
    given.after(subscription());
    EXPECT_EQ(internals().reader.id, 8);
    auto update = changes();
    update.events = {"shift_posted"};
    EXPECT_EQ(given.when(update).summary(), "nothing");
    given.context.actor = {events::ActorType::user, 3, 3};
    EXPECT_EQ(given.when(update).event<events::WebhookUpdated>().readable, own().readable);
    given.after(update);
    EXPECT_EQ(internals().reader.type, events::ActorType::user);
    EXPECT_EQ(internals().reader.id, 3);
    EXPECT_EQ(record().createdBy.id, 8);
    given.context.actor = {events::ActorType::user, 4, 4};
    update.rights = manager();
    update.events = {"shift_filled"};
    given.after(update);
    EXPECT_EQ(internals().reader.id, 3) << "whoever manages it lends no right";
}

TEST_F(WebhookCommands, TheCredentialThatNamesAnotherAddressIsTheReader) {
    given.context.actor = {events::ActorType::api_key, 8, 3};
    given.after(subscription({"*"}));
    given.context.actor = {events::ActorType::api_key, 9, 3};
    auto update = changes(own({"shift_filled"}));
    update.url = record().url;
    EXPECT_EQ(given.when(update).summary(), "nothing") << "where it goes already";
    update.url = "https://hooks.example.test/elsewhere";
    EXPECT_EQ(given.after(update).effectiveEvents, Types{"shift_filled"});
    EXPECT_EQ(internals().reader.id, 9);
    EXPECT_EQ(internals().readable, Types{"shift_filled"});
    update = changes(manager());
    update.url = "https://hooks.example.test/in";
    given.after(update);
    EXPECT_EQ(internals().reader.id, 9) << "whoever manages it lends no right";
}

TEST_F(WebhookCommands, AClientsRightsAreThoseOfItsGrant) {
    events::WebhookGrant const grant{41, 12, {"shifts:read"}};
    given.context.actor = {events::ActorType::oauth, 31, 3};
    auto command = subscription();
    command.rights.grant = grant;
    EXPECT_EQ(given.when(command).summary(), "webhook.created webhook.granted");
    given.after(command);
    EXPECT_EQ(internals().grant, grant);
    EXPECT_EQ(internals().reader.type, events::ActorType::user) << "tokens come and go";
    EXPECT_EQ(internals().reader.id, 3);
    EXPECT_EQ(events::owner_of(record().createdBy), "user/3");

    given.context.actor.id = 32;
    auto update = changes();
    update.rights.grant = grant;
    update.events = {"shift_posted"};
    EXPECT_EQ(given.when(update).summary(), "nothing") << "another token of the same grant";
    update.rights.grant->grantId = 42;
    EXPECT_EQ(given.when(update).summary(), "webhook.updated webhook.granted");
    given.after(update);
    EXPECT_EQ(internals().grant->grantId, 42);

    given.context.actor = {events::ActorType::user, 3, 3};
    update.rights.grant.reset();
    EXPECT_EQ(given.when(update).summary(), "webhook.updated") << "their own rights are other than a client's";
    given.after(update);
    EXPECT_FALSE(internals().grant);
    EXPECT_EQ(given.when(DeleteWebhook{101, own()}).summary(), "webhook.deleted");
}

TEST_F(WebhookCommands, KnowsItsTypes) {
    EXPECT_TRUE(commands::faults_of_types({"*", "test", "agent_run.failed"}).empty());
    auto const faults = commands::faults_of_types({"shift_posted", "shift.posted", "pets"});
    ASSERT_EQ(faults.size(), 2U);
    EXPECT_EQ(faults[0].field, "events[1]");
    EXPECT_EQ(faults[0].rule, "known");
    EXPECT_EQ(faults[1].field, "events[2]");
    auto const none = commands::faults_of_types({});
    ASSERT_EQ(none.size(), 1U);
    EXPECT_EQ(none[0].field, "events");
}

TEST_F(WebhookCommands, ReservedMetadataIsTheSystems) {
    auto command = subscription();
    command.metadata.value = {{"team", "blue"}, {"disabledReason", "mine"}, {"lastError", "x"}, {"disabledAt", "y"}};
    EXPECT_EQ(given.after(command).metadata.value.size(), 1U);
    auto update = changes();
    update.metadata.emplace().value = {{"team", "blue"}, {"lastError", "z"}};
    EXPECT_EQ(given.when(update).summary(), "nothing") << "what is left of it is as it was";
    update.metadata->value["team"] = "red";
    auto const outcome = given.when(update);
    EXPECT_EQ(outcome.event<events::WebhookUpdated>().metadata->value.size(), 1U);
}

TEST_F(WebhookCommands, WhoeverIsBoundMakesThemWithinTheirFacilities) {
    given.context.facilities = {1};
    auto command = subscription();
    EXPECT_EQ(*given.when(command).event<events::WebhookCreated>().facilityId.value, 1);
    EXPECT_EQ(given.when(command).result->events[0].facility, 1);
    command.facilityId = 2;
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {1, 2};
    EXPECT_EQ(*given.when(command).event<events::WebhookCreated>().facilityId.value, 2);
    command.facilityId = {};
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    given.context.facilities = {};
    EXPECT_FALSE(given.when(command).event<events::WebhookCreated>().facilityId.value);
    command.facilityId = 9;
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
}

TEST_F(WebhookCommands, OthersSeeItOnlyAsManagers) {
    given.after(subscription());
    auto const on = [&](WebhookRights const& rights) { return given.when(DeleteWebhook{101, rights}).summary(); };
    EXPECT_EQ(on(own()), "webhook.deleted");
    EXPECT_EQ(on(stranger()), "NOT_FOUND");
    EXPECT_EQ(on(manager()), "webhook.deleted");
    auto const refused = [&](auto command) {
        command.rights = stranger();
        return given.when(command).summary();
    };
    EXPECT_EQ(refused(changes()), "NOT_FOUND");
    EXPECT_EQ(refused(RotateWebhookSecret{.id = 101}), "NOT_FOUND");
    EXPECT_EQ(refused(TestWebhook{.id = 101}), "NOT_FOUND");
    EXPECT_EQ(refused(RedeliverWebhook{.id = 101}), "NOT_FOUND");
    ReplayWebhook replay;
    replay.id = 101;
    EXPECT_EQ(refused(replay), "NOT_FOUND") << "before anything else is said about it";
}

TEST_F(WebhookCommands, FacilitiesBoundWhatIsSeen) {
    given.after(subscription());
    given.context.new_ids = {102};
    auto bound = subscription();
    bound.facilityId = 1;
    given.after(bound);
    given.context.facilities = {1};
    EXPECT_EQ(given.when(DeleteWebhook{101, manager()}).summary(), "NOT_FOUND") << "it hears of all facilities";
    EXPECT_EQ(given.when(DeleteWebhook{102, manager()}).summary(), "webhook.deleted");
    given.context.facilities = {2};
    EXPECT_EQ(given.when(DeleteWebhook{102, own()}).summary(), "NOT_FOUND");
}

TEST_F(WebhookCommands, UpdatesWhatDiffers) {
    given.after(subscription());
    auto update = changes();
    EXPECT_EQ(given.when(update).summary(), "nothing");
    update.name = "Roster mirror";
    update.url = "https://hooks.example.test/in";
    update.events = {"shift_posted", "shift_posted"};
    update.isActive = true;
    update.facilityId = core::Nullable<Id>();
    EXPECT_EQ(given.when(update).summary(), "nothing");
    update.name = "Mirror";
    auto const outcome = given.when(update);
    ASSERT_EQ(outcome.summary(), "webhook.updated");
    auto const& updated = outcome.event<events::WebhookUpdated>();
    EXPECT_EQ(updated.name->value, "Mirror");
    EXPECT_FALSE(updated.url);
    EXPECT_FALSE(updated.events);
    EXPECT_FALSE(updated.isActive);
    EXPECT_FALSE(updated.readable);
    EXPECT_EQ(given.after(update).name.value, "Mirror");
    update = changes();
    update.facilityId = core::Nullable<Id>(1);
    auto const moved = given.when(update);
    EXPECT_EQ(moved.summary(), "VALIDATION_ERROR");
    EXPECT_NE(moved.details().find(R"("field":"facilityId")"), std::string::npos);
}

TEST_F(WebhookCommands, IsSwitchedOffAndGoesOn) {
    given.after(subscription());
    auto update = changes();
    update.isActive = false;
    EXPECT_EQ(given.when(update).summary(), "webhook.updated");
    EXPECT_FALSE(given.after(update).isActive);
    EXPECT_EQ(given.when(update).summary(), "nothing");
    EXPECT_EQ(given.when(disable()).summary(), "nothing") << "it is off already";
    update.isActive = true;
    EXPECT_EQ(given.when(update).summary(), "webhook.enabled");
    update.name = "Anew";
    EXPECT_EQ(given.when(update).summary(), "webhook.updated webhook.enabled");
    EXPECT_TRUE(given.after(update).isActive);
    EXPECT_EQ(given.when(update).summary(), "nothing");
}

TEST_F(WebhookCommands, TheSystemGivesItUpOnce) {
    auto command = subscription();
    command.metadata.value = {{"team", "blue"}};
    given.after(command);
    pass(1000);
    auto const outcome = given.when(disable());
    ASSERT_EQ(outcome.summary(), "webhook.disabled");
    auto const& disabled = outcome.event<events::WebhookDisabled>();
    EXPECT_EQ(disabled.creator, 3);
    EXPECT_EQ(disabled.eventId, "018f3c5e-7a10-7cc1-b1ba-2ad1d9f0a001");
    given.after(disable());
    EXPECT_EQ(given.when(disable()).summary(), "nothing");
    EXPECT_FALSE(record().isActive);
    auto const& metadata = record().metadata.value;
    EXPECT_EQ(metadata.at("disabledReason"), "max_retries_exceeded");
    EXPECT_EQ(metadata.at("disabledAt"), core::to_string(given.context.now));
    EXPECT_EQ(metadata.at("lastError"), "non_2xx: the receiver answered 500");
    auto update = changes();
    update.metadata.emplace().value = {{"team", "blue"}};
    EXPECT_EQ(given.when(update).summary(), "nothing") << "callers change nothing of what the system said";
    update.isActive = true;
    auto const enabled = given.after(update);
    EXPECT_TRUE(enabled.isActive);
    EXPECT_EQ(enabled.metadata.value.size(), 1U);
    given.after(DeleteWebhook{101, own()});
    EXPECT_EQ(given.when(disable()).summary(), "NOT_FOUND");
}

TEST_F(WebhookCommands, WhatItsOwnerMayReadCountsWhenTheySetTypesOrHaveItGoOn) {
    given.after(subscription({"shift_posted", "lead_qualified"}));
    EXPECT_EQ(effective(), Types{"shift_posted"});
    auto update = changes(own({"lead_qualified"}));
    update.name = "Renamed";
    given.after(update);
    EXPECT_EQ(effective(), Types{"shift_posted"}) << "neither happened";
    update.events = {"shift_posted", "lead_qualified"};
    auto const said_again = given.when(update);
    ASSERT_EQ(said_again.summary(), "webhook.updated");
    EXPECT_FALSE(said_again.event<events::WebhookUpdated>().events);
    EXPECT_EQ(*said_again.event<events::WebhookUpdated>().readable, Types{"lead_qualified"});
    EXPECT_EQ(given.after(update).effectiveEvents, Types{"lead_qualified"});
    auto others = changes(manager());
    others.events = {"*"};
    EXPECT_EQ(given.after(others).effectiveEvents, Types{"lead_qualified"}) << "a manager's rights are not its own";
    others = changes(manager());
    others.isActive = false;
    given.after(others);
    auto enable = changes(own({"shift_filled"}));
    enable.isActive = true;
    EXPECT_EQ(given.when(enable).summary(), "webhook.updated webhook.enabled");
    EXPECT_EQ(given.after(enable).effectiveEvents, Types{"shift_filled"});
}

TEST_F(WebhookCommands, ASecretTakesOverAfterTheOverlap) {
    given.after(subscription());
    RotateWebhookSecret rotate{.id = 101, .rights = own(), .secret_id = "second"};
    auto const shown = given.after(rotate);
    EXPECT_EQ(shown.signingSecret.value, "second");
    EXPECT_EQ(shown.activatesAt.ms, given.context.now.ms + 24 * kHourMs);
    EXPECT_EQ(internals().secret, "first");
    EXPECT_EQ(internals().nextSecret, "second");
    EXPECT_EQ(internals().activatesAt, shown.activatesAt);
    rotate.secret_id = "third";  // in the place of the second, which never signed alone
    given.after(rotate);
    EXPECT_EQ(internals().secret, "first");
    EXPECT_EQ(internals().nextSecret, "third");
    pass(24 * kHourMs);
    rotate.secret_id = "fourth";
    rotate.overlapHours = 1;
    given.after(rotate);
    EXPECT_EQ(internals().secret, "third") << "it had taken over";
    EXPECT_EQ(internals().nextSecret, "fourth");
    rotate.secret_id = "fifth";
    rotate.overlapHours = 0;
    EXPECT_EQ(given.after(rotate).activatesAt, given.context.now);
    EXPECT_EQ(internals().secret, "fifth") << "at once, whatever was waiting";
    EXPECT_EQ(internals().nextSecret, "");
    using Ids = std::vector<std::string>;
    EXPECT_EQ(events::Aggregate<events::Kind::webhook>::secret_ids(record()), (Ids{"fifth", ""}));
}

TEST_F(WebhookCommands, OverlapsAreOfAtMostThreeDays) {
    EXPECT_EQ(faults_in<RotateWebhookSecret>("{}"), "");
    EXPECT_EQ(faults_in<RotateWebhookSecret>(R"({"overlapHours":72})"), "");
    EXPECT_NE(faults_in<RotateWebhookSecret>(R"({"overlapHours":73})"), "");
    EXPECT_NE(faults_in<RotateWebhookSecret>(R"({"overlapHours":-1})"), "");
}

TEST_F(WebhookCommands, IsGoneOnceItIsDeleted) {
    given.after(subscription());
    given.after(DeleteWebhook{101, own()});
    EXPECT_TRUE(record().deleted);
    EXPECT_EQ(given.when(DeleteWebhook{101, own()}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(changes()).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(TestWebhook{.id = 101, .rights = own()}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeleteWebhook{9, manager()}).summary(), "NOT_FOUND");
}

TEST_F(WebhookCommands, ATestGoesToOneThatIsInactiveToo) {
    given.after(subscription());
    given.after(RotateWebhookSecret{.id = 101, .rights = own(), .secret_id = "second"});
    given.after(disable());
    TestWebhook const test{.id = 101, .rights = own(), .delivery_id = 900};
    EXPECT_EQ(given.when(test).event<events::WebhookTested>().deliveryId, 900);
    auto const target = given.after(test);
    EXPECT_EQ(target.deliveryId, 900);
    EXPECT_EQ(target.url, "https://hooks.example.test/in");
    EXPECT_EQ(target.internals.secret, "first");
    EXPECT_EQ(target.internals.nextSecret, "second");
}

TEST_F(WebhookCommands, RedeliversWhatWasFound) {
    given.after(subscription());
    given.after(disable());
    RedeliverWebhook const again{
        .id = 101, .rights = own(), .delivery_id = 55, .new_delivery_id = 56, .event_id = "an event"};
    auto const outcome = given.when(again);
    ASSERT_EQ(outcome.summary(), "webhook.redelivered");
    auto const& redelivered = outcome.event<events::WebhookRedelivered>();
    EXPECT_EQ(redelivered.deliveryId, 55);
    EXPECT_EQ(redelivered.newDeliveryId, 56);
    EXPECT_EQ(redelivered.eventId, "an event");
    EXPECT_EQ(given.after(again).deliveryId, 56);
}

TEST_F(WebhookCommands, ReplaysATime) {
    given.after(subscription());
    ReplayWebhook replay;
    replay.id = 101;
    replay.rights = own();
    replay.since = {given.context.now.ms - 14 * kDayMs};
    replay.count = 3;
    auto outcome = given.when(replay);
    ASSERT_EQ(outcome.summary(), "webhook.replayed");
    EXPECT_EQ(outcome.event<events::WebhookReplayed>().until, given.context.now);
    EXPECT_TRUE(outcome.event<events::WebhookReplayed>().eventTypes.empty());
    EXPECT_FALSE(outcome.event<events::WebhookReplayed>().onlyFailed);
    EXPECT_EQ(given.after(replay).queued, 3);
    replay.until = {given.context.now.ms + kDayMs};
    replay.eventTypes = {"shift_posted"};
    replay.onlyFailed = true;
    outcome = given.when(replay);
    EXPECT_EQ(outcome.event<events::WebhookReplayed>().until, given.context.now) << "what is to come is not sent again";
    EXPECT_EQ(outcome.event<events::WebhookReplayed>().eventTypes, Types{"shift_posted"});
    EXPECT_TRUE(outcome.event<events::WebhookReplayed>().onlyFailed);
    replay.count = commands::kMostReplayed;
    EXPECT_EQ(given.when(replay).summary(), "webhook.replayed");
    ++replay.count;
    EXPECT_EQ(given.when(replay).summary(), "VALIDATION_ERROR");
    replay.count = 0;
    EXPECT_EQ(given.when(replay).summary(), "nothing");
    EXPECT_EQ(given.after(replay).queued, 0);
}

TEST_F(WebhookCommands, AnOrganizationAndACreatorHaveSoManyAtMost) {
    auto const create = [&](Id id, std::string const& owner) {
        given.context.new_ids = {id};
        given.context.actor = {events::ActorType::user, core::parse_integer(owner.substr(5)).value(),
                               core::parse_integer(owner.substr(5)).value()};
        auto command = subscription();
        command.rights.owner = owner;
        command.limits = {.organization = 4, .creator = 2};
        auto outcome = given.when(command);
        if (outcome.result) given.after(command);
        return outcome;
    };
    EXPECT_EQ(create(101, "user/3").summary(), "webhook.created");
    EXPECT_EQ(create(102, "user/3").summary(), "webhook.created");
    auto refused = create(103, "user/3");
    EXPECT_EQ(refused.summary(), "LIMIT_REACHED");
    EXPECT_EQ(refused.details(), R"({"resource":"webhook","limit":2})");
    EXPECT_EQ(create(103, "user/4").summary(), "webhook.created");
    EXPECT_EQ(create(104, "user/5").summary(), "webhook.created");
    refused = create(105, "user/6");
    EXPECT_EQ(refused.summary(), "LIMIT_REACHED");
    EXPECT_EQ(refused.details(), R"({"resource":"webhook","limit":4})");
    given.context.sandbox = true;
    EXPECT_EQ(create(106, "user/6").summary(), "webhook.created") << "the sandbox counts its own";
    given.context.sandbox = false;
    given.context.actor = {events::ActorType::user, 3, 3};
    given.after(DeleteWebhook{101, own()});
    EXPECT_EQ(create(107, "user/3").summary(), "webhook.created") << "one that was deleted counts no more";
    EXPECT_EQ(create(108, "user/7").summary(), "LIMIT_REACHED");
}

TEST_F(WebhookCommands, OfAnInactiveOrganizationNothingIsSent) {
    given.after(subscription());
    given.event({events::Kind::organization, Given::kOrganization},
                events::OrganizationEvent(events::OrganizationDeactivated{}));
    ReplayWebhook replay;
    replay.id = 101;
    replay.rights = own();
    replay.since = {given.context.now.ms - 1000};
    replay.count = 1;
    EXPECT_EQ(given.when(replay).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(TestWebhook{101, own(), 9}).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(RedeliverWebhook{101, own(), 8, 9, "an event"}).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(changes()).summary(), "nothing") << "they stay, and may be changed";
    given.event({events::Kind::organization, Given::kOrganization},
                events::OrganizationEvent(events::OrganizationReactivated{}));
    EXPECT_EQ(given.when(TestWebhook{101, own(), 9}).summary(), "webhook.tested");
}

TEST_F(WebhookCommands, ReplaysNoOtherTime) {
    given.after(subscription());
    auto const faults = [&](std::int64_t since, std::optional<std::int64_t> until, std::vector<core::ShortText> types) {
        ReplayWebhook replay;
        replay.id = 101;
        replay.rights = own();
        replay.count = 1;
        replay.since = {given.context.now.ms + since};
        if (until) replay.until = core::Timestamp{given.context.now.ms + *until};
        if (!types.empty()) replay.eventTypes = types;
        EXPECT_EQ(given.when(replay).summary(), "VALIDATION_ERROR");
        std::string all;
        for (auto const& fault : commands::faults_of(replay, given.context.now)) {
            all += (all.empty() ? "" : ", ") + fault.field + " " + fault.rule;
        }
        return all;
    };
    EXPECT_EQ(faults(-14 * kDayMs - 1, {}, {}), "since range");
    EXPECT_EQ(faults(1, {}, {}), "since range");
    EXPECT_EQ(faults(-1000, -1000, {}), "until after");
    EXPECT_EQ(faults(-1000, -2000, {"pets"}), "until after, eventTypes[0] known");
    EXPECT_EQ(faults(-1000, {}, {"shift_posted", "test"}), "eventTypes[1] known") << "tests are not sent again";
}

}  // namespace
}  // namespace workforce::tests
