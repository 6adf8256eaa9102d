// Events to deliveries over a real log and database: each once, to whom it is for, and again when asked.
#include <algorithm>
#include <array>

#include "projections/engine/partition_folder.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/reactors/standing.hpp"
#include "workers/reactors/webhooks.hpp"
#include "workers/webhooks/delivery_store.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::Tables;
using Types = std::vector<std::string>;

constexpr std::string_view kMe = "a process";

events::WebhookCreated webhook_created(std::vector<core::ShortText> types, Types readable = {"*"}) {
    events::WebhookCreated webhook;
    webhook.name = "Mirror";
    webhook.url = "https://hooks.example.test/in";
    webhook.events = std::move(types);
    webhook.readable = std::move(readable);
    webhook.secretId = "a secret";
    return webhook;
}
events::WebhookUpdated switched_off() {
    events::WebhookUpdated updated;
    updated.isActive = false;
    return updated;
}
events::LeadCreated grace() {
    events::LeadCreated lead;
    lead.name = core::ShortText("Grace Hopper");
    lead.company = "Harbour Care";
    return lead;
}
events::LeadStatusChanged to_qualified() {
    events::LeadStatusChanged moved;
    moved.from = events::LeadStatus::contacted;
    moved.status = events::LeadStatus::qualified;
    return moved;
}

class WebhookFanOutTest : public ProjectionsTest {
   protected:
    WebhookFanOutTest() { writer_.meta.organization = elsewhere_.meta.organization = 7; }

    void record_starts() {
        core::Connection owner(connection());
        workers::record_starts(
            owner, kTestPartitions,
            [&] {
                events::PostgresLogOptions options;
                options.database_url = database_.url();
                return std::make_unique<events::PostgresLog>(options);
            },
            types_);
    }
    /// Folds the log to its end, in batches of that many events.
    void react(std::size_t batch = 2000) {
        auto options = runner_options(batch);
        options.tables = Tables::reactors;
        auto const folds = workers::reactor_folds(keyring_, types_);
        projections::Runner runner(*log_, keyring_, options, folds);
        fold(runner);
    }
    void subscribe(core::Id webhook, events::WebhookCreated const& created) {
        writer_.append(Kind::webhook, webhook, created);
    }
    void post(core::Id shift, core::Id facility = 1) {
        writer_.meta.facility = facility;
        writer_.append(Kind::shift, shift, shift_posted(facility, "Night", "2026-07-24T20:00:00Z"));
        writer_.meta.facility = 0;
    }
    void fill(core::Id shift, core::Id facility = 1) {
        writer_.meta.facility = facility;
        writer_.append(Kind::shift, shift, events::ShiftFilled{{4}});
        writer_.meta.facility = 0;
    }
    void qualify(core::Id lead) {
        writer_.append(Kind::lead, lead, grace());
        writer_.append(Kind::lead, lead, to_qualified());
        writer_.append(Kind::lead, lead, events::LeadQualified{});
    }

    /// What is to be sent, by subscription: "1 shift_posted event, 2 shift_filled manual".
    std::string deliveries() {
        return ask(
            "SELECT coalesce(string_agg(webhook_id || ' ' || event_type || ' ' || trigger, ', '"
            " ORDER BY webhook_id, id), '') FROM reactor.webhook_delivery");
    }
    std::string count(std::string const& table) { return ask("SELECT count(*) FROM " + table); }
    core::Connection session() { return core::Connection(workers::reactor_session(connection())); }

    /// What is due, of all subscriptions, as the engine takes it.
    std::vector<workers::DueDelivery> due() {
        auto writes = session();
        auto const now = workers::database_time(writes);
        std::vector<core::Id> webhooks;
        for (auto const& queue : workers::lease_queues(writes, {.owner = std::string(kMe)}, now, 100)) {
            webhooks.push_back(queue.webhook);
        }
        auto all =
            workers::due_deliveries(writes, keyring_, kMe, webhooks, std::vector<int>(webhooks.size(), 100), now);
        workers::release_queues(writes, kMe);
        return all;
    }
    /// Records that all that is due was sent, and how it went. Returns the attempts' ids.
    std::vector<core::Id> send_all(bool delivered) {
        std::vector<workers::AttemptRecord> records;
        std::vector<core::Id> ids;
        auto writes = session();
        auto const now = workers::database_time(writes);
        for (auto& delivery : due()) {
            ids.push_back(delivery.id);
            workers::AttemptRecord record{.delivery = std::move(delivery),
                                          .status = delivered ? "succeeded" : "failed"};
            record.result.response_body = "thanks";
            record.at = now;
            records.push_back(std::move(record));
        }
        workers::record_attempts(writes, kMe, records, {}, now);
        return ids;
    }
    void replay(core::Id webhook, Types wanted = {}, bool only_failed = false) {
        events::WebhookReplayed again;
        again.since = *core::parse_timestamp("2026-07-24T00:00:00Z");
        again.until = *core::parse_timestamp("2026-07-25T00:00:00Z");
        again.eventTypes = std::move(wanted);
        again.onlyFailed = only_failed;
        writer_.append(Kind::webhook, webhook, again);
    }

    std::array<workers::ReactorType, 1> const types_{workers::webhooks()};
    EventWriter writer_{*log_, keyring_, 0};
    EventWriter elsewhere_{*log_, keyring_, 1};
};

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
    EXPECT_NE(all[1].body->find(R"("name":"Grace Hopper","company":"Harbour Care","previousStatus":"contacted")"),
              std::string::npos)
        << *all[1].body;
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
    EXPECT_EQ(all[0].correlation_id, "req_of_its_own");
    EXPECT_EQ(all[1].correlation_id, "req_of_the_first");
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

TEST_F(WebhookFanOutTest, AnAttemptIsMadeAgainWhenAsked) {
    record_starts();
    subscribe(1, webhook_created({"shift_posted"}));
    post(51);
    react();
    auto const first = due();
    auto const ids = send_all(true);
    ASSERT_EQ(ids.size(), 1U);
    writer_.append(Kind::webhook, 1, events::WebhookDisabled{"max_retries_exceeded", "x", first[0].event_id, 0});
    writer_.append(Kind::webhook, 1, events::WebhookRedelivered{ids[0], 9000, first[0].event_id});
    writer_.append(Kind::webhook, 1, events::WebhookRedelivered{12345, 9001, first[0].event_id});  // of no attempt
    react();
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted manual") << "of one that is inactive, too";
    auto const again = due();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].id, 9000);
    EXPECT_EQ(again[0].event_id, first[0].event_id);
    EXPECT_EQ(*again[0].body, *first[0].body);
    writer_.append(Kind::webhook, 1, events::WebhookDeleted{});
    react();
    EXPECT_EQ(deliveries(), "") << "one that is gone gets nothing";
}

TEST_F(WebhookFanOutTest, ATimeIsReplayedAsFarAsItIsTheirs) {
    record_starts();
    subscribe(1, webhook_created({"shift_posted", "shift_filled"}));
    auto bound = webhook_created({"*"}, {"shift_posted", "lead_qualified"});
    bound.facilityId = 2;
    subscribe(2, bound);
    post(51, 1);
    post(52, 2);
    fill(51);
    qualify(9);
    react();
    send_all(true);
    EXPECT_EQ(deliveries(), "");
    auto const replayed = [&](core::Id webhook, Types wanted) {
        replay(webhook, std::move(wanted));
        react();
        auto text = deliveries();
        send_all(true);
        return text;
    };
    EXPECT_EQ(replayed(1, {}), "1 shift_posted manual, 1 shift_posted manual, 1 shift_filled manual");
    EXPECT_EQ(replayed(1, {"shift_filled", "lead_qualified"}), "1 shift_filled manual");
    EXPECT_EQ(replayed(2, {}), "2 shift_posted manual") << "of its facility";
    EXPECT_EQ(replayed(1, {"lead_qualified"}), "");
    auto writes = session();
    workers::ReplayFilter filter;
    filter.webhook = 1;
    filter.organization = 7;
    filter.until = {4'000'000'000'000};
    filter.types = {"shift_posted", "shift_filled"};
    EXPECT_EQ(workers::count_replay(writes, filter), 3);
    filter.types = {"*"};
    EXPECT_EQ(workers::count_replay(writes, filter), 4);
    filter.facility = 2;
    EXPECT_EQ(workers::count_replay(writes, filter), 1);
    filter.organization = 8;
    EXPECT_EQ(workers::count_replay(writes, filter), 0);
}

TEST_F(WebhookFanOutTest, OnlyWhatFailedLastIsReplayedWhereThatIsAsked) {
    record_starts();
    subscribe(1, webhook_created({"shift_posted"}));
    post(51);
    react();
    send_all(true);
    post(52);
    react();
    send_all(false);
    post(53);
    react();
    send_all(false);
    auto const third = ask("SELECT event_id FROM ops.webhook_attempt ORDER BY id DESC LIMIT 1");
    replay(1, {}, true);
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted manual, 1 shift_posted manual");
    send_all(true);
    replay(1, {}, true);
    react();
    EXPECT_EQ(deliveries(), "") << "their last attempts succeeded";
    post(54);
    react();
    writer_.append(Kind::webhook, 1, switched_off());  // abandons it
    replay(1, {}, true);
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted manual");
    EXPECT_NE(ask("SELECT event_id FROM reactor.webhook_delivery"), third);
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
    EXPECT_NE(all[0].body->find("Grace"), std::string::npos);
    EXPECT_NE(all[1].body->find("Grace"), std::string::npos);
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
    EXPECT_FALSE(all[0].body);
    EXPECT_FALSE(all[1].body);
    EXPECT_TRUE(all[2].body);
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

TEST_F(WebhookFanOutTest, WhatWasAbandonedUnderWayIsRecordedOnce) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    post(51);
    react();
    auto under_way = due();
    ASSERT_EQ(under_way.size(), 1U);
    writer_.append(Kind::webhook, 1, switched_off());
    react();
    EXPECT_EQ(ask("SELECT status FROM ops.webhook_attempt"), "abandoned");
    auto writes = session();
    auto const now = workers::database_time(writes);
    workers::AttemptRecord record{.delivery = under_way[0], .status = "failed"};
    record.at = now;
    record.next = core::Timestamp{now.ms + 30'000};
    workers::record_attempts(writes, kMe, std::vector{record}, {}, now);
    EXPECT_EQ(ask("SELECT string_agg(status, ' ') FROM ops.webhook_attempt"), "failed") << "for it was made";
    EXPECT_EQ(deliveries(), "") << "and is not made again";
}

}  // namespace
}  // namespace workforce::tests
