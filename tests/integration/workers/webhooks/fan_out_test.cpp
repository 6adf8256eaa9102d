// Events to deliveries over a real log and database: each once, to whom it is for.
#include <map>

#include "events/lead.hpp"
#include "events/oauth_client.hpp"
#include "events/oauth_grant.hpp"
#include "tests/integration/workers/webhooks/fan_out_fixture.hpp"
#include "workers/webhooks/readers.hpp"

namespace workforce::tests {
namespace {

/// However events are cut into batches.
class WebhookBatchesTest : public WebhookFanOutTest, public testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, WebhookBatchesTest, testing::Values(1, 3, 2000));

TEST_P(WebhookBatchesTest, GiveTheSameDeliveries) {
    record_starts();
    post(50);  // nobody subscribes yet
    subscribe(1, webhook_created({"shift_posted"}));
    subscribe(2, webhook_created({"*"}));
    subscribe(3, webhook_created({"shift_filled"}));
    post(51);
    fill(51);
    writer_.append(Kind::webhook, 3, switched_off());  // with one delivery to abandon
    fill(52);
    writer_.append(Kind::webhook, 3, events::WebhookEnabled{});
    fill(53);
    qualify(9);
    react(GetParam());
    EXPECT_EQ(deliveries(),
              "1 shift_posted event, 2 shift_posted event, 2 shift_filled event, 2 shift_filled event, "
              "2 shift_filled event, 2 lead_qualified event, 3 shift_filled event");
    EXPECT_EQ(ask("SELECT string_agg(webhook_id || ' ' || event_type || ' ' || status, ', ') FROM ops.webhook_attempt"),
              "3 shift_filled abandoned");
    EXPECT_EQ(count("ops.webhook_body"), "5") << "each is stored once";
    EXPECT_EQ(ask("SELECT string_agg(webhook_id::text, ' ' ORDER BY webhook_id) FROM reactor.webhook_queue"
                  " WHERE next_due <= now()"),
              "1 2 3");
    react(GetParam());
    EXPECT_EQ(count("reactor.webhook_delivery"), "7") << "a second look adds nothing";
    EXPECT_EQ(ask("SELECT count(DISTINCT (webhook_id, event_id)) FROM reactor.webhook_delivery"), "7");
}

TEST_F(WebhookFanOutTest, KnowsWhatCameBeforeItAndActsOnWhatComesAfter) {
    subscribe(1, webhook_created({"*"}));
    post(51);
    writer_.append(Kind::lead, 9, grace());
    record_starts();
    react(1);
    EXPECT_EQ(deliveries(), "");
    EXPECT_EQ(count("ops.webhook_body"), "0");
    post(52);
    writer_.append(Kind::lead, 9, to_qualified());
    writer_.append(Kind::lead, 9, events::LeadQualified{});
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted event, 1 lead_qualified event");
    auto const all = due();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_NE(
        all[1].body->bytes->find(R"("name":"Grace Hopper","company":"Harbour Care","previousStatus":"contacted")"),
        std::string::npos)
        << *all[1].body->bytes;
}

TEST_F(WebhookFanOutTest, TellsWhomItIsFor) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    auto bound = webhook_created({"*"});
    bound.facilityId = 1;
    subscribe(2, bound);
    subscribe(3, webhook_created({"shift_posted", "lead_qualified"}, {"lead_qualified"}));  // narrowed
    subscribe(4, webhook_created({"test"}));
    auto inactive = webhook_created({"*"});
    inactive.isActive = false;
    subscribe(5, inactive);
    elsewhere_.meta.organization = 8;
    elsewhere_.append(Kind::webhook, 6, webhook_created({"*"}));
    post(51, 1);
    post(52, 2);
    qualify(9);  // of the organization as a whole
    react();
    EXPECT_EQ(deliveries(),
              "1 shift_posted event, 1 shift_posted event, 1 lead_qualified event, 2 shift_posted event, "
              "3 lead_qualified event");
    EXPECT_EQ(count("reactor.webhook_subscription"), "6");
    writer_.append(Kind::webhook, 2, events::WebhookDeleted{});
    react();
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery WHERE webhook_id = 2"), "0");
    EXPECT_EQ(ask("SELECT status FROM ops.webhook_attempt WHERE webhook_id = 2"), "abandoned");
    EXPECT_EQ(ask("SELECT (SELECT count(*) FROM reactor.webhook_subscription WHERE webhook_id = 2)"
                  " + (SELECT count(*) FROM reactor.webhook_queue WHERE webhook_id = 2)"),
              "0");
    post(53, 1);
    react();
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery WHERE webhook_id = 2"), "0");
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery WHERE webhook_id = 1"), "4");
}

TEST_F(WebhookFanOutTest, TheCorrelationIsOfTheFirstCause) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    writer_.meta.request_id = "req_of_its_own";
    post(51);
    writer_.meta.correlation_id = "req_of_the_first";
    post(52);
    react();
    auto const all = due();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].body->correlation_id, "req_of_its_own");
    EXPECT_EQ(all[1].body->correlation_id, "req_of_the_first");
    EXPECT_EQ(all[0].trigger, "event");
    EXPECT_EQ(all[0].attempt, 1);
}

TEST_F(WebhookFanOutTest, AChangeOfRightsOrTypesCountsForWhatComesAfter) {
    record_starts();
    subscribe(1, webhook_created({"shift_posted"}));
    events::WebhookUpdated updated;
    updated.readable = Types{"shift_filled"};
    writer_.append(Kind::webhook, 1, updated);
    post(51);
    updated = {};
    updated.events = {"*"};
    writer_.append(Kind::webhook, 1, updated);
    post(52);
    fill(52);
    react(1);
    EXPECT_EQ(deliveries(), "1 shift_filled event");
}

/// However events are cut into batches, and also where the creator is of another partition.
TEST_P(WebhookBatchesTest, RightsOfTodayNarrowWhatIsSent) {
    record_starts();
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    subscribe(1, webhook_created({"*"}));  // nothing is known of user 3: as the event says
    fill(50);
    events::UserUpdated role;
    role.role = events::Role::sales_rep;
    writer_.append(Kind::user, 3, role);
    fill(51);
    qualify(9);
    role.role = events::Role::viewer;
    writer_.append(Kind::user, 3, role);
    fill(52);
    writer_.append(Kind::user, 3, events::UserDeactivated{});
    fill(53);
    writer_.append(Kind::user, 3, events::UserReactivated{});
    fill(54);
    writer_.meta.actor = {events::ActorType::api_key, 8, 3};
    subscribe(2, webhook_created({"shift_filled"}));
    events::ApiKeyUpdated changed;
    changed.scopes = {{"crm:read"}};
    writer_.append(Kind::api_key, 8, changed);
    fill(55);
    changed.scopes = {{"shifts:*"}};
    writer_.append(Kind::api_key, 8, changed);
    fill(56);
    changed = {};
    changed.expiresAt.emplace() = writer_.meta.time;
    writer_.append(Kind::api_key, 8, changed);
    fill(57);
    changed.expiresAt.emplace();
    writer_.append(Kind::api_key, 8, changed);
    fill(58);
    writer_.append(Kind::api_key, 8, events::ApiKeyRevoked{});
    fill(59);
    react(GetParam());
    EXPECT_EQ(ask("SELECT count(*) || ' ' || count(*) FILTER (WHERE event_type = 'lead_qualified')"
                  " FROM reactor.webhook_delivery WHERE webhook_id = 1"),
              "9 1");  // 50, the lead, 52, and 54 to 59
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery WHERE webhook_id = 2"), "2");  // 56 and 58
    elsewhere_.append(Kind::user, 3, events::UserDeactivated{});
    react(GetParam());
    fill(60);
    react(GetParam());
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery WHERE webhook_id = 1"), "9");
    auto writes = session();
    auto const now = workers::database_time(writes);
    EXPECT_EQ(workers::narrowed_webhooks(writes, {1, 2}, now).at(1).readable.types, Types{});
}

/// A client's subscription is sent what its scopes and its user's role both allow, until the grant or the client ends.
TEST_P(WebhookBatchesTest, AClientIsSentWhatItsGrantAllows) {
    record_starts();
    auto const subscribe_by = [&](core::Id webhook, core::Id grant, core::Id client) {
        writer_.meta.actor = {events::ActorType::oauth, 31, 3};
        subscribe(webhook, webhook_created({"*"}, {"shift_posted", "shift_filled"}));
        writer_.append(Kind::webhook, webhook, events::WebhookGranted{{grant, client, {"shifts:read"}}});
    };
    events::UserCreated user;
    user.email = core::Email("vera@example.test");
    user.role = events::Role::admin;
    user.status = events::UserStatus::active;
    writer_.append(Kind::user, 3, user);
    events::OAuthGrantApproved const approved{{3, "svc_client_a", "Planner", {{"shifts:read"}, {"crm:read"}}}};
    for (core::Id const grant : {41, 42, 43}) writer_.append(Kind::oauth_grant, grant, approved);
    subscribe_by(1, 41, 12);
    subscribe_by(2, 42, 13);
    subscribe_by(3, 43, 0);
    fill(50);
    qualify(9);  // which its user may read, and the client may not
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    writer_.append(Kind::oauth_grant, 42, events::OAuthGrantChainRevoked{events::ChainEnd::code_replayed, 31});
    fill(51);
    writer_.append(Kind::oauth_grant, 41, events::OAuthGrantRevoked{});
    fill(52);
    react(GetParam());
    EXPECT_EQ(deliveries(),
              "2 shift_filled event, 2 shift_filled event, 2 shift_filled event, "
              "3 shift_filled event, 3 shift_filled event, 3 shift_filled event")
        << "what still waited for the client whose grant ended is given up";
    elsewhere_.append(Kind::oauth_client, 13, events::OAuthClientRemoved{"unused"});  // at another partition
    react(GetParam());
    fill(53);
    react(GetParam());
    EXPECT_EQ(ask("SELECT string_agg(webhook_id || ': ' || count, ', ' ORDER BY webhook_id)"
                  " FROM (SELECT webhook_id, count(*) FROM reactor.webhook_delivery GROUP BY 1) AS t"),
              "2: 3, 3: 4");
    auto writes = session();
    auto const narrowed = workers::narrowed_webhooks(writes, {1, 2, 3}, workers::database_time(writes));
    EXPECT_EQ(narrowed.at(1).readable.types, Types{});
    EXPECT_EQ(narrowed.at(2).readable.types, Types{});
    EXPECT_EQ(narrowed.at(3).readable.types, (Types{"shift_posted", "shift_filled"}));
    events::UserUpdated role;
    role.role = events::Role::sales_rep;
    writer_.append(Kind::user, 3, role);
    fill(54);
    react(GetParam());
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery WHERE webhook_id = 3"), "4");
}

/// What waits when a client names another address is nothing that the client may read.
TEST_F(WebhookFanOutTest, WhatWaitsIsNotSentToAClientThatTakesOver) {
    record_starts();
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    subscribe(1, webhook_created({"*"}));
    qualify(9);
    writer_.meta.actor = {events::ActorType::oauth, 31, 3};
    events::WebhookUpdated moved;
    moved.url = events::WebhookUrl("https://client.example.test/in");
    moved.readable = Types{"shift_filled"};
    writer_.append(Kind::webhook, 1, moved);
    writer_.append(Kind::webhook, 1, events::WebhookGranted{{41, 12, {"shifts:read"}}});
    fill(50);
    react();
    EXPECT_EQ(deliveries(), "1 shift_filled event");
}

TEST_P(WebhookBatchesTest, FacilitiesOfTodayNarrowWhatIsSent) {
    record_starts();
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    events::UserCreated user;
    user.email = core::Email("vera@example.test");
    user.role = events::Role::viewer;
    user.status = events::UserStatus::active;
    writer_.append(Kind::user, 3, user);
    subscribe(1, webhook_created({"*"}));
    post(51, 1);
    post(52, 2);
    events::UserUpdated bound;
    bound.facilityIds = std::vector<core::Id>{1};
    writer_.append(Kind::user, 3, bound);
    post(53, 1);
    post(54, 2);  // is not for whoever is bound to facility 1
    qualify(9);   // nor what happens in the organization as a whole
    writer_.append(Kind::staff, 4, staff_onboarded("Grace", "Byron"));
    auto elsewhere = staff_onboarded("Ada", "Byron");
    elsewhere.facilityIds = {2, 1};
    writer_.append(Kind::staff, 5, elsewhere);
    bound.facilityIds->clear();
    writer_.append(Kind::user, 3, bound);
    post(55, 2);
    writer_.meta.actor = {events::ActorType::api_key, 8, 0};
    events::ApiKeyCreated key;
    key.name = "Export";
    key.scopes = {{"shifts:read"}};
    key.facilityId = core::Id{2};
    writer_.append(Kind::api_key, 8, key);
    subscribe(2, webhook_created({"*"}));
    post(56, 1);
    post(57, 2);
    react(GetParam());
    EXPECT_EQ(ask("SELECT string_agg(d.event_type || ' ' || array_to_string(b.facility_ids, '+'), ', ' ORDER BY d.id)"
                  " FROM reactor.webhook_delivery d JOIN ops.webhook_body b ON b.event_id = d.event_id"
                  " WHERE d.webhook_id = 1"),
              "shift_posted 1, shift_posted 2, shift_posted 1, staff_onboarded 2+1, shift_posted 2, shift_posted 1, "
              "shift_posted 2");
    EXPECT_EQ(ask("SELECT string_agg(array_to_string(b.facility_ids, '+'), ', ' ORDER BY d.id)"
                  " FROM reactor.webhook_delivery d JOIN ops.webhook_body b ON b.event_id = d.event_id"
                  " WHERE d.webhook_id = 2"),
              "2");
    elsewhere_.meta.organization = 7;
    bound.facilityIds = std::vector<core::Id>{1};
    elsewhere_.append(Kind::user, 3, bound);  // at another partition
    react(GetParam());
    post(58, 2);
    react(GetParam());
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery WHERE webhook_id = 1"), "7");
    auto writes = session();
    auto const now = workers::database_time(writes);
    EXPECT_EQ(workers::narrowed_webhooks(writes, {1}, now).at(1).readable.facilities, std::vector<core::Id>{1});
}

/// Users who were folded before their facilities were.
TEST_F(WebhookFanOutTest, FacilitiesThatAreNotRecordedYetAreThoseOfTheReadModel) {
    record_starts();
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    events::UserCreated user;
    user.email = core::Email("vera@example.test");
    user.role = events::Role::viewer;
    user.status = events::UserStatus::active;
    writer_.append(Kind::user, 3, user);
    subscribe(1, webhook_created({"*"}));
    events::UserUpdated bound;
    bound.facilityIds = std::vector<core::Id>{1};
    writer_.append(Kind::user, 3, bound);
    react();
    fold();
    ask("UPDATE reactor.webhook_reader SET doc = doc::jsonb - 'facilities' RETURNING 1");
    post(51, 1);
    post(52, 2);
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted event");
    ask("DELETE FROM reactor.webhook_reader RETURNING 1");
    post(53, 2);
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted event");
}

/// An operator's subscription in a customer's organization.
TEST_P(WebhookBatchesTest, WhoeverOperatesNoMoreHearsOfNoOtherOrganization) {
    record_starts();
    events::UserCreated olga;
    olga.email = core::Email("olga@platform.example.com");
    olga.role = events::Role::manager;
    olga.status = events::UserStatus::active;
    elsewhere_.meta.organization = 1;
    elsewhere_.append(Kind::user, 3, olga);
    react(GetParam());
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    subscribe(1, webhook_created({"*"}));
    post(51);
    react(GetParam());
    EXPECT_EQ(deliveries(), "1 shift_posted event");
    events::UserUpdated role;
    role.role = events::Role::scheduler;
    elsewhere_.append(Kind::user, 3, role);
    react(GetParam());
    post(52);
    react(GetParam());
    EXPECT_EQ(deliveries(), "1 shift_posted event") << "a scheduler of the platform reads no customer's shifts";
    role = {};
    role.role = events::Role::admin;
    role.facilityIds = std::vector<core::Id>{90};
    elsewhere_.append(Kind::user, 3, role);
    react(GetParam());
    post(53);
    react(GetParam());
    EXPECT_EQ(deliveries(), "1 shift_posted event") << "nor does who is bound to a facility";
}

/// What waits is abandoned, whoever asked for it; what happens meanwhile is nobody's to hear.
TEST_P(WebhookBatchesTest, OfADeactivatedOrganizationNothingLeaves) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    subscribe(2, webhook_created({"shift_posted"}));
    post(51);
    react(GetParam());
    auto const first = due();
    auto const ids = send_all(true);
    ASSERT_EQ(ids.size(), 2U);
    auto const of_first = ask("SELECT id FROM ops.webhook_attempt WHERE webhook_id = 1");
    writer_.append(Kind::webhook, 1,
                   events::WebhookRedelivered{core::parse_integer(of_first).value(), 9000, first[0].event_id});
    post(52);
    react(GetParam());
    EXPECT_EQ(deliveries(), "1 shift_posted event, 1 shift_posted manual, 2 shift_posted event");
    auto writes = session();
    std::map<core::Id, std::int64_t> const versions{{1, 2}, {2, 1}};
    EXPECT_TRUE(workers::changed_subscriptions(writes, versions).empty());
    writer_.append(Kind::organization, 7, events::OrganizationDeactivated{});
    react(GetParam());
    EXPECT_EQ(deliveries(), "");
    EXPECT_EQ(workers::changed_subscriptions(writes, versions).size(), 2U) << "what waits in memory is dropped, too";
    post(53);
    writer_.append(Kind::webhook, 1,
                   events::WebhookRedelivered{core::parse_integer(of_first).value(), 9001, first[0].event_id});
    replay(2);
    react(GetParam());
    EXPECT_EQ(deliveries(), "");
    EXPECT_EQ(ask("SELECT count(*) FROM ops.webhook_attempt WHERE status = 'abandoned'"), "4") << "three, and 9001";
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_subscription WHERE is_active"), "2") << "they stay";
    post(54);
    react(GetParam());
    EXPECT_EQ(deliveries(), "");
    writer_.append(Kind::organization, 7, events::OrganizationReactivated{});
    post(55);
    react(GetParam());
    EXPECT_EQ(deliveries(), "1 shift_posted event, 2 shift_posted event") << "of what comes after";
    send_all(true);
    replay(1);
    react(GetParam());
    EXPECT_EQ(ask("SELECT count(*) FROM reactor.webhook_delivery"), "3")
        << "51, 52 and 55: what was missed is not sent";
}

TEST_F(WebhookFanOutTest, NothingPersonalIsReadableAndAnErasureReachesAllOfIt) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    qualify(9);
    writer_.append(Kind::staff, 4, staff_onboarded("Grace", "Byron"));
    post(51);
    react();
    auto const readable = [&](std::string const& table, std::string const& column) {
        return ask("SELECT count(*) FROM " + table + " WHERE encode(" + column + ", 'escape') ~* 'grace'");
    };
    EXPECT_EQ(readable("ops.webhook_body", "body"), "0");
    EXPECT_EQ(readable("reactor.webhook_lead", "sealed"), "0");
    auto all = due();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_NE(all[0].body->bytes->find("Grace"), std::string::npos);
    EXPECT_NE(all[1].body->bytes->find("Grace"), std::string::npos);
    send_all(false);
    EXPECT_EQ(ask("SELECT count(*) FROM ops.webhook_attempt WHERE response_body = 'thanks'"), "3");
    replay(1);
    react();
    writer_.append(Kind::lead, 9, events::LeadErased{});
    writer_.append(Kind::staff, 4, events::StaffErased{});
    react();
    EXPECT_EQ(count("reactor.webhook_lead"), "0");
    EXPECT_EQ(ask("SELECT string_agg(event_type, ' ') FROM ops.webhook_attempt WHERE response_body = 'thanks'"),
              "shift_posted")
        << "a receiver may have repeated what it was told";
    all = due();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_FALSE(all[0].body->bytes);
    EXPECT_FALSE(all[1].body->bytes);
    EXPECT_TRUE(all[2].body->bytes);
}

TEST_F(WebhookFanOutTest, WhoWasErasedMeanwhileIsNotToldOf) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    qualify(9);
    writer_.append(Kind::lead, 9, events::LeadErased{});
    keyring_.destroy("lead/9");  // before it folds any of it
    react(1);
    EXPECT_EQ(count("reactor.webhook_lead"), "0");
    EXPECT_EQ(deliveries(), "");
}

TEST_F(WebhookFanOutTest, TheSandboxSendsNothing) {
    record_starts();
    writer_.meta.sandbox = true;
    subscribe(1, webhook_created({"*"}));
    post(51);
    qualify(9);
    writer_.meta.sandbox = false;
    post(52);
    react();
    EXPECT_EQ(deliveries(), "");
    for (std::string const table : {"reactor.webhook_subscription", "reactor.webhook_lead", "ops.webhook_body"}) {
        EXPECT_EQ(count(table), "0") << table;
    }
    subscribe(2, webhook_created({"*"}));
    writer_.meta.sandbox = true;
    post(53);
    react();
    EXPECT_EQ(deliveries(), "") << "a live subscription hears nothing of it";
}

TEST_F(WebhookFanOutTest, ARebuildOfReadModelsSendsNothing) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    post(51);
    react();
    send_all(true);
    fold();
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {});
    react();
    EXPECT_EQ(deliveries(), "");
    EXPECT_EQ(count("ops.webhook_attempt"), "1");
}

/// Who records attempts locks queues, then deliveries. In another order they would wait for each other.
TEST_F(WebhookFanOutTest, WhatEndsASubscriptionWaitsForWhoRecordsIt) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    subscribe(2, webhook_created({"*"}));
    post(51);
    react();
    writer_.append(Kind::webhook, 1, switched_off());
    post(52);
    auto recorder = session();
    std::future<void> folded;
    recorder.transaction([&] {
        workers::lock_queues(recorder, {1, 2});
        folded = std::async(std::launch::async, [this] { react(); });
        wait_blocked(folded);
        recorder.execute_sql("SELECT FROM reactor.webhook_delivery WHERE webhook_id = 1 FOR UPDATE NOWAIT");
        recorder.execute_sql("DELETE FROM reactor.webhook_delivery WHERE webhook_id = 1");
    });
    folded.get();
    EXPECT_EQ(deliveries(), "2 shift_posted event, 2 shift_posted event");
    EXPECT_EQ(count("ops.webhook_attempt"), "0");
}

TEST_F(WebhookFanOutTest, WhoRecordsWhatALostLeaseLeftWaitsForWhoAbandonsIt) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    post(51);
    react();
    auto abandoning = session();
    workers::AttemptRecord const record{.delivery = due().at(0), .status = "succeeded", .at = core::now()};
    std::future<void> recorded;
    abandoning.transaction([&] {
        workers::lock_queues(abandoning, {1});
        recorded = std::async(std::launch::async, [&] {
            auto writes = session();
            workers::record_attempts(writes, kMe, {&record, 1}, {}, record.at);
        });
        wait_blocked(recorded);
        EXPECT_EQ(recorded.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
        EXPECT_EQ(deliveries(), "1 shift_posted event");
        abandoning.execute_sql("SELECT FROM reactor.webhook_delivery WHERE webhook_id = 1 FOR UPDATE NOWAIT");
    });
    recorded.get();
    EXPECT_EQ(deliveries(), "");
    EXPECT_EQ(ask("SELECT string_agg(status, ' ') FROM ops.webhook_attempt"), "succeeded");
}

TEST_F(WebhookFanOutTest, ADayGetsItsPartitionAlsoAfterItsFirstRows) {
    auto const day = ask("SELECT to_char((now() AT TIME ZONE 'UTC')::date + 2, 'YYYYMMDD')");
    auto const at = "('" + day + "'::date + time '12:00') AT TIME ZONE 'UTC'";
    auto const keep = [this] {
        auto writes = session();
        workers::keep_webhook_partitions(writes, 30);
    };
    ask("DROP TABLE ops.webhook_body_" + day + ", ops.webhook_attempt_" + day);
    ask("INSERT INTO ops.webhook_body SELECT gen_random_uuid(), " + at +
        ", 7, '{}', 'shift_posted', '', NULL, '\\x00'");
    ask("INSERT INTO ops.webhook_attempt"
        " (id, organization_id, webhook_id, event_id, event_type, attempt, trigger, status, created_at)"
        " SELECT n, 7, 1, gen_random_uuid(), 'shift_posted', 1, 'event', 'succeeded', t FROM (VALUES (1, " +
        at + "), (2, now() - interval '40 days')) AS v(n, t)");
    ask("CREATE DOMAIN ops.webhook_body_" + day + " AS int");  // one that can't be made
    keep();
    EXPECT_EQ(ask("SELECT string_agg(id || ' ' || tableoid::regclass, ', ') FROM ops.webhook_attempt"),
              "1 ops.webhook_attempt_" + day);
    EXPECT_EQ(ask("SELECT string_agg(tableoid::regclass::text, ' ') FROM ops.webhook_body"),
              "ops.webhook_body_default");
    ask("DROP DOMAIN ops.webhook_body_" + day);
    keep();
    EXPECT_EQ(ask("SELECT string_agg(tableoid::regclass::text, ' ') FROM ops.webhook_body"), "ops.webhook_body_" + day);
    EXPECT_EQ(ask("SELECT count(*) FROM pg_index WHERE indrelid = 'ops.webhook_body_" + day + "'::regclass"), "3");
}

TEST_F(WebhookFanOutTest, APauseHoldsWhatIsFoldedAndWhatIsDue) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    post(51);
    react();
    auto operators = session();
    EXPECT_TRUE(workers::pause(operators, "webhooks", "Op", "a look"));
    EXPECT_TRUE(due().empty());
    EXPECT_TRUE(workers::resume(operators, "webhooks"));
    EXPECT_EQ(due().size(), 1U);
}

}  // namespace
}  // namespace workforce::tests
